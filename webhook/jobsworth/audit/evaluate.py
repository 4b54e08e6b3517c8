"""Objects that a cluster stores: judged as if somebody created them today.

A stored object has more in it than somebody wrote: a status, a UID, the selector and labels that the
server generated, every default. None of that is a fault of whoever wrote it, so it is taken off first.
"""

from __future__ import annotations

from jobsworth.api.batch.job import GENERATED_LABELS
from jobsworth.evaluation.ignores import from_annotation
from jobsworth.lint.linter import Linter
from jobsworth.lint.selection import Selection
from jobsworth.validation.codes import CODES
from jobsworth.validation.engine import CannotDecode, engine_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from jobsworth.api.server import ApiServer
    from jobsworth.findings.finding import Finding
    from jobsworth.policy.policy_set import PolicySet
    from jobsworth.validation.engine import Engine

    Said = tuple[str, Finding]
    """The name of a policy, empty where none speaks, and what is found."""

SERVER_METADATA = (
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "selfLink",
    "uid",
)
"""Metadata that the server writes, and takes from nobody."""

UNDECODABLE = (CODES["UnknownField"], CODES["FieldValueTypeInvalid"])
"""Where the server could not even decode the object, nothing else is asked."""

TERMINAL_CONDITIONS = ("Complete", "Failed")

_JOB_DEFAULTS = (
    "parallelism", "completions", "completionMode", "backoffLimit", "suspend", "manualSelector",
    "podReplacementPolicy",
)  # fmt: skip
_CRON_JOB_DEFAULTS = (
    "concurrencyPolicy", "suspend", "successfulJobsHistoryLimit", "failedJobsHistoryLimit",
)  # fmt: skip
_POD_DEFAULTS = ("terminationGracePeriodSeconds",)


class StoredJudge:
    """Says of stored Jobs and CronJobs what is wrong with them: the API, our rules, the policies.

    Args:
        server: whose verdict is asked: that of the cluster, or the one that it is to become.
        selection: which of our rules are asked, and how severe their findings are.
        policies: what the organisation demands; None for nothing.
        stored_by: the server that filled in defaults, where it is another.
    """

    __slots__ = ("_engine", "_linter", "_linters", "_policies", "_selection", "_storing")

    def __init__(
        self,
        server: ApiServer,
        selection: Selection,
        policies: PolicySet | None = None,
        stored_by: ApiServer | None = None,
    ) -> None:
        self._engine = engine_for(server)
        self._storing = engine_for(stored_by or server)
        self._selection = selection
        self._linter = Linter(selection.asks)
        self._linters: dict[frozenset[str], Linter] = {}
        self._policies = policies

    def judge(
        self, stored: dict[str, Any], namespace_labels: Mapping[str, str] | None = None
    ) -> list[Said]:
        """What is wrong with an object, if it were created today as it was written.

        Args:
            stored: the object as the server returns it, with ``apiVersion`` and ``kind``; not changed.
            namespace_labels: those of its namespace, for policies that choose by them; None where
                they are not known.

        Returns:
            What policies demand, what the API server would refuse, and what our rules say where no
            policy says the same of the same field.

        Raises:
            UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
        """
        manifest = creatable(stored)
        if self._engine is not self._storing:
            manifest = _as_written(manifest, self._storing)
        found = self._engine.validate(manifest)
        demanded: list[Said] = []
        if not any(finding.code in UNDECODABLE for finding in found):
            if self._engine is not self._storing:
                manifest = self._engine.default(manifest)
            found += self._lint(manifest)
            demanded = self._demanded(manifest, namespace_labels)
        said = {(finding.code, finding.field) for _, finding in demanded}
        ignore = from_annotation(manifest)
        told = [
            ("", adjusted)
            for finding in found
            if (finding.code, finding.field) not in said
            and not (ignore is not None and ignore.hides(finding.code, ()))
            and (adjusted := self._selection.adjusted(finding)) is not None
        ]
        return [*demanded, *told]

    def _lint(self, manifest: dict[str, Any]) -> list[Finding]:
        """What our rules say whether or not somebody wrote the defaults that are stored.

        A rule may ask what was written. That is not known of a stored object, so a finding counts
        where it holds either way.
        """
        found = self._linter.lint(manifest, self._engine)
        if not found:
            return found
        bare = without_defaults(manifest, self._engine)
        codes = frozenset(finding.code for finding in found)
        again = self._linters.get(codes)
        if again is None:
            again = self._linters[codes] = Linter(Selection(select=codes).asks)
        also = {(each.code, each.field) for each in again.lint(bare, self._engine)}
        return [finding for finding in found if (finding.code, finding.field) in also]

    def _demanded(
        self, manifest: dict[str, Any], namespace_labels: Mapping[str, str] | None
    ) -> list[Said]:
        if self._policies is None:
            return []
        from jobsworth.policy.policy_request import CREATE, PolicyRequest

        meta = manifest["metadata"]
        request = PolicyRequest(
            operation=CREATE,
            kind=manifest["kind"],
            namespace=meta.get("namespace", ""),
            name=meta.get("name", ""),
            object=manifest,
            namespace_labels=namespace_labels,
        )
        verdicts = self._policies.judge(request, self._engine.server).findings
        return [(verdict.policy, verdict.finding) for verdict in verdicts]


