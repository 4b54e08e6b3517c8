"""Write the tables in docs/profiles.md: ``PYTHONPATH=webhook python docs/profiles.py``.

Reasons are the comments in the profiles, figures those in docs/profiles.json. Given a file, it measures them
first. The file has JSON lines, compressed with xz, each with a repository (``repo``), an object (``object``)
and the status code of its creation by kube-apiserver (``code``)::

    PYTHONPATH=webhook python docs/profiles.py objects.jsonl.xz
"""

from __future__ import annotations

import json
import lzma
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.lint.catalogue import CATALOGUE
from jobsworth.policy.reader import read
from jobsworth.validation.engine import CannotDecode, UnknownKind

ROOT = Path(__file__).parent.parent
PAGE, FIGURES = ROOT / "docs/profiles.md", ROOT / "docs/profiles.json"
FOLDER = ROOT / "webhook/jobsworth/policy/profiles"
POLICIES = ("baseline", "strict")
RELEASE = "1.36"
SCOPES = ("pod", "cronJob", "resources", "requests", "limits")
"""Keys within limits that have limits below them."""
EXCEPTIONS = "Not reported:"
KEY = re.compile(r"^( *)(- )?([A-Za-z][\w.-]*):")

Rule = tuple[str | int, ...]
"""The path of a rule in a spec: a limited field or resource, a lint rule, an expression."""


def source(policy: str) -> str:
    """Return the text of a profile's policy."""
    return (FOLDER / f"{policy}.yaml").read_text(encoding="utf-8")


def rules(spec: dict[str, Any]) -> Iterator[tuple[Rule, Any]]:
    """Yield the rules of a policy with their values, in the order of the document."""

    def limits(value: dict[str, Any], path: Rule) -> Iterator[tuple[Rule, Any]]:
        for key, below in value.items():
            if key in SCOPES:
                yield from limits(below, (*path, key))
            else:
                yield (*path, key), below

    yield from limits(spec["limits"], ("limits",))
    yield from ((("rules", name), effect) for name, effect in spec["rules"].items())
    yield from ((("expressions", n), each) for n, each in enumerate(spec.get("expressions", ())))


def comments(text: str) -> dict[Rule, str]:
    """Return the comment above each key of a spec, by the key's path."""
    found: dict[Rule, str] = {}
    above: list[str] = []
    path: list[tuple[int, str]] = []
    items: dict[Rule, int] = {}
    for line in text.splitlines():
        if line.lstrip().startswith("#"):
            above.append(line.strip("# "))
            continue
        key = KEY.match(line)
        if key is not None:
            indent = len(key[1])
            path = [step for step in path if step[0] < indent]
            holder: Rule = tuple(name for _, name in path if name != "spec")
            if key[2]:
                items[holder] = items.get(holder, -1) + 1
                found[*holder, items[holder]] = " ".join(above)
            else:
                path.append((indent, key[3]))
                found[*holder, key[3]] = " ".join(above)
        above = []
    return found


def only(rule: Rule, value: Any) -> dict[str, Any]:
    """Return a spec that has only one rule, which warns."""
    first, *rest = rule
    if first == "rules":
        return {"rules": {rest[0]: "warn"}}
    if first == "expressions":
        return {"expressions": [value]}
    for step in reversed(rest):
        value = {step: value}
    return {"limits": value}


