"""The messages of the findings that the tests of lint rules look at: a record for each test.

The tests say which findings a rule has, and where; their messages, hints and fixes are in
``tests/lint/data/messages``, as tables to read. To renew them after an intended change, or for a new test:
``JOBSWORTH_RENEW=1 pytest tests/lint/test_job_rules.py`` (in one process).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from jobsworth.findings.finding import Finding
from support.lint.shown_findings import shown

RECORDED = Path(__file__).parents[2] / "lint/data/messages"
SEEN: list[Finding] = []
"""The findings that the running test has looked at."""


def expect_recorded_messages(module: str, test: str) -> None:
    """Fail if the messages that a test has seen are not the recorded ones, or write them.

    Args:
        module: the name of the test's module.
        test: the name of the test, with its parameters.
    """
    messages = list(dict.fromkeys(_lines(SEEN)))
    if os.environ.get("JOBSWORTH_RENEW"):
        if messages == _records(module).get(test, []):
            return
        records = {**_records(module), test: messages}
        _records.cache_clear()
        RECORDED.mkdir(parents=True, exist_ok=True)
        (RECORDED / f"{module}.txt").write_text("".join(_written(records)), encoding="utf-8")
    else:
        assert messages == _records(module).get(test, []), (
            "other messages than recorded: if they are intended, set JOBSWORTH_RENEW=1 and read the diff"
        )


def _lines(findings: Iterable[Finding]) -> Iterator[str]:
    for finding in findings:
        first, *others = shown(finding)
        yield "\n".join((f"    {finding.code} {first}", *(f"    {line}" for line in others)))


def _written(records: dict[str, list[str]]) -> Iterator[str]:
    for test in sorted(records):
        if records[test]:
            yield f"{test}\n"
            yield from (f"{message}\n" for message in records[test])


@cache
def _records(module: str) -> dict[str, list[str]]:
    file = RECORDED / f"{module}.txt"
    records: dict[str, list[str]] = {}
    held: list[str] = []
    for line in file.read_text("utf-8").splitlines() if file.exists() else ():
        if not line.startswith(" "):
            held = records.setdefault(line, [])
        elif line.startswith("    JW"):
            held.append(line)
        else:
            held[-1] += f"\n{line}"
    return records
