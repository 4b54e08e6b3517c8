"""Diagnose what saved objects hold, as ``kubectl get job,pods,events -o yaml`` prints them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.jobset.names import JOB_SET_NAME
from jobsworth.api.jobset.versions import API_VERSION as JOB_SET_VERSION
from jobsworth.api.jobset.versions import KIND as JOB_SET
from jobsworth.api.stored import stored_problem
from jobsworth.controller.times import read_time
from jobsworth.findings.finding import Finding
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded import queue_facts
from jobsworth.runs.recorded.pending_pods import rejection
from jobsworth.runs.recorded.recorded_events import events_near, read_event
from jobsworth.runs.recorded.recording_reader import read_recording, stored_manifest
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.owners.cron_job_diagnosis import (
    CronJobDiagnosis,
    diagnose_cron_job,
    read_runs,
)
from jobsworth.runs.why.owners.job_set_diagnosis import (
    JobSetDiagnosis,
    decisive_child,
    diagnose_job_set,
    read_children,
)

Object = dict[str, Any]
AnyDiagnosis = Diagnosis | CronJobDiagnosis | JobSetDiagnosis
Findings = Callable[[Object, frozenset[str]], Sequence[Finding]]

_READ = {
    ("batch/v1", "Job"),
    ("v1", "Pod"),
    ("v1", "Event"),
    ("events.k8s.io/v1", "Event"),
    ("batch/v1", "CronJob"),
    (JOB_SET_VERSION, JOB_SET),
}
_QUEUE = "queue"
"""The key of Workloads, queues and PodGroups."""
VERSIONS = {JOB_SET: JOB_SET_VERSION, "CronJob": "batch/v1", "Job": "batch/v1"}
DIAGNOSED_KINDS = tuple(VERSIONS)
"""Kinds with a diagnosis; one that another of them owns is explained with its owner."""


@dataclass(slots=True)
class SavedObjects:
    """Objects by kind, in the order in which they were added.

    Attributes:
        at: the time at which they were saved; None for the last time that they name.
        other_versions: kinds with a diagnosis that had another apiVersion, with that.
    """

    at: int | None = None
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
        if kind in queue_facts.KINDS and str(version).startswith(queue_facts.GROUPS):
            problem = stored_problem(kind, value)
            if problem is None:
                self.by_kind.setdefault(_QUEUE, []).append(value)
            return problem
        if not isinstance(version, str) or (version, kind) not in _READ:
            if kind in DIAGNOSED_KINDS:
                self.other_versions[kind] = str(version or "")
            return None
        meta = value.get("metadata")
        if kind in DIAGNOSED_KINDS and isinstance(meta, dict) and not meta.get("name"):
            return "metadata.name is missing"
        problem = stored_problem(kind, value)
        if problem is None:
            self.by_kind.setdefault(kind, []).append(value)
        return problem

    def to_diagnose(
        self, only: tuple[str, str] | None = None, namespace: str | None = None
    ) -> Iterator[Object]:
        """Yield the objects to explain: those that no other of them owns.

        Args:
            only: a kind and a name; None for all.
            namespace: of the objects; None for all.
        """
        owners = {
            (each["kind"], _name(each), _namespace(each))
            for kind in DIAGNOSED_KINDS[:2]
            for each in self._of(kind)
        }
        for kind in DIAGNOSED_KINDS:
            for each in self._latest(kind):
                if only is None:
                    references = each["metadata"].get("ownerReferences") or ()
                    owned = any(
                        (it.get("kind"), it.get("name"), _namespace(each)) in owners
                        for it in references
                    )
                else:
                    owned = only != (kind, _name(each))
                if not owned and namespace in (None, _namespace(each)):
                    yield each

    def diagnosis(
        self, value: Object, server: ApiServer, findings: Findings, *, file: str = "", line: int = 0
    ) -> AnyDiagnosis:
        """Return the diagnosis of one of the objects.

        Args:
            findings: returns the findings of some lint rules, by their codes, about a Job.
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
            events = events_near(self._of("Event"), JOB_SET, value["metadata"])
            queue = queue_facts.read_queue_facts(self._of(_QUEUE), value, (), events)
            first = self._first(decisive, server, findings)
            return diagnose_job_set(value, children, first, queue)
        runs = read_runs(jobs, value["metadata"].get("uid") or "")
        last = [each for each in jobs if runs and each["metadata"].get("uid") == runs[0].uid]
        events = events_near(self._of("Event"), "CronJob", value["metadata"])
        return diagnose_cron_job(
            value,
            runs,
            [each for each in events if (each.kind, each.name) == ("CronJob", _name(value))],
            None
            if not runs or runs[0].state == Cause.COMPLETE
            else self._first(last, server, findings),
            self._now(),
            jobs=jobs,
        )

    def _first(
        self, jobs: Sequence[Object], server: ApiServer, findings: Findings
    ) -> Diagnosis | None:
        return self._of_job(jobs[0], server, findings) if jobs else None

    def _of_job(
        self, value: Object, server: ApiServer, findings: Findings, *, file: str = "", line: int = 0
    ) -> Diagnosis:
        recording = read_recording(
            stored_manifest(value, server),
            self._of("Pod"),
            self._of("Event"),
            file=file,
            line=line,
            now=self._now() or None,
            queue=self._of(_QUEUE),
        )
        known = recording.pods or rejection(recording.events)
        if recording.job.status.active and recording.end is None and not known:
            recording = replace(recording, partial=True)  # the files hold none of its Pods
        return diagnose(recording, lambda codes: findings(value, codes))

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
        """Return the time of the recording."""
        if self.at is not None:
            return self.at
        times = [
            *(read_event(each).at for each in self._of("Event")),
            *(_times(each for kind in DIAGNOSED_KINDS for each in self._of(kind))),
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
