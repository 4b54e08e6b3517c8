"""Run test cases of policies and compare the outcome with the expected one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.controller.times import read_time
from jobsworth.documents.declared import json_value
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.policy_result import PolicyResult
from jobsworth.evaluation.subject import Subject
from jobsworth.files.policies.policy_cases import Case
from jobsworth.findings.edits import at, locate
from jobsworth.findings.finding import Finding
from jobsworth.policy.case_document import ExpectedFindings
from jobsworth.policy.enforcement import SEVERITIES
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.violation import Effect
from jobsworth.printable import printable
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for
from jobsworth.wording import in_json

_NOTHING = object()


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """The outcome of a test case.

    Attributes:
        file: the file of the case.
        case: the case.
        failures: differences from the expected outcome, a few lines each; empty if the case passed.
    """

    file: str
    case: Case
    failures: tuple[str, ...]


def run_case(file: str, case: Case, policies: PolicySet, server: ApiServer) -> CaseOutcome:
    """Evaluate the manifest of a case with the policies, and compare the outcome."""
    return CaseOutcome(file, case, tuple(_failures(case, policies, server)))


def _failures(case: Case, policies: PolicySet, server: ApiServer) -> Iterator[str]:
    request = case.request
    subject = Subject(
        case.manifest,
        old=case.old,
        namespace=request.namespace or "",
        user=request.user,
        groups=tuple(request.groups or ()),
        namespace_labels=request.namespace_labels,
        now=read_time(request.time),
    )
    evaluator = Evaluator(server, policies=policies)
    try:
        sent = evaluator.policy_request(subject)
    except UnknownKind as error:
        yield printable(f"the manifest is {error}")
        return
    except CannotDecode as error:
        yield printable(f"the API server cannot decode the manifest: {error}")
        return
    if request.namespace:
        sent = replace(sent, namespace=request.namespace)
    result = evaluator.apply(sent)
    assert result.mutation is not None
    for finding in engine_for(server).validate(result.mutation.object, case.old):
        if finding.severity == "error":
            cause = printable(f"{finding.field}: {finding.message}")
            yield f"the API server rejects the manifest: {cause}"
    yield from _differences(case, result)


def _differences(case: Case, result: PolicyResult) -> Iterator[str]:
    expect = case.expect
    actual = "deny" if result.verdict.denied else "allow"
    if actual != case.verdict:
        yield f"verdict:\n- {case.verdict}\n+ {actual}{_finding_lines(result, 'deny')}"
    listed: dict[Effect, ExpectedFindings | None] = {
        "deny": expect.deny,
        "warn": expect.warn,
        "audit": expect.audit,
    }
    for effect, expected in listed.items():
        if expected is not None:
            yield from _unmatched(effect, expected, result)
    if expect.patch is not None:
        yield from _unpatched(expect.patch, result)


def _unmatched(effect: Effect, expected: ExpectedFindings, result: PolicyResult) -> Iterator[str]:
    found = _of_effect(result, effect)
    if not expected and found:
        yield f"{effect}:\n- nothing{_finding_lines(result, effect)}"
    for each in expected:
        one = {"message": each} if isinstance(each, str) else json_value(each)
        if not any(_matches(one, policy, finding) for policy, finding in found):
            found_lines = _finding_lines(result, effect) or "\n+ nothing"
            wanted = printable(", ".join(f"{key}: {part}" for key, part in one.items()))
            yield f"{effect}:\n- {wanted}{found_lines}"


def _of_effect(result: PolicyResult, effect: Effect) -> list[tuple[str, Finding]]:
    severity = SEVERITIES[effect]
    return [pair for pair in result.findings if pair[1].severity == severity]


def _matches(expected: Mapping[str, str], policy: str, finding: Finding) -> bool:
    tests: dict[str, Callable[[str], bool]] = {
        "code": lambda text: finding.code == text,
        "field": lambda text: finding.field == text,
        "message": lambda text: text in f"{finding.message} {finding.hint}",
        "policy": lambda text: policy == text,
    }
    return all(tests[key](text) for key, text in expected.items())


def _finding_lines(result: PolicyResult, effect: Effect) -> str:
    return "".join(
        "\n+ " + printable(f"{finding.code} {finding.field}: {finding.message}")
        for _, finding in _of_effect(result, effect)
    )


def _unpatched(expected: Mapping[str, Any], result: PolicyResult) -> Iterator[str]:
    mutation = result.mutation
    assert mutation is not None
    if not expected:
        for applied in mutation.applied:
            yield f"patch of {printable(applied.field)}:\n- nothing\n+ {_value_in_json(applied.after)}"
    for path, value in expected.items():
        place = locate(mutation.object, path)
        actual = _NOTHING if place.missing else at(mutation.object, place.steps)
        if actual != (_NOTHING if value is None else value):
            yield f"patch of {printable(path)}:\n- {_value_in_json(value)}\n+ {_value_in_json(actual)}"


def _value_in_json(value: Any) -> str:
    return printable(in_json(None if value is _NOTHING else value, "nothing"))
