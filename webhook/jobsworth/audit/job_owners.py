"""The owners of stored Jobs, such as JobSets: their findings are reported once, with the place to change.

A change of the Job itself does not last: its owner creates the next one from the same template.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from jobsworth.api.jobset.names import REPLICATED_JOB
from jobsworth.findings.finding import Finding, Reported
from jobsworth.kinds.kind_table import OF_JOB_SETS, ONCE_IN_JOB_SETS, SHIPPED, EmbeddedTemplate

JOB_SET = "JobSet"
"""The label of a Job with the name of its ReplicatedJob."""
_WITHIN = {"JobTemplateSpec": "", "JobSpec": "spec", "PodTemplateSpec": "spec.template"}
"""The field path in the Job of each type of template that has the fields of the Job."""


class JobOwner(NamedTuple):
    """The controller of a stored Job, unless that is a CronJob.

    Attributes:
        template: the name of the ReplicatedJob of a JobSet; empty for other kinds.
    """

    api_version: str
    kind: str
    name: str
    uid: str
    template: str = ""

    @property
    def title(self) -> str:
        """The kind and the name."""
        return f"{self.kind} {self.name}"

    @property
    def ignores(self) -> tuple[str, ...]:
        """The codes of the lint rules that the owner makes pointless."""
        if self.kind == JOB_SET:
            return OF_JOB_SETS
        return tuple(code for entry in self._entries() for code in entry.ignores)

    def place(self, field: str) -> str:
        """Return the field path in the owner for one in the Job; empty if it is not known.

        >>> JobOwner("keda.sh/v1alpha1", "ScaledJob", "queue", "1").place("spec.backoffLimit")
        'spec.jobTargetRef.backoffLimit'
        """
        if self.kind == JOB_SET and self.template:
            return f'spec.replicatedJobs["{self.template}"].template.{field}' if field else ""
        for entry in self._entries():
            copied = entry.copies.get(field, ".")
            if not copied.startswith("."):
                return copied
            within = _WITHIN.get(entry.type)
            if within is None or "*" in entry.path:
                continue
            if not within or field == within or field.startswith(f"{within}."):
                return f"{entry.path}{'.' if not within else ''}{field[len(within) :]}"
        return ""

    def _entries(self) -> list[EmbeddedTemplate]:
        entries = SHIPPED.templates_of(self.api_version, self.kind)
        return [entry for entry in entries if entry.owner == "Job"]


def owner_of(stored: dict[str, Any]) -> JobOwner | None:
    """Return the controller of a stored Job; None for a Job without one, or of a CronJob."""
    meta = stored.get("metadata")
    references = meta.get("ownerReferences") if isinstance(meta, dict) else None
    for reference in references if isinstance(references, list) else ():
        if not isinstance(reference, dict) or not reference.get("controller"):
            continue
        parts = [reference.get(name) for name in ("apiVersion", "kind", "name", "uid")]
        texts = [part for part in parts if isinstance(part, str)]
        if len(texts) < len(parts) or texts[1] == "CronJob":
            return None
        labels = meta.get("labels") if isinstance(meta, dict) else None
        label = labels.get(REPLICATED_JOB) if isinstance(labels, dict) else None
        template = label if texts[1] == JOB_SET and isinstance(label, str) else ""
        api_version, kind, name, uid = texts
        return JobOwner(api_version, kind, name, uid, template)
    return None


class OwnersFindings:
    """Reports the findings of the Jobs of one owner once for each template.

    Attributes:
        repeated: the number of Jobs of which every finding was reported about an earlier Job.
    """

    def __init__(self) -> None:
        self._seen: set[tuple[str, ...]] = set()
        self.repeated = 0

    def of(self, stored: dict[str, Any], reported: Sequence[Reported]) -> Sequence[Reported] | None:
        """Return the findings about a stored object that are new; None if all are repeated.

        Those about a Job with an owner name the owner, and the field to change there.
        """
        owner = owner_of(stored) if stored.get("kind") == "Job" else None
        if owner is None or not reported:
            return reported
        ignores = owner.ignores
        kept = [each for each in reported if each[1].code not in ignores]
        new = [
            (policy, _with_owner(finding, owner))
            for policy, finding in kept
            if self._is_new(stored, owner, policy, finding)
        ]
        if kept and not new:
            self.repeated += 1
            return None
        return new

    def _is_new(
        self, stored: dict[str, Any], owner: JobOwner, policy: str, finding: Finding
    ) -> bool:
        key: tuple[str, ...] = (owner.uid, policy, finding.code)
        if owner.kind != JOB_SET or finding.code not in ONCE_IN_JOB_SETS:
            words = finding.message.replace(stored["metadata"]["name"], "")
            key = (*key, owner.template, finding.field, words)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True


def _with_owner(finding: Finding, owner: JobOwner) -> Finding:
    place = owner.place(finding.field)
    where = f"Change it in {owner.title}, which creates the Job{f': {place}' if place else ''}"
    hint = finding.hint
    # A fix would change the Job, which its owner creates again.
    return finding.changed(hint=f"{hint.rstrip('.')}. {where}" if hint else where, fix=None)