def creatable(stored: dict[str, Any]) -> dict[str, Any]:
    """A stored object without what the server had written into it beside defaults.

    The parts that are left are shared with the stored object.
    """
    meta = _without(stored.get("metadata") or {}, SERVER_METADATA)
    manifest = {**_without(stored, ("status",)), "metadata": meta}
    spec = stored.get("spec")
    if stored.get("kind") != "Job" or not isinstance(spec, dict) or spec.get("manualSelector"):
        return manifest
    # Without a manual selector, these labels and the selector are generated for every Job anew.
    if isinstance(meta.get("labels"), dict):
        meta["labels"] = _without(meta["labels"], GENERATED_LABELS)
    spec = manifest["spec"] = _without(spec, ("selector",))
    template = spec.get("template") or {}
    labels = (template.get("metadata") or {}).get("labels")
    if isinstance(labels, dict):
        labelled = {**template["metadata"], "labels": _without(labels, GENERATED_LABELS)}
        spec["template"] = {**template, "metadata": labelled}
    return manifest


def without_defaults(manifest: dict[str, Any], engine: Engine) -> dict[str, Any]:
    """An object without those values in its specs that the server would fill in likewise.

    Raises:
        CannotDecode: the object is malformed.
    """
    bare = _with_own_specs(manifest)
    for spec, fields in _specs(bare):
        for name in fields:
            spec.pop(name, None)
    filled = _specs(engine.default(bare))
    for (spec, fields), (was, _), (default, _) in zip(
        _specs(bare), _specs(manifest), filled, strict=True
    ):
        spec.update(
            (name, was[name]) for name in fields if name in was and was[name] != default.get(name)
        )
    return bare


def _as_written(manifest: dict[str, Any], storing: Engine) -> dict[str, Any]:
    """An object without the defaults of the server that stored it, as far as they are known."""
    try:
        return without_defaults(manifest, storing)
    except CannotDecode:
        return manifest


def is_over(stored: dict[str, Any]) -> bool:
    """Whether nothing of an object runs any more, or will: a finished Job, or one being deleted."""
    if (stored.get("metadata") or {}).get("deletionTimestamp"):
        return True
    if stored.get("kind") != "Job":
        return False
    return any(
        condition.get("type") in TERMINAL_CONDITIONS and condition.get("status") == "True"
        for condition in (stored.get("status") or {}).get("conditions") or ()
    )


def cron_job_of(stored: dict[str, Any]) -> str | None:
    """The UID of the CronJob that made a Job; None of one that somebody else made."""
    for owner in (stored.get("metadata") or {}).get("ownerReferences") or ():
        if owner.get("controller") and owner.get("kind") == "CronJob":
            uid: str | None = owner.get("uid")
            return uid
    return None


def _specs(manifest: dict[str, Any]) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
    """The specs inside an object, each with the names of fields that have plain defaults."""
    specs = []
    spec = manifest["spec"]
    if "jobTemplate" in spec:
        specs.append((spec, _CRON_JOB_DEFAULTS))
        spec = spec["jobTemplate"]["spec"]
    return [*specs, (spec, _JOB_DEFAULTS), (spec["template"]["spec"], _POD_DEFAULTS)]


def _with_own_specs(manifest: dict[str, Any]) -> dict[str, Any]:
    """A copy of an object whose specs can be changed."""
    copy = {**manifest, "spec": dict(manifest["spec"])}
    spec = copy["spec"]
    if "jobTemplate" in spec:
        spec["jobTemplate"] = {**spec["jobTemplate"], "spec": dict(spec["jobTemplate"]["spec"])}
        spec = spec["jobTemplate"]["spec"]
    spec["template"] = {**spec["template"], "spec": dict(spec["template"]["spec"])}
    return copy


def _without(mapping: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name not in names}
