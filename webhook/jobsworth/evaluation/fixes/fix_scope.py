"""The scope of fixes: only manifests that a client applies.

Other documents look like Jobs but are not applied as they are: kuttl and Chainsaw compare an assertion
with the state of the cluster, so it needs its status; tests read test data byte by byte; a kustomize patch
contains only changes. A fix would break the test, or add to the patch fields that belong in its base.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Fix
from jobsworth.record import Record

ASSERTION = "its name marks it as an assertion of kuttl or Chainsaw"
CHAINSAW = "it belongs to the Chainsaw test beside it"
HELM_VALUES = "its name marks it as the values of a Helm chart"
PATCH = "it is a patch: it has {directive}"
FRAGMENT = "it is an incomplete manifest, without {lack}"
TEST_DATA = "it is test data in {folder}/"

CHAINSAW_TESTS = ("chainsaw-test.yaml", "chainsaw-test.yml")
"""A Chainsaw test names the files in its folder that it applies or asserts; their names are arbitrary."""

_ASSERTION_WORDS = ("assert", "asserts", "assertion", "assertions")
_ERRORS = ("error", "errors")
"""kuttl reads a file as an error assertion if its name has ``errors`` after the number (pkg/test/step.go);
``chainsaw migrate kuttl tests`` writes ``chainsaw-step-01-error-1.yaml``."""

_TEST_FOLDERS = ("tests", "testdata", "fixtures", ".chainsaw-test", ".kyverno-test")
"""Folders of tests and their data. ``test`` is not one of them: next to ``prod`` it is an environment."""
_MAVEN_TEST_FOLDER = ("test", "resources")

PATCH_DIRECTIVES = ("$patch", "$retainKeys", "$deleteFromPrimitiveList", "$setElementOrder")
"""Prefixes of the keys that identify a strategic merge patch (apimachinery, strategicpatch/patch.go)."""

_ABOUT_APPLYING = ("JW216",)
"""Lint rules on how the API server treats a manifest; false positives where nothing is applied."""

_ABOUT_IDENTITY = ("JW320",)
"""Rules on apiVersion and kind, keys that a patch needs, too: renaming one is right in it."""


class ScopedFindings(Record):
    """The findings of a document, with only the fixes that are allowed in it.

    Attributes:
        findings: in the same order, without those that hold only for manifests.
        withheld: the fixes that were removed from findings.
        reason: the reason for that; empty if no fix was withheld.
    """

    findings: list[Finding]
    withheld: Sequence[Fix] = ()
    reason: str = ""


def in_scope(
    findings: Iterable[Finding],
    value: Any,
    file: str,
    beside: Iterable[str] = (),
    others: Iterable[Finding] = (),
) -> ScopedFindings:
    """Withhold the fixes of a document that no client applies.

    A fragment may be a manifest with a typo, such as ``Image`` for ``image``: a fix that completes it is
    kept, and with a safe one also the others. So is one that renames the keys of apiVersion and kind.

    Args:
        findings: the findings of the document.
        value: the object.
        file: the file's path from the root of its project.
        beside: the names of other files in its folder, if known.
        others: findings of the same document that are not returned.
    """
    findings = list(findings)
    parts = file.replace("\\", "/").split("/")
    foreign = _by_name(parts[-1]) or _by_directive(value)
    lack = "" if foreign else missing_part(value)
    if lack and any(
        each.fix is not None and each.fix.safe and _completes(each.fix, value)
        for each in (*findings, *others)
    ):
        lack = ""
    reason = foreign or _by_folder(parts[:-1], beside)
    found = [
        finding
        for finding in findings
        if not (reason or lack) or finding.code not in _ABOUT_APPLYING
    ]
    if not (reason or lack):
        return ScopedFindings(found)
    withheld = []
    for index, finding in enumerate(found):
        if finding.fix is None:
            continue
        if reason or not (_renames_keys(finding) or _completes(finding.fix, value)):
            found[index] = finding.with_fix(None)
            withheld.append(finding.fix)
    return ScopedFindings(
        found, withheld, (reason or FRAGMENT.format(lack=lack)) if withheld else ""
    )


def not_applied(value: Any, file: str) -> str:
    """Return the reason why no client applies a document, by its file and its directives; empty if one may.

    Args:
        value: the object.
        file: the file's path from the root of its project.
    """
    parts = file.replace("\\", "/").split("/")
    return _by_name(parts[-1]) or _by_directive(value) or _by_folder(parts[:-1], ())


def are_helm_values(file: str) -> bool:
    """Return True for a file whose name marks it as the values of a Helm chart."""
    return _by_name(file.replace("\\", "/").rpartition("/")[2]) == HELM_VALUES


def missing_part(value: Any) -> str:
    """Return the path of the first required part that an object lacks; empty for a complete one.

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


def _renames_keys(finding: Finding) -> bool:
    return (
        finding.code in _ABOUT_IDENTITY
        and finding.fix is not None
        and all(edit.action == "rename" for edit in finding.fix.edits)
    )


def _completes(fix: Fix, value: Any) -> bool:
    from jobsworth.findings.edits import (
        CannotEdit,
        edited,
    )  # imported only for an incomplete document

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
    parts = [value]
    for part in parts:  # which grows
        if type(part) is dict:
            for key in part:
                if "$" in key and key.startswith(PATCH_DIRECTIVES):
                    return PATCH.format(directive=key)
            parts += part.values()
        elif type(part) is list:
            parts += part
    return ""


def _by_folder(folders: list[str], beside: Iterable[str]) -> str:
    for index, folder in enumerate(folders):
        if folder in _TEST_FOLDERS:
            return TEST_DATA.format(folder=folder)
        if tuple(folders[index : index + 2]) == _MAVEN_TEST_FOLDER:
            return TEST_DATA.format(folder="/".join(_MAVEN_TEST_FOLDER))
    return CHAINSAW if any(name in CHAINSAW_TESTS for name in beside) else ""
