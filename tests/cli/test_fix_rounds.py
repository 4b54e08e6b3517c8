"""Fixes that are tried together: those that fail are reverted, and the others stay."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.files.fixing import autofix_loop
from jobsworth.files.fixing.autofix_loop import FixedFile, autofix
from jobsworth.files.steps import Steps
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import VALID, Result
from jobsworth.manifests import read_text

BREAKS, REMAINS = 12, 20
"""An even number whose fix brings an error, and one whose fix does not help."""


class NoEvenNumbers:
    """Evaluates a file as if even numbers were findings; each has a fix, the next number."""

    def __init__(self) -> None:
        self.rounds = 0

    def name(self, path: str) -> str:
        return path

    def text_in_steps(self, path: str, data: bytes) -> Steps[list[Result]]:
        self.rounds += 1
        results = []
        for document in read_text(data, path):
            findings: list[LocatedFinding] = []
            value: Any = document.value
            for index, number in enumerate(value["numbers"]):
                found = self._finding(f"numbers[{index}]", number)
                if found is not None:
                    findings.append(LocatedFinding(found, index))
            results.append(
                Result(
                    file=path,
                    document=document.index,
                    item=document.item,
                    status=VALID,
                    findings=findings,
                )
            )
            yield
        return results

    def _finding(self, field: str, number: int) -> Finding | None:
        if number == BREAKS + 1:
            return finding("error", field, "unlucky")
        if number % 2:
            return None
        better = number + (2 if number == REMAINS else 1)
        fix = Fix("Add one", Edit("set", field, better), safe=True)
        return finding("warning", field, "even").with_fix(fix)


def finding(severity: Any, field: str, message: str) -> Finding:
    return Finding(
        source="lint", severity=severity, code=message, field=field, reason=message, message=message
    )


def document(numbers: list[int]) -> str:
    return "kind: Numbers\nnumbers:\n" + "".join(f"  - {number}  # a\n" for number in numbers)


def list_of(documents: list[list[int]]) -> str:
    items = (f"- {document(numbers)}".replace("\n", "\n  ")[:-2] for numbers in documents)
    return f"apiVersion: v1\nkind: List\nitems:\n{''.join(items)}"


def fixed(text: str) -> tuple[FixedFile, int]:
    evaluator: Any = NoEvenNumbers()
    return autofix(evaluator, "numbers.yaml", text.encode(), unsafe=False), evaluator.rounds


def wanted(numbers: list[int]) -> list[int]:
    return [
        number if number % 2 or number in (BREAKS, REMAINS) else number + 1 for number in numbers
    ]


def changes(before: list[int], after: list[int]) -> int:
    return sum(one != other for one, other in zip(before, after, strict=True))


numbers = st.lists(st.sampled_from((1, 2, 4, 6, BREAKS, REMAINS)), min_size=1, max_size=6)


@given(st.lists(numbers, min_size=1, max_size=3))
def test_only_the_fixes_that_fail_are_reverted(objects: list[list[int]]) -> None:
    apart, together = "---\n".join(map(document, objects)), list_of(objects)
    after = list(map(wanted, objects))
    for text, goal in ((apart, "---\n".join(map(document, after))), (together, list_of(after))):
        done, _ = fixed(text)
        assert done.data.decode() == goal
        reasons = [attempt.reason for result in done.results for attempt in result.attempts]
        assert reasons.count("") == sum(map(changes, objects, after))
        assert all(
            reason in ("", "the finding would remain") or reason.startswith("it would cause")
            for reason in reasons
        )


def test_one_fix_that_fails_costs_a_number_of_rounds_for_the_logarithm_of_the_others() -> None:
    many = [2] * 256
    many[100] = BREAKS
    done, rounds = fixed(document(many))
    assert done.data.decode() == document(wanted(many))
    assert rounds < 40


def test_a_list_whose_items_share_an_anchor_is_fixed_one_change_at_a_time() -> None:
    text = (
        "apiVersion: v1\nkind: List\nitems:\n"
        "- kind: Numbers\n  numbers: &shared\n    - 2\n    - 4\n"
        "- kind: Numbers\n  numbers: *shared\n"
        "- kind: Numbers\n  numbers:\n    - 6\n"
    )
    done, _ = fixed(text)
    assert done.data.decode() == text.replace("- 6", "- 7")
    assert [len(result.attempts) for result in done.results] == [2, 2, 1]


@pytest.mark.slow
def test_objects_whose_fixes_fail_are_divided_at_the_same_time() -> None:
    one = [2, BREAKS, 4, REMAINS, 6]
    few, many = (fixed(list_of([one] * count)) for count in (2, 50))
    assert many[0].data.decode() == list_of([wanted(one)] * 50)
    assert few[1] == many[1]


def test_what_has_succeeded_stays_when_the_rounds_run_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autofix_loop, "MAX_ROUNDS", 4)
    numbers = [2, 4, BREAKS, 6]
    done, _ = fixed(document(numbers))
    (result,) = done.results
    (value,) = (each.value for each in read_text(done.data, "numbers.yaml"))
    after: Any = value
    made = changes(numbers, after["numbers"])
    assert 0 < made < 3
    assert [attempt.reason for attempt in result.attempts].count("") == made
    assert autofix_loop.STOPPED in [attempt.reason for attempt in result.attempts]
    assert not any(located.finding.severity == "error" for located in result.findings)
