"""Test cases of policies: a manifest, the request's user and namespace, and the expected outcome."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer, UnknownRelease
from jobsworth.controller.times import read_time
from jobsworth.files.policies.policy_files import (
    TEST_FILE_ENDS,
    TEST_KIND,
    BadPolicies,
    PolicyFileError,
)
from jobsworth.files.repository_root import is_within, manifests_in, root_around
from jobsworth.findings.near_names import did_you_mean
from jobsworth.manifests import ManifestError, read_file
from jobsworth.policy.enforcement import SEVERITIES
from jobsworth.policy.job_policy import API_VERSION
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from jobsworth.manifests import Document

VERDICTS = ("allow", "deny")

_SPEC_KEYS = ("policies", "kubernetesVersion", "cases")
_CASE_KEYS = ("name", "manifest", "oldManifest", "request", "expect")
_REQUEST_KEYS = ("user", "groups", "namespace", "namespaceLabels", "time")
_EXPECT_KEYS = ("verdict", *SEVERITIES, "patch")
_FINDING_KEYS = ("code", "field", "message", "policy")


@dataclass(frozen=True, slots=True)
class Case:
    """A test case.

    Attributes:
        name: a sentence that describes the case.
        line: its line in the file.
        manifest: the manifest in the request.
        old: the object to update; None for a create.
        request: the user, groups, namespace and time of the request.
        expect: the expected outcome.
    """

    name: str
    line: int
    manifest: Any
    old: Any
    request: Mapping[str, Any]
    expect: Mapping[str, Any]


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
        if len(found) == before and not errors:
            raise UsageError(
                f"{path}: no test cases; write JobPolicyTest documents in files *_test.yaml"
            )
    if errors:
        raise BadPolicies(errors, "the test cases are invalid")
    return found


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
            try:
                found.append(_case_file(document, value))
            except _BadCase as bad:
                place = document.position(bad.field)
                errors.append(
                    PolicyFileError(path, place.line, place.column, bad.field, bad.message)
                )
    return found


def _case_file(document: Document, value: dict[str, Any]) -> CaseFile:
    if value.get("apiVersion") != API_VERSION:
        raise _BadCase("apiVersion", f"must be {API_VERSION}")
    spec = _mapping(value.get("spec"), "spec", _SPEC_KEYS)
    folder = os.path.dirname(document.file)
    paths = spec.get("policies", [])
    if not isinstance(paths, list) or not all(isinstance(path, str) for path in paths):
        raise _BadCase("spec.policies", "must be a list of files and folders")
    for index, path in enumerate(paths):
        _check_is_within(os.path.join(folder, path), document.file, f"spec.policies[{index}]")
    cases = spec.get("cases")
    if not isinstance(cases, list) or not cases:
        raise _BadCase("spec.cases", "must be a list of cases, at least one")
    return CaseFile(
        document.file,
        tuple(os.path.join(folder, path) for path in paths) or _beside(document.file),
        _release(spec.get("kubernetesVersion")),
        tuple(_case(document, case, f"spec.cases[{index}]") for index, case in enumerate(cases)),
    )


def _beside(file: str) -> tuple[str, ...]:
    """Return the default policies of a test file: the policy file of the same name, or all in its folder."""
    for end in TEST_FILE_ENDS:
        if file.endswith(end):
            policy = file.removesuffix(end) + end.removeprefix("_test")
            if os.path.isfile(policy):
                return (policy,)
    return (os.path.dirname(file) or os.curdir,)


def _release(value: Any) -> str | None:
    if value is None:
        return None
    try:
        return ApiServer(value if isinstance(value, str) else "").release
    except UnknownRelease as error:
        raise _BadCase("spec.kubernetesVersion", f'{error} (write it in quotes: "1.36")') from None


def _case(document: Document, value: Any, at_field: str) -> Case:
    case = _mapping(value, at_field, _CASE_KEYS)
    name = case.get("name")
    if not isinstance(name, str) or not name:
        raise _BadCase(f"{at_field}.name", "must be a sentence that describes the case")
    if "manifest" not in case:
        raise _BadCase(f"{at_field}.manifest", "must be a manifest, or the name of a file with one")
    old = case.get("oldManifest")
    return Case(
        name,
        document.position(at_field).line,
        _manifest(case["manifest"], f"{at_field}.manifest", document.file),
        None if old is None else _manifest(old, f"{at_field}.oldManifest", document.file),
        _request(case.get("request", {}), f"{at_field}.request"),
        _expect(case.get("expect"), f"{at_field}.expect"),
    )


def _check_is_within(path: str, case_file: str, field: str) -> None:
    root = root_around(case_file)
    if root is not None and not is_within(path, root):
        raise _BadCase(field, "must be in the repository of this file")


def _manifest(value: Any, field: str, case_file: str) -> Any:
    if isinstance(value, dict):
        return value
    if not isinstance(value, str):
        raise _BadCase(field, "must be a manifest, or the name of a file with one")
    path = os.path.join(os.path.dirname(case_file), value)
    _check_is_within(path, case_file, field)
    documents = read_file(path)
    error = next((one.error for one in documents if one.error is not None), None)
    if isinstance(error, ManifestError):
        raise _BadCase(field, str(error))
    if len(documents) != 1:
        raise _BadCase(field, f"{value} must have one manifest, got {len(documents)}")
    return documents[0].value


def _request(value: Any, field: str) -> Mapping[str, Any]:
    request = _mapping(value, field, _REQUEST_KEYS)
    for key in ("user", "namespace"):
        if not isinstance(request.get(key, ""), str):
            raise _BadCase(f"{field}.{key}", "must be a name")
    groups = request.get("groups", [])
    if not isinstance(groups, list) or not all(isinstance(group, str) for group in groups):
        raise _BadCase(f"{field}.groups", "must be a list of names")
    labels = request.get("namespaceLabels", {})
    if not isinstance(labels, dict) or not all(isinstance(part, str) for part in labels.values()):
        raise _BadCase(f"{field}.namespaceLabels", "must be a mapping from label keys to strings")
    if "time" in request and read_time(request["time"]) is None:
        raise _BadCase(f"{field}.time", 'must be a time in quotes, such as "2027-03-27T01:30:00Z"')
    return request


def _expect(value: Any, field: str) -> Mapping[str, Any]:
    if value in VERDICTS:
        return {"verdict": value}
    expect = _mapping(value, field, _EXPECT_KEYS)
    verdict = expect.get("verdict", "deny" if expect.get("deny") else "allow")
    if verdict not in VERDICTS or (verdict == "allow" and expect.get("deny")):
        raise _BadCase(
            f"{field}.verdict", "must be allow or deny; must be deny if denials are listed"
        )
    lists: dict[str, list[Mapping[str, str]]] = {
        key: [
            _expected_finding(item, f"{field}.{key}[{index}]")
            for index, item in enumerate(_list(expect[key], f"{field}.{key}"))
        ]
        for key in SEVERITIES
        if key in expect
    }
    patch = expect.get("patch")
    if patch is not None and not isinstance(patch, dict):
        raise _BadCase(f"{field}.patch", "must be a mapping from field paths to expected values")
    return {**expect, "verdict": verdict, **lists}


def _list(value: Any, field: str) -> list[Any]:
    if not isinstance(value, list):
        raise _BadCase(
            field,
            "must be a list of expected findings: part of the message, or a mapping "
            f"with {', '.join(_FINDING_KEYS)}",
        )
    return value


def _expected_finding(value: Any, field: str) -> Mapping[str, str]:
    if isinstance(value, str):
        return {"message": value}
    expected = _mapping(value, field, _FINDING_KEYS)
    for key, part in expected.items():
        if not isinstance(part, str):
            raise _BadCase(f"{field}.{key}", "must be a string")
    return expected


def _mapping(value: Any, field: str, known: Sequence[str]) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _BadCase(field, f"must be a mapping with {', '.join(known)}")
    for key in value:
        if key not in known:
            hint = did_you_mean(str(key), known) or f"valid are {', '.join(known)}"
            raise _BadCase(f"{field}.{key}", f"unknown field: {hint}")
    return value
