"""The table report of a cluster audit: by namespace, by rule, and the objects with the most findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from jobsworth.findings.finding import SEVERITIES, Finding
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import Result
from jobsworth.printable import printable
from jobsworth.wording import count

Rule = tuple[str, str]
"""The severity of a rule's findings, and the rule's display name."""

WORST = 10
"""The maximum number of objects in the last table."""

OFTEN = 3
"""The maximum number of rules listed beside a namespace or an object."""


def render(results: Sequence[Result]) -> Iterator[str]:
    """Return the lines of three tables; none without results."""
    if not results:
        return
    yield from _by_namespace(results)
    if any(result.findings for result in results):
        yield ""
        yield from _by_rule(results)
    worst = sorted(filter(_is_bad, results), key=_badness)
    if worst:
        yield ""
        yield (
            "OBJECTS WITH MOST FINDINGS"
            if len(worst) > WORST
            else "OBJECTS WITH ERRORS OR WARNINGS"
        )
        yield from _aligned([_line_of(result) for result in worst[:WORST]])


def _by_namespace(results: Sequence[Result]) -> Iterator[str]:
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.namespace or "", []).append(result)
    bad = [name for name in groups if any(map(_is_bad, groups[name]))]
    bad.sort(key=lambda name: (*_negative(_by_severity(groups[name])), name))
    rows = [["NAMESPACE", "JOBS", "CRONJOBS", "ERRORS", "WARNINGS", "INFO", "MOST OFTEN"]]
    rows += [[name, *_counts(groups[name]), _often(groups[name])] for name in bad]
    if len(groups) > 1 or not bad:
        rows.append(["(all)", *_counts(results), ""])
    yield from _aligned(rows, numbers=range(1, 6))
    clean = len(groups) - len(bad)
    if clean and len(groups) > 1:
        noun = "namespace has" if clean == 1 else "namespaces have"
        yield f"{clean} {noun} neither errors nor warnings"


def _by_rule(results: Sequence[Result]) -> Iterator[str]:
    objects: Counter[Rule] = Counter()
    for result in results:
        objects.update({_rule_of(located) for located in result.findings})
    rows = [["COUNT", "OBJECTS", "SEVERITY", "RULE"]]
    for rule, number in _broken(results):
        rows.append([str(number), str(objects[rule]), *rule])
    yield from _aligned(rows, numbers=range(2))


def _broken(results: Sequence[Result]) -> list[tuple[Rule, int]]:
    """Count findings by rule: errors before warnings, the most frequent first."""
    found = Counter(_rule_of(located) for result in results for located in result.findings)
    return sorted(found.items(), key=lambda each: (SEVERITIES.index(each[0][0]), -each[1], each[0]))


def _rule_of(located: LocatedFinding) -> Rule:
    finding = located.finding
    policy = f" of policy {located.policy}" if located.policy else ""
    return finding.severity, f"{finding.code} {_name_of(finding)}{policy}"


def _name_of(finding: Finding) -> str:
    if not finding.code.startswith("JP"):
        return finding.reason
    from jobsworth.policy.violation import NAMES  # only for policies

    return NAMES.get(finding.code, finding.reason)


def _line_of(result: Result) -> list[str]:
    errors, warnings, _ = _by_severity([result])
    parts = [count(errors, "error")] if errors else []
    parts += [count(warnings, "warning")] if warnings else []
    owner = result.owner
    place = f"{result.file} of {owner}" if owner else result.file
    return [place, ", ".join(parts), _often([result])]


def _often(results: Sequence[Result]) -> str:
    """Name the rules with the most findings, errors before warnings."""
    bad = [(name, number) for (severity, name), number in _broken(results) if severity != "info"]
    named = [name + (f" ({number})" if number > 1 else "") for name, number in bad[:OFTEN]]
    return ", ".join(named + ["…"] * (len(bad) > OFTEN))


def _is_bad(result: Result) -> bool:
    return any(located.finding.severity != "info" for located in result.findings)


def _badness(result: Result) -> tuple[int, int, int, str]:
    """Sort by number of errors and warnings, then by namespace and name."""
    errors, warnings, infos = _negative(_by_severity([result]))
    return errors, warnings, infos, result.file


def _by_severity(results: Sequence[Result]) -> tuple[int, int, int]:
    found = dict.fromkeys(SEVERITIES, 0)
    for result in results:
        for located in result.findings:
            found[located.finding.severity] += 1
    return found["error"], found["warning"], found["info"]


def _negative(numbers: tuple[int, int, int]) -> tuple[int, int, int]:
    return -numbers[0], -numbers[1], -numbers[2]


def _counts(results: Sequence[Result]) -> list[str]:
    cron_jobs = sum(result.kind == "CronJob" for result in results)
    return [str(each) for each in (len(results) - cron_jobs, cron_jobs, *_by_severity(results))]


def _aligned(rows: Sequence[Sequence[str]], numbers: Sequence[int] = ()) -> Iterator[str]:
    """Format rows with columns two spaces apart and right-aligned numbers."""
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if index in numbers else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()
