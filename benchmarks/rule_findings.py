"""Count how often each lint rule is reported on real manifests, for the pages of the rules.

    python benchmarks/rule_findings.py FOLDER [--list JW501 --count 60]

FOLDER has files of JSON lines, compressed with xz (`*.jsonl.xz`): each line has a repository (`repo`), an
object (`object`), and the status code of its creation by kube-apiserver (`code`). Objects that the server
accepts (201) are counted.

Without options, the command writes the counts to webhook/jobsworth/lint/findings_in_public.json and prints
them. Then renew the pages: `jobsworth rule --directory docs/rules`.

With --list it prints a random sample of the findings of a rule, always the same, to be read and labelled.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.finding import Finding
from jobsworth.lint.linter import RULES, Linter
from jobsworth.validation.engine import engine_for

TABLE = Path(__file__).parent.parent / "webhook/jobsworth/lint/findings_in_public.json"
ACCEPTED = 201
REFERENCES = ("JW240", "JW241", "JW245", "JW7")
"""Rules that compare a Job with the objects beside it, of which the folder has none."""


def accepted(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the lines of the objects that the API server accepts."""
    for path in sorted(folder.glob("*.jsonl.xz")):
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            yield from (each for each in map(json.loads, lines) if each["code"] == ACCEPTED)


def counted(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the number of objects and repositories in which each rule is reported."""
    reported: dict[str, tuple[set[int], set[str]]] = {
        rule.code: (set(), set()) for rule in RULES if not rule.code.startswith(REFERENCES)
    }
    for number, line in enumerate(lines):
        for finding in findings(line):
            objects, repositories = reported[finding.code]
            objects.add(number)
            repositories.add(line["repo"])
    return {
        "objects": len(lines),
        "repositories": len({line["repo"] for line in lines}),
        "reported": {code: [len(found) for found in sets] for code, sets in reported.items()},
    }


def findings(line: dict[str, Any], *codes: str) -> list[Finding]:
    """Return the findings of all rules, or of some, for an object."""
    engine = engine_for(ApiServer(allow_privileged=True))
    linter = Linter(lambda rule: not codes or rule.code in codes)
    return linter.lint(engine.decode_object(line["object"]), engine)


def print_sample(lines: list[dict[str, Any]], code: str, count: int) -> None:
    found = [(line, finding) for line in lines for finding in findings(line, code)]
    chosen = random.Random(code).sample(found, min(count, len(found)))
    for line, finding in chosen:
        print(line["repo"], line.get("path", ""), finding.field, finding.message, sep="\t")


def print_table(table: dict[str, Any]) -> None:
    for rule in RULES:
        if rule.code not in table["reported"]:
            continue
        objects, repositories = table["reported"][rule.code]
        share = objects / table["objects"]
        print(
            f"{rule.code} {rule.name:34} {rule.severity:8} {objects:6,} {share:6.1%} {repositories:4}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--list", dest="code", help="print findings of this rule")
    parser.add_argument("--count", type=int, default=60, help="how many (default: %(default)s)")
    options = parser.parse_args()
    lines = list(accepted(options.folder))
    if not lines:
        parser.error(f"{options.folder} has no *.jsonl.xz with accepted objects")
    if options.code:
        print_sample(lines, options.code, options.count)
        return
    table = counted(lines)
    print_table(table)
    rows = [f'    "{code}": {json.dumps(counts)}' for code, counts in table.pop("reported").items()]
    head = json.dumps(table, indent=2).removesuffix("\n}")
    TABLE.write_text(
        f'{head},\n  "reported": {{\n' + ",\n".join(rows) + "\n  }\n}\n", encoding="utf-8"
    )


if __name__ == "__main__":
    main()
