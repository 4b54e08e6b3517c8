"""Diagnose what saved objects hold, as ``kubectl get job,pods,events -o yaml`` prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jobsworth.api.jobset.labels import JOB_SET_NAME
from jobsworth.api.jobset.versions import API_VERSION as JOB_SET_VERSION
from jobsworth.api.jobset.versions import KIND as JOB_SET
from jobsworth.controller.times import read_time
from jobsworth.whatif.explanation.pod_document import pod_problem
from jobsworth.whatif.replay.recorded_events import event_problem, events_near, read_event
from jobsworth.whatif.replay.recording_reader import job_problem
from jobsworth.whatif.replay.stored_manifest import stored_manifest
from jobsworth.whatif.why.diagnosis import Diagnosis, diagnose
from jobsworth.whatif.why.job_snapshot import read_snapshot
from jobsworth.whatif.why.owners.cron_job_diagnosis import diagnose_cron_job, read_runs
from jobsworth.whatif.why.owners.job_set_diagnosis import (
    decisive_child,
    diagnose_job_set,
    read_children,
)
from jobsworth.whatif.why.owners.owner_shapes import cron_job_problem, job_set_problem

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer
    from jobsworth.findings.finding import Finding
    from jobsworth.whatif.why.owners.cron_job_diagnosis import CronJobDiagnosis
    from jobsworth.whatif.why.owners.job_set_diagnosis import JobSetDiagnosis

    Object = dict[str, Any]
    AnyDiagnosis = Diagnosis | CronJobDiagnosis | JobSetDiagnosis
    Findings = Callable[[Object], Sequence[Finding]]

_PROBLEMS: Mapping[tuple[str, str], Callable[[object], str | None]] = {
    ("batch/v1", "Job"): job_problem,
    ("v1", "Pod"): pod_problem,
    ("v1", "Event"): event_problem,
    ("events.k8s.io/v1", "Event"): event_problem,
    ("batch/v1", "CronJob"): cron_job_problem,
    (JOB_SET_VERSION, JOB_SET): job_set_problem,
}
VERSIONS = {JOB_SET: JOB_SET_VERSION, "CronJob": "batch/v1", "Job": "batch/v1"}
EXPLAINED = tuple(VERSIONS)
"""Kinds with a diagnosis; one that another of them owns is explained with its owner."""


@dataclass(slots=True)
class SavedObjects:
    """Objects by kind, in the order in which they were added.

    Attributes:
        other_versions: kinds with a diagnosis that had another apiVersion, with that.
    """

    by_kind: dict[str, list[Object]] = field(default_factory=dict)
    other_versions: dict[str, str] = field(default_factory=dict)

    def add(self, value: Object) -> str | None:
        """Add an object; another kind than these is left out.

        Returns:
            why the object cannot be read; None if it can.
        """
        version, kind = value.get("apiVersion"), value.get("kind")
        if not isinstance(kind, str):
            return None
        check = _PROBLEMS.get((version, kind)) if isinstance(version, str) else None
        if check is None:
            if kind in EXPLAINED:
                self.other_versions[kind] = str(version or "")
            return None
        if not isinstance(value.get("metadata"), dict):
            return "metadata must be an object"
        if kind in EXPLAINED and not value["metadata"].get("name"):
            return "metadata.name is missing"
        problem = check(value)
        if problem is None:
            self.by_kind.setdefault(kind, []).append(value)
        return problem

    def explained(self, only: tuple[str, str] | None = None) -> Iterator[Object]:
        """Yield the objects to explain: those that no other of them owns.

        Args:
            only: a kind and a name; None for all.
        """
        owners = {
            (each["kind"], _name(each), _namespace(each))
            for kind in EXPLAINED[:2]
            for each in self._of(kind)
        }
        for kind in EXPLAINED:
            for each in self._latest(kind):
                if only is None:
                    references = each["metadata"].get("ownerReferences") or ()
                    owned = any(
                        (it.get("kind"), it.get("name"), _namespace(each)) in owners
                        for it in references
                    )
                else:
                    owned = only != (kind, _name(each))
                if not owned:
                    yield each

    def diagnosis(
        self, value: Object, server: ApiServer, findings: Findings, *, file: str = "", line: int = 0
    ) -> AnyDiagnosis:
        """Return the diagnosis of one of the objects.

        Args:
            findings: returns the lint findings about a Job.
            file, line: where the object stands.

        Raises:
            BadRecording: a Job was never created, or a time is missing.
        """
        if value["kind"] == "Job":
            return self._of_job(value, server, findings, file=file, line=line)
        jobs = self._latest("Job")
        if value["kind"] == JOB_SET:
            labeled = [
                each
                for each in jobs
                if (each["metadata"].get("labels") or {}).get(JOB_SET_NAME) == _name(value)
                and _namespace(each) == _namespace(value)
            ]
            children = read_children(labeled)
            chosen = decisive_child(value, children)
            decisive = [each for each in labeled if chosen and _name(each) == chosen.name]
            return diagnose_job_set(value, children, self._first(decisive, server, findings))
        runs = read_runs(jobs, value["metadata"].get("uid") or "")
        last = [each for each in jobs if runs and each["metadata"].get("uid") == runs[0].uid]
        events = events_near(self._of("Event"), "CronJob", value["metadata"])
        return diagnose_cron_job(
            value,
            runs,
            [each for each in events if (each.kind, each.name) == ("CronJob", _name(value))],
            None
            if not runs or runs[0].state == "complete"
            else self._first(last, server, findings),
            self._now(),
        )

    def _first(
        self, jobs: Sequence[Object], server: ApiServer, findings: Findings
    ) -> Diagnosis | None:
        return self._of_job(jobs[0], server, findings) if jobs else None

    def _of_job(
        self, value: Object, server: ApiServer, findings: Findings, *, file: str = "", line: int = 0
    ) -> Diagnosis:
        snapshot = read_snapshot(
            stored_manifest(value, server), self._of("Pod"), self._of("Event"), file=file, line=line
        )
        return diagnose(snapshot, findings(value))

    def _of(self, kind: str) -> list[Object]:
        return self.by_kind.get(kind, [])

    def _latest(self, kind: str) -> list[Object]:
        """Return the last version of each object of a kind."""
        found: dict[object, Object] = {}
        for each in self._of(kind):
            meta = each["metadata"]
            found[meta.get("uid") or (meta.get("namespace"), meta.get("name"))] = each
        return list(found.values())

    def _now(self) -> int:
        """Return the last time that the objects name: that of the recording."""
        times = [
            *(read_event(each).at for each in self._of("Event")),
            *(_times(each for kind in EXPLAINED for each in self._of(kind))),
        ]
        return max((time for time in times if time is not None), default=0)


def _times(values: Iterable[Object]) -> Iterator[int | None]:
    for each in values:
        status = each.get("status") or {}
        yield read_time(each["metadata"].get("creationTimestamp"))
        for key in ("lastScheduleTime", "lastSuccessfulTime", "completionTime", "startTime"):
            yield read_time(status.get(key))
        for condition in status.get("conditions") or ():
            yield read_time(condition.get("lastTransitionTime"))


def _name(value: Object) -> str:
    return value["metadata"].get("name") or ""


def _namespace(value: Object) -> str:
    return value["metadata"].get("namespace") or "default"
