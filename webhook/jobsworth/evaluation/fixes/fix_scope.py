"""The scope of fixes: manifests that are applied, and no other documents.

A fix says what is right for an object that a client sends to the API server. Other documents look
like Jobs and are none: kuttl and Chainsaw compare an assertion with what a cluster holds, so that
its status is its point; a program's tests read test data byte by byte; a patch of kustomize has only
what it changes. A fix would break the test, or write into the patch what belongs in its base.
"""

from __future__ import annotations

from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from jobsworth.findings.finding import Finding
    from jobsworth.findings.fix import Fix

ASSERTION = "it is an assertion of kuttl or Chainsaw by its name"
CHAINSAW = "it belongs to the Chainsaw test beside it"
HELM_VALUES = "it holds the values of a Helm chart by its name"
PATCH = "it is a patch: it has {directive}"
FRAGMENT = "it is a part of a manifest, without {lack}"
TEST_DATA = "it is test data: it stands in {folder}/"

CHAINSAW_TESTS = ("chainsaw-test.yaml", "chainsaw-test.yml")
"""A Chainsaw test names the files beside it that it applies and that it asserts, however they are called."""

_ASSERTION_WORDS = ("assert", "asserts", "assertion", "assertions")
_ERRORS = ("error", "errors")
"""kuttl takes a file for one when its name begins with ``errors`` behind the number (pkg/test/step.go);
``chainsaw migrate kuttl tests`` writes ``chainsaw-step-01-error-1.yaml``."""

_TEST_FOLDERS = ("tests", "testdata", "fixtures", ".chainsaw-test", ".kyverno-test")
"""Folders of tests and their data. ``test`` is none of them: beside ``prod`` it is an environment."""
_MAVEN_TEST_FOLDER = ("test", "resources")

_PATCH_DIRECTIVES = ("$patch", "$retainKeys", "$deleteFromPrimitiveList", "$setElementOrder")
"""Beginnings of the keys that tell a strategic merge patch (apimachinery, strategicpatch/patch.go)."""

_ABOUT_APPLYING = ("JW216",)
"""Lint rules about what the server does with a manifest, which are false where nothing is applied."""


class Scoped(Record):
    """Findings of a document, with those fixes only that may be made in it.

    Attributes:
        findings: in the same order, without those that are false of what is no manifest.
        withheld: the fixes that others of them had.
        reason: why those were withheld; empty where none was.
    """

    findings: list[Finding]
    withheld: Sequence[Fix] = ()
    reason: str = ""


def in_scope(
    findings: Iterable[Finding], value: Any, file: str, beside: Iterable[str] = ()
) -> Scoped:
    """Withhold the fixes of a document that is not a manifest to be applied.

    A fragment may be a manifest with a slip, such as ``Image`` for ``image``: a fix that makes it a
    whole one is kept.

    Args:
        findings: what was found in the document.
        value: the object.
        file: the file's path, as the user named it.
        beside: the names of other files in its folder, as far as they are known.
    """
    parts = file.replace("\\", "/").split("/")
    foreign = _by_name(parts[-1]) or _by_directive(value)
    lack = "" if foreign else missing_part(value)
    reason = foreign or _by_folder(parts[:-1], beside)
    found = [
        finding
        for finding in findings
        if not (foreign or lack) or finding.code not in _ABOUT_APPLYING
    ]
    if not (reason or lack):
        return Scoped(found)
    withheld = []
    for index, finding in enumerate(found):
        if finding.fix is not None and (reason or not _completes(finding.fix, value)):
            found[index] = finding.with_fix(None)
            withheld.append(finding.fix)
    return Scoped(found, withheld, (reason or FRAGMENT.format(lack=lack)) if withheld else "")


def missing_part(value: Any) -> str:
    """Name the first part that every Job or CronJob has and this object lacks; empty for a whole one.

    >>> missing_part({"kind": "Job", "spec": {"backoffLimit": 3}, "status": {"succeeded": 1}})
    'spec.template.spec.containers'
    >>> containers = [{"name": "main", "image": "busybox"}]
    >>> missing_part({"kind": "Job", "spec": {"template": {"spec": {"containers": containers}}}})
    ''
    """
    path: tuple[str, ...] = ("spec",)
    if _at(value, "kind") == "CronJob" or _at(value, "spec", "jobTemplate") is not None:
        if _at(value, "spec", "schedule") is None:
            return "spec.schedule"
        path = ("spec", "jobTemplate", "spec")
    path = (*path, "template", "spec")
    if not _at(value, *path, "containers"):
        return ".".join((*path, "containers"))
    for field in ("initContainers", "containers"):
        containers = _at(value, *path, field)
        for index, container in enumerate(containers if isinstance(containers, list) else ()):
            if _at(container, "image") is None:
                return ".".join((*path, f"{field}[{index}]", "image"))
    return ""


def _at(value: Any, *steps: str) -> Any:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def _completes(fix: Fix, value: Any) -> bool:
    from jobsworth.findings.edits import CannotEdit, edited  # most documents are whole

    try:
        return not missing_part(edited(value, *fix.edits))
    except CannotEdit:
        return False


def _by_name(name: str) -> str:
    words = name.lower().replace("_", "-").replace(".", "-").split("-")[:-1]
    if words and words[0].isdecimal():
        words = words[1:]
    if any(word in _ASSERTION_WORDS for word in words):
        return ASSERTION
    if words and words[0] == "chainsaw" and any(word in _ERRORS for word in words):
        return ASSERTION
    if words and words[0] == "errors":
        return ASSERTION
    return HELM_VALUES if words and words[0] == "values" else ""


def _by_directive(value: Any) -> str:
    if isinstance(value, dict):
        for key, part in value.items():
            if isinstance(key, str) and key.startswith(_PATCH_DIRECTIVES):
                return PATCH.format(directive=key)
            found = _by_directive(part)
            if found:
                return found
    elif isinstance(value, list):
        for item in value:
            found = _by_directive(item)
            if found:
                return found
    return ""


def _by_folder(folders: list[str], beside: Iterable[str]) -> str:
    for index, folder in enumerate(folders):
        if folder in _TEST_FOLDERS:
            return TEST_DATA.format(folder=folder)
        if tuple(folders[index : index + 2]) == _MAVEN_TEST_FOLDER:
            return TEST_DATA.format(folder="/".join(_MAVEN_TEST_FOLDER))
    return CHAINSAW if any(name in CHAINSAW_TESTS for name in beside) else ""
