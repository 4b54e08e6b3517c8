"""Test cases of policies: read, run, and compared with the expected outcome."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jobsworth.api.api_server import ApiServer, UnknownRelease
from jobsworth.api.declare import MapOf
from jobsworth.api.declared_types import field_at
from jobsworth.api.kinds import kind
from jobsworth.controller.times import read_time
from jobsworth.documents.declared import json_value, read_value
from jobsworth.documents.schema_errors import SchemaProblem
from jobsworth.documents.schema_errors import problems as problems_of
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.policy_result import PolicyResult
from jobsworth.evaluation.subject import Subject
from jobsworth.files.policies.policy_files import TEST_FILE_ENDS, BadPolicies, PolicyFileError
from jobsworth.files.repository_root import is_within, manifests_in, root_around
from jobsworth.findings.edits import Steps, at, locate
from jobsworth.findings.finding import Finding
from jobsworth.findings.near_names import did_you_mean
from jobsworth.manifests import Document, ManifestError, read_file
from jobsworth.policy.case_document import (
    PATTERNS,
    CaseRequest,
    Expect,
    ExpectedFindings,
    Manifest,
    PolicyCase,
    PolicyTestDocument,
    Verdict,
    case_schema,
)
from jobsworth.policy.document import KIND, TEST_KIND
from jobsworth.policy.enforcement import SEVERITIES
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.violation import EXPRESSION_UNKNOWN, Effect
from jobsworth.printable import printable
from jobsworth.regular_files import MAX_MANIFEST_BYTES, read_regular_file
from jobsworth.usage_error import UsageError
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for
from jobsworth.wording import in_json

_NOTHING = object()


@dataclass(frozen=True, slots=True)
class Case:
    """A test case.

    Attributes:
        name: a sentence that describes the case.
        line: its line in the file.
        manifest: the manifest in the request.
        old: the object to update; None for a create.
        request: the user, groups, namespace and time of the request.
        verdict: the expected verdict.
        expect: the expected details.
    """

    name: str
    line: int
    manifest: Any
    old: Any
    request: CaseRequest
    verdict: Verdict
    expect: Expect


@dataclass(frozen=True, slots=True)
class CaseFile:
    """The test cases of one document.

    Attributes:
        file: its name.
        policies: the files and folders of the policies to test.
        release: the Kubernetes release; None for that of the command line.
        cases: in document order.
    """

    file: str
    policies: tuple[str, ...]
    release: str | None
    cases: tuple[Case, ...]


class _BadCase(Exception):
    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


def is_case_file(path: str) -> bool:
    """Return True if a file's name is that of test cases."""
    return path.endswith(TEST_FILE_ENDS)


def read_case_files(paths: Sequence[str]) -> list[CaseFile]:
    """Read the test cases in some files and folders; in a folder, those of files *_test.yaml.

    Raises:
        UsageError: a path cannot be read, or has no test cases.
        BadPolicies: a test case is invalid.
    """
    errors: list[PolicyFileError] = []
    found: list[CaseFile] = []
    for path in paths:
        before = len(found)
        for file in manifests_in([path]):
            if isinstance(file, ManifestError):
                raise UsageError(str(file))
            if is_case_file(file) or not os.path.isdir(path):
                found.extend(read_cases(file, errors))
            else:
                errors += _misnamed(file)
        if len(found) == before and not errors:
            raise UsageError(
                f"{path}: no test cases; write JobPolicyTest documents in files *_test.yaml"
            )
    if errors:
        raise BadPolicies(errors, "the test cases are invalid")
    return found


def _misnamed(path: str) -> Iterator[PolicyFileError]:
    """Yield the test cases in a file of a folder whose name is not that of test cases."""
    try:
        if TEST_KIND.encode() not in read_regular_file(path, MAX_MANIFEST_BYTES):
            return
    except OSError:
        return
    for document in read_file(path):
        if isinstance(document.value, dict) and document.value.get("kind") == TEST_KIND:
            place = document.position("kind")
            message = "must be in a file *_test.yaml, or its cases are not run: rename the file"
            yield PolicyFileError(path, place.line, place.column, "kind", message)