def measured(file: Path) -> dict[str, Any]:
    """Count the objects and repositories that each rule, and each policy, reports."""
    specs = {policy: yaml.safe_load(source(policy))["spec"] for policy in POLICIES}
    names = {
        f"{policy}-{number}": (policy, ".".join(map(str, rule)), only(rule, value))
        for policy, spec in specs.items()
        for number, (rule, value) in enumerate(rules(spec))
    }
    documents = [
        {
            "apiVersion": "jobsworth.dev/v1alpha1",
            "kind": "JobPolicy",
            "metadata": {"name": name},
            "spec": {**spec, "enforcement": "warn", "exempt": specs[policy]["exempt"]},
        }
        for name, (policy, _, spec) in names.items()
    ]
    server = ApiServer(RELEASE, allow_privileged=True)
    evaluator = Evaluator(server, policies=read(documents))
    with lzma.open(file, "rt", encoding="utf-8") as opened:
        lines = [json.loads(line) for line in opened]
    reported: dict[str, set[int]] = {}
    evaluated = 0
    for number, line in enumerate(lines):
        try:
            request = evaluator.policy_request(Subject(line["object"]))
        except (CannotDecode, UnknownKind):
            continue
        evaluated += 1
        for finding in evaluator.apply(request).verdict.findings:
            policy, rule, _ = names[finding.policy]
            for key in (policy, f"{policy} {rule}"):
                reported.setdefault(key, set()).add(number)
    keys = [*POLICIES, *(f"{policy} {rule}" for policy, rule, _ in names.values())]
    return {
        "objects": len(lines),
        "repositories": len({line["repo"] for line in lines}),
        "accepted": sum(line["code"] == 201 for line in lines),
        "evaluated": evaluated,
        "reported": {
            key: [
                len(reported.get(key, ())),
                len({lines[number]["repo"] for number in reported.get(key, ())}),
            ]
            for key in keys
        },
    }


def label(rule: Rule, value: Any) -> str:
    """Return a rule as the page names it."""
    if rule[0] == "rules":
        (entry,) = (each for each in CATALOGUE.values() if each.name == rule[1])
        return f"[{entry.code} {entry.name}](rules/{entry.code}-{entry.name}.md)"
    if rule[0] == "expressions":
        return f"`expressions[{rule[1]}]`"
    bounds = {key: each for key, each in value.items() if key != "message"}
    shown = json.dumps(bounds).replace('"', "").strip("{}")
    return f"`{'.'.join(map(str, rule))}`: {shown}"


def table(policy: str, figures: dict[str, Any]) -> str:
    """Return the table of a policy's rules."""
    text = source(policy)
    above = comments(text)
    lines = [
        "| rule | reason | not reported | effect | objects | repositories |",
        "| --- | --- | --- | --- | --: | --: |",
    ]
    for rule, value in rules(yaml.safe_load(text)["spec"]):
        reason, found, exceptions = above[rule].partition(EXCEPTIONS)
        if not found or not reason:
            raise ValueError(f"{policy}.yaml: {rule}: write a reason, then {EXCEPTIONS}")
        effect = value if rule[0] == "rules" else "deny"
        objects, repositories = figures["reported"][f"{policy} {'.'.join(map(str, rule))}"]
        prose = [each.strip()[0].upper() + each.strip()[1:] for each in (reason, exceptions)]
        cells = [label(rule, value), *prose, effect, f"{objects:,}", str(repositories)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def summary(figures: dict[str, Any]) -> str:
    """Return the paragraph about the measured objects."""

    def share(policy: str) -> str:
        objects, repositories = figures["reported"][policy]
        part = objects / figures["objects"]
        return f"{objects:,} objects ({part:.0%}) in {repositories} repositories"

    objects, repositories = figures["objects"], figures["repositories"]
    left_out = objects - figures["evaluated"]
    return f"""\
Measured on {objects:,} Jobs and CronJobs from {repositories} public repositories on GitHub, many of them
test data or tutorials. kube-apiserver {RELEASE} accepts {figures["accepted"]:,}; the others are evaluated
as well, except {left_out}, most of them of `batch/v1beta1`. baseline reports {share("baseline")},
the rules of strict alone {share("strict")}."""


def page(text: str, figures: dict[str, Any]) -> str:
    """Return the page with the current figures and tables."""
    parts = {"figures": summary(figures)}
    parts |= {policy: table(policy, figures) for policy in POLICIES}
    for name, part in parts.items():
        begin, end = f"<!-- {name}: docs/profiles.py writes it -->\n", f"\n<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{part}{end}{rest.partition(end)[2]}"
    return text


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        FIGURES.write_text(json.dumps(measured(Path(argument)), indent=1) + "\n", encoding="utf-8")
    current = json.loads(FIGURES.read_text(encoding="utf-8"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), current), encoding="utf-8")
