"""``mutate.patchStrategicMerge`` of Kyverno as defaults of a JobPolicy."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from jobsworth.policy.kyverno.untranslatable import LeftPart, Untranslatable

_ANCHOR = re.compile(r"(?P<sign>\+?)\((?P<key>.+)\)")
_JOB_FIELDS = (
    "activeDeadlineSeconds", "backoffLimit", "backoffLimitPerIndex", "managedBy", "maxFailedIndexes",
    "podReplacementPolicy", "suspend", "ttlSecondsAfterFinished",
)  # fmt: skip
_POD_FIELDS = (
    "automountServiceAccountToken", "priorityClassName", "runtimeClassName", "schedulerName",
    "serviceAccountName", "terminationGracePeriodSeconds",
)  # fmt: skip
_POD_PARTS = ("affinity", "securityContext", "tolerations")
_BY_KEY = ("annotations", "labels", "nodeSelector")
_OF_CONTAINERS = ("env", "resources", "securityContext")

_CONDITION = re.compile(r"(?P<sign>[<=^X]?)\((?P<key>.+)\)")

Defaults = dict[str, Any]


def defaults_of(patch: Any, root: str, path: str) -> tuple[Defaults, list[LeftPart]]:
    """Return the defaults for a patch, and what of it has no translation.

    Args:
        patch: the patch of a Pod, Job or CronJob.
        root: which of these.
        path: the field path of the patch in the policy.

    Raises:
        Untranslatable: the patch has a condition, or another shape than an object.
    """
    if _has_condition(patch):
        raise Untranslatable("it mutates under a condition, and defaults have none")
    left: list[LeftPart] = []
    if root == "Pod":
        pod = dict(_of_pod(patch, path, left))
        return ({"pod": pod} if pod else {}), left
    if root == "CronJob":
        spec = patch.get("spec") if isinstance(patch, Mapping) else None
        if not isinstance(spec, Mapping) or [*patch, *spec] != ["spec", "jobTemplate"]:
            return {}, [LeftPart(path, "it changes fields of CronJobs")]
        patch, path = spec["jobTemplate"], f"{path}.spec.jobTemplate"
    found: Defaults = {}
    for key, _, part, at in _members(patch, path):
        if key == "metadata":
            found.update(_metadata(part, at, left))
        elif key == "spec":
            for name, anchor, inner, below in _members(part, at):
                if name in _JOB_FIELDS:
                    found[name] = _default(inner, anchor)
                elif name == "template":
                    found["pod"] = dict(_of_pod(inner, below, left))
                else:
                    left.append(LeftPart(below, "a JobPolicy has no default for it"))
        else:
            left.append(LeftPart(at, "a JobPolicy has no default for it"))
    return {name: part for name, part in found.items() if part != {}}, left


def _has_condition(patch: Any) -> bool:
    """Return True for a patch with a conditional anchor, but for the name of a container."""
    if isinstance(patch, list):
        return any(map(_has_condition, patch))
    if not isinstance(patch, Mapping):
        return False
    anchors = (_CONDITION.fullmatch(str(key)) for key in patch)
    return any(each is not None and each.groups() != ("", "name") for each in anchors) or any(
        map(_has_condition, patch.values())
    )


def _of_pod(patch: Any, path: str, left: list[LeftPart]) -> Iterator[tuple[str, Any]]:
    for key, _, part, at in _members(patch, path):
        if key == "metadata":
            yield from _metadata(part, at, left).items()
        elif key == "spec":
            yield from _of_pod_spec(part, at, left)
        else:
            left.append(LeftPart(at, "a JobPolicy has no default for it"))


def _of_pod_spec(spec: Any, path: str, left: list[LeftPart]) -> Iterator[tuple[str, Any]]:
    for key, sign, part, at in _members(spec, path):
        try:
            if key in _POD_FIELDS or key in _POD_PARTS:
                yield key, _plain(part, sign)
            elif key in _BY_KEY:
                yield key, _by_key(part, sign)
            elif key in ("containers", "initContainers"):
                yield key, _of_containers(part, at, left)
            else:
                left.append(LeftPart(at, "a JobPolicy has no default for it"))
        except Untranslatable as error:
            left.append(LeftPart(at, str(error)))


def _of_containers(items: Any, path: str, left: list[LeftPart]) -> Defaults:
    found: Defaults = {}
    for item in items if isinstance(items, list) else ():
        names, parts = "*", {}
        for key, sign, part, at in _members(item, path):
            if key == "name":
                names = "*" if part in ("*", "?*") else str(part)
            elif key in _OF_CONTAINERS:
                parts[key] = _plain(part, sign)
            else:
                left.append(LeftPart(at, "a JobPolicy has no default for it"))
        if parts:
            found[names] = parts
    if not found:
        raise Untranslatable("a JobPolicy has no default for it")
    return found


def _metadata(metadata: Any, path: str, left: list[LeftPart]) -> Defaults:
    found: Defaults = {}
    for key, sign, part, at in _members(metadata, path):
        try:
            if key not in ("annotations", "labels"):
                raise Untranslatable("a JobPolicy has no default for it")
            found[key] = _by_key(part, sign)
        except Untranslatable as error:
            left.append(LeftPart(at, str(error)))
    return found


def _by_key(part: Any, sign: str) -> Defaults:
    return {key: _default(value, anchor or sign) for key, anchor, value, _ in _members(part, "")}


def _plain(part: Any, sign: str) -> Defaults:
    """Return the default of a value without anchors; with those that add, it stands for an unset one."""
    signs: set[str] = {sign}
    return _default(_bare(part, signs), "+" if "+" in signs else "")


def _bare(part: Any, signs: set[str]) -> Any:
    if isinstance(part, Mapping):
        made = {}
        for key, sign, value, _ in _members(part, ""):
            signs.add(sign)
            made[key] = _bare(value, signs)
        return made
    return [_bare(each, signs) for each in part] if isinstance(part, list) else part


def _default(value: Any, sign: str) -> Defaults:
    if "{{" in str(value):
        raise Untranslatable("its value has a variable")
    return {"value": value} if sign == "+" else {"value": value, "when": "always"}


def _members(value: Any, path: str) -> Iterator[tuple[str, str, Any, str]]:
    """Yield the key, the anchor (``+`` adds, ``?`` is a condition), the value and the path of each member."""
    if not isinstance(value, Mapping):
        raise Untranslatable("a part of it is not a map")
    for written, part in value.items():
        anchor = _ANCHOR.fullmatch(str(written))
        key = anchor["key"] if anchor else str(written)
        sign = "" if anchor is None else anchor["sign"] or "?"
        yield key, sign, part, f"{path}.{written}"