def read_cases(path: str, errors: list[PolicyFileError]) -> list[CaseFile]:
    """Read the test cases in a file.

    Args:
        path: of the file.
        errors: errors are appended to it.
    """
    found = []
    for document in read_file(path):
        error = document.error
        value = document.value
        if error is not None:
            errors.append(PolicyFileError(error.file, error.line, error.column, "", error.message))
        elif isinstance(value, dict) and value.get("kind") == TEST_KIND:
            problems = list(_problems(value))
            try:
                found += [] if problems else [_case_file(document, value)]
            except _BadCase as bad:
                problems = [SchemaProblem(bad.field, bad.message)]
            for problem in problems:
                place = document.position(problem.field)
                errors.append(
                    PolicyFileError(path, place.line, place.column, problem.field, problem.text)
                )
        elif isinstance(value, dict) and value.get("kind") != KIND:
            hint = did_you_mean(str(value.get("kind")), (TEST_KIND,))
            if hint:
                place = document.position("kind")
                message = f"must be {TEST_KIND} ({hint})"
                errors.append(PolicyFileError(path, place.line, place.column, "kind", message))
    return found


def _problems(value: dict[str, Any]) -> Iterator[SchemaProblem]:
    """Yield the problems of a document that its own fields show."""
    found = list(problems_of(value, case_schema(), PATTERNS))
    yield from found
    if found:
        return
    names: set[str] = set()
    for index, case in enumerate(read_value(PolicyTestDocument, value).spec.cases):
        field = f"spec.cases[{index}]"
        expect = case.expect
        if case.name in names:
            yield SchemaProblem(f"{field}.name", "must not be the name of another case")
        names.add(case.name)
        if expect == Expect():
            yield SchemaProblem(f"{field}.expect", "must not be empty: write allow, or details")
        if isinstance(expect, Expect) and expect.verdict == "allow" and expect.deny:
            yield SchemaProblem(f"{field}.expect.verdict", "must be deny if denials are listed")
        time = None if case.request is None else case.request.time
        if time is not None and read_time(time) is None:
            yield SchemaProblem(
                f"{field}.request.time",
                'must be a time in quotes, such as "2027-03-27T01:30:00Z"',
            )


def _case_file(document: Document, value: dict[str, Any]) -> CaseFile:
    spec = read_value(PolicyTestDocument, value).spec
    folder = os.path.dirname(document.file)
    paths = spec.policies or ()
    for index, path in enumerate(paths):
        _check_is_within(os.path.join(folder, path), document.file, f"spec.policies[{index}]")
    return CaseFile(
        document.file,
        tuple(os.path.join(folder, path) for path in paths) or _beside(document.file),
        _release(spec.kubernetes_version),
        tuple(
            _case(document, case, f"spec.cases[{index}]") for index, case in enumerate(spec.cases)
        ),
    )


def _beside(file: str) -> tuple[str, ...]:
    """Return the default policies of a test file: the policy file of the same name, or all in its folder."""
    for end in TEST_FILE_ENDS:
        if file.endswith(end):
            policy = file.removesuffix(end) + end.removeprefix("_test")
            if os.path.isfile(policy):
                return (policy,)
    return (os.path.dirname(file) or os.curdir,)


def _release(version: str | None) -> str | None:
    try:
        return None if version is None else ApiServer(version).release
    except UnknownRelease as error:
        raise _BadCase("spec.kubernetesVersion", str(error)) from None


def _case(document: Document, case: PolicyCase, field: str) -> Case:
    old = case.old_manifest
    manifest = _manifest(case.manifest, f"{field}.manifest", document.file)
    request = case.request or CaseRequest()
    written = Subject(manifest).object_namespace
    if request.namespace and written and request.namespace != written:
        # "the namespace of the provided object does not match the namespace sent on the request"
        raise _BadCase(
            f"{field}.request.namespace",
            f"must be {written}, the namespace in the manifest: an API server rejects any other",
        )
    expect = Expect() if isinstance(case.expect, str) else case.expect
    verdict: Any = case.expect if isinstance(case.expect, str) else expect.verdict
    return Case(
        name=case.name,
        line=document.position(field).line,
        manifest=manifest,
        old=None if old is None else _manifest(old, f"{field}.oldManifest", document.file),
        request=request,
        verdict=verdict or ("deny" if expect.deny else "allow"),
        expect=expect,
    )


def _check_is_within(path: str, case_file: str, field: str) -> None:
    root = root_around(case_file)
    if root is not None and not is_within(path, root):
        raise _BadCase(field, "must be in the repository of this file")


def _manifest(value: Manifest, field: str, case_file: str) -> Any:
    if isinstance(value, dict):
        return value
    path = os.path.join(os.path.dirname(case_file), value)
    _check_is_within(path, case_file, field)
    documents = read_file(path)
    error = next((one.error for one in documents if one.error is not None), None)
    if isinstance(error, ManifestError):
        raise _BadCase(field, str(error))
    if len(documents) != 1:
        raise _BadCase(field, f"{value} must have one manifest, got {len(documents)}")
    return documents[0].value


@dataclass(frozen=True, slots=True)
class CaseOutcome:
    """The outcome of a test case.

    Attributes:
        file: the file of the case.
        case: the case.
        failures: differences from the expected outcome, a few lines each; empty if the case passed.
        unmatched: the reasons why no policy matches the request; empty if one applies or exempts it.
    """

    file: str
    case: Case
    failures: tuple[str, ...]
    unmatched: tuple[str, ...] = ()


def run_case(file: str, case: Case, policies: PolicySet, server: ApiServer) -> CaseOutcome:
    """Evaluate the manifest of a case with the policies, and compare the outcome."""
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
        return CaseOutcome(file, case, (printable(f"the manifest is {error}"),))
    except CannotDecode as error:
        message = printable(f"the API server cannot decode the manifest: {error}")
        return CaseOutcome(file, case, (message,))
    result = evaluator.apply(sent)
    decisions = result.decisions
    unmatched = tuple(f"{policy.name} {decision.because}" for policy, decision in decisions)
    if any(decision.applies or decision.exempt for _, decision in decisions):
        unmatched = ()
    return CaseOutcome(file, case, tuple(_failures(case, result, server)), unmatched)


def _failures(case: Case, result: PolicyResult, server: ApiServer) -> Iterator[str]:
    assert result.mutation is not None
    for finding in engine_for(server).validate(result.mutation.object, case.old):
        if finding.severity == "error":
            cause = printable(f"{finding.field}: {finding.message}")
            yield f"the API server rejects the manifest: {cause}"
    for enforced in result.verdict.findings:
        if enforced.violation.code == EXPRESSION_UNKNOWN and not result.verdict.denied:
            yield printable(f"{enforced.text} (set request.user)")
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
        if (
            value is None
            and place.missing
            and not _is_declared(mutation.object, (*place.steps, *place.missing))
        ):
            yield f"patch of {printable(path)}: the {mutation.object['kind']} has no such field"
            continue
        actual = _NOTHING if place.missing else at(mutation.object, place.steps)
        if actual != (_NOTHING if value is None else value):
            yield f"patch of {printable(path)}:\n- {_value_in_json(value)}\n+ {_value_in_json(actual)}"


def _is_declared(value: Mapping[str, Any], steps: Steps) -> bool:
    """Return True if an object of the kind of this one may have a part."""
    root = kind(value["apiVersion"], value["kind"])
    assert root is not None
    for end in range(1, len(steps) + 1):
        if field_at(root, steps[:end]) is None:
            above = field_at(root, steps[: end - 1])
            return above is not None and isinstance(above[1].type, MapOf)
    return True


def _value_in_json(value: Any) -> str:
    return printable(in_json(None if value is _NOTHING else value, "nothing"))
