"""Jobs, Pods and syncs for tests: a sync whose calls succeed or fail as a test wants it.

Every status that a sync writes is checked by the API server's rules on the way.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING, Any

from jobsworth.controller import well_known_names
from jobsworth.controller.backoff import BackoffRecord
from jobsworth.controller.jobs import read_job
from jobsworth.controller.plan import ActionResults, Memory, plan
from jobsworth.controller.pods import read_pod
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.status import write_status
from jobsworth.controller.times import read_time, write_time
from support.controller.status_rules import broken_rules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from jobsworth.controller.plan import Plan
    from jobsworth.controller.signals import Count, Event

NOW = read_time("2026-01-01T12:00:00Z") or 0
LONG_AGO = NOW - 1800
SETTINGS = ControllerSettings()
NO_FAILURES = BackoffRecord()
_serial = count(1)


def a_job(
    *,
    status: dict[str, Any] | None = None,
    metadata: dict[str, Any] | None = None,
    restart_policy: str = "Never",
    **spec: Any,
) -> dict[str, Any]:
    """Return a Job as the API server has defaulted it; started, unless its status differs."""
    labels = {"batch.kubernetes.io/controller-uid": "job-uid", "job-name": "job"}
    container = {"name": "main", "image": "busybox"}
    completed = {
        "parallelism": 1,
        "completionMode": "NonIndexed",
        "backoffLimit": 6 if "backoffLimitPerIndex" not in spec else 2**31 - 1,
        "suspend": False,
        "podReplacementPolicy": "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed",
        "managedBy": well_known_names.OUR_MANAGER,
        "selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "job-uid"}},
        "template": {
            "metadata": {"labels": labels},
            "spec": {"restartPolicy": restart_policy, "containers": [container]},
        },
        **spec,
    }
    started = {} if completed["suspend"] else {"startTime": write_time(NOW - 600)}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {
            "name": "job",
            "namespace": "default",
            "uid": "job-uid",
            "resourceVersion": "7",
            "generation": 1,
            **(metadata or {}),
        },
        "spec": completed,
        "status": {**started, **(status or {})},
    }


def an_indexed_job(completions: int, parallelism: int | None = None, **spec: Any) -> dict[str, Any]:
    """Return an Indexed Job that runs as many Pods as it has indexes, unless set otherwise."""
    return a_job(
        completionMode="Indexed",
        completions=completions,
        parallelism=completions if parallelism is None else parallelism,
        **spec,
    )


def a_pod(
    phase: str = "Running",
    index: int | str | None = None,
    *,
    name: str | None = None,
    ready: bool = False,
    deleted: bool = False,
    tracked: bool = True,
    exit_code: int | None = None,
    reason: str = "Error",
    container: str = "main",
    finished: int | None = None,
    failures: int | str | None = None,
    ignored: int | None = None,
    restarts: int = 0,
    conditions: Iterable[tuple[str, str]] = (),
    **changes: Any,
) -> dict[str, Any]:
    """A Pod of the Job as the API has it; one that has ended did so long ago.

    Args:
        failures: the annotation of failures of its index so far; 0 if `failures` is not given.
        changes: parts of metadata, spec or status to merge in.
    """
    name = name or f"job-{next(_serial):05}"
    ended = phase in ("Succeeded", "Failed")
    finished = LONG_AGO if finished is None else finished
    code = exit_code if exit_code is not None else int(phase == "Failed")
    state: dict[str, Any] = {}
    if ended or exit_code is not None:
        state = {
            "terminated": {
                "exitCode": code,
                "reason": reason if code else "Completed",
                "finishedAt": write_time(finished),
            }
        }
    annotations = {} if index is None else {well_known_names.COMPLETION_INDEX: str(index)}
    if failures is not None:
        annotations[well_known_names.INDEX_FAILURE_COUNT] = str(failures)
    if ignored is not None:
        annotations[well_known_names.INDEX_IGNORED_FAILURE_COUNT] = str(ignored)
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-{name}",
        "creationTimestamp": write_time(NOW - 3600),
        "labels": {"batch.kubernetes.io/controller-uid": "job-uid"},
        "annotations": annotations,
        "finalizers": [well_known_names.OUR_FINALIZER] if tracked else [],
        "ownerReferences": [
            {
                "apiVersion": "batch/v1",
                "kind": "Job",
                "name": "job",
                "uid": "job-uid",
                "controller": True,
            }
        ],
    }
    if deleted:
        metadata["deletionTimestamp"] = write_time(finished + 30)
        metadata["deletionGracePeriodSeconds"] = 30
    pod_conditions = [{"type": kind, "status": status} for kind, status in conditions]
    if ready:
        pod_conditions.append({"type": "Ready", "status": "True"})
    pod = {
        "metadata": metadata,
        "spec": {"nodeName": "node-1"} if phase == "Running" else {},
        "status": {
            "phase": phase,
            "conditions": pod_conditions,
            "containerStatuses": [{"name": container, "state": state, "restartCount": restarts}],
        },
    }
    for part, change in changes.items():
        pod[part] = {**pod[part], **change}
    return pod


def pods(*counted: tuple[int, str], **same: Any) -> list[dict[str, Any]]:
    """Some Pods of each phase; ``Ready`` is a running one that is ready, ``Terminating`` one that
    is being deleted.
    """
    return [made for number, kind in counted for made in _alike(number, kind, same)]


def _alike(number: int, kind: str, same: dict[str, Any]) -> list[dict[str, Any]]:
    kinds: dict[str, dict[str, Any]] = {
        "Ready": {"phase": "Running", "ready": True},
        "Terminating": {"phase": "Running", "deleted": True},
    }
    return [a_pod(**{**kinds.get(kind, {"phase": kind}), **same}) for _ in range(number)]


@dataclass
class Synced:
    """The results of a sync."""

    plan: Plan
    writes: list[dict[str, Any]] = field(default_factory=list)
    status: dict[str, Any] = field(default_factory=dict)
    deleted: list[str] = field(default_factory=list)
    stripped: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    metrics: list[Count] = field(default_factory=list)
    finished: bool = False
    requeue_after: float | None = None
    backoff: BackoffRecord = NO_FAILURES
    reported: frozenset[str] = frozenset()

    @property
    def created(self) -> list[int | None]:
        """The indexes of the Pods to create; None for each of a Job that is not Indexed."""
        return [creation.index for creation in self.plan.creations]

    def holds(self, kind: str) -> bool:
        """Return True if a condition is True in the end."""
        return any(
            entry["type"] == kind and entry["status"] == "True"
            for entry in self.status.get("conditions", ())
        )

    @property
    def conditions(self) -> list[str]:
        """The types of the conditions that are True in the end."""
        entries = self.status.get("conditions", ())
        return [entry["type"] for entry in entries if entry["status"] == "True"]

    @property
    def reason(self) -> str:
        """The reason of the last condition."""
        return str(self.status["conditions"][-1]["reason"])

    @property
    def message(self) -> str:
        """The message of the last condition."""
        return str(self.status["conditions"][-1]["message"])

    @property
    def counts(self) -> dict[str, int]:
        """Return the counts for metrics, by metric and the values of its labels."""
        return {
            " ".join((entry.metric, *(value for _, value in entry.labels))): entry.amount
            for entry in self.metrics
        }

    def seen(self) -> dict[str, Any]:
        """The sync in the short words of the tables."""
        status = self.status
        return {
            "A": status.get("active", 0),
            "R": status.get("ready", 0),
            "T": status.get("terminating", 0),
            "S": status.get("succeeded", 0),
            "F": status.get("failed", 0),
            "CI": status.get("completedIndexes", ""),
            "FI": status.get("failedIndexes"),
            "create": len(self.created),
            "indexes": self.created,
            "delete": len(self.deleted),
            "strip": len(self.stripped),
            "conditions": self.conditions,
            "writes": len(self.writes),
            "requeue": self.requeue_after,
            "events": [event.reason for event in self.events],
        }

    def shows(self, **expected: Any) -> None:
        """Assert what the sync did, in the short words of the tables."""
        seen = self.seen()
        assert {key: seen[key] for key in expected} == expected


def sync(
    job: dict[str, Any],
    pods: Sequence[dict[str, Any]] = (),
    *,
    now: float = NOW,
    observed: bool = True,
    untracked: Collection[str] = (),
    backoff: BackoffRecord | None = NO_FAILURES,
    reported: frozenset[str] = frozenset(),
    undeletable: Collection[str] = (),
    creatable: int | None = None,
    unstrippable: Collection[str] = (),
    settings: ControllerSettings = SETTINGS,
) -> Synced:
    """Run one sync.

    Args:
        untracked: names of Pods whose finalizer we have removed, which they still show.
        undeletable: names of Pods that the API server fails to delete.
        creatable: how many creations it takes; all if None.
        unstrippable: names of Pods whose finalizer cannot be removed after the first write.
    """
    value = read_job(job, settings)
    memory = Memory(observed, frozenset(f"uid-{name}" for name in untracked), backoff, reported)
    decided = plan(value, [read_pod(pod, settings) for pod in pods], memory, now, settings)
    done = Synced(decided, status=job["status"])
    _write(done, job, decided.interim)
    for deletion in decided.deletions:
        if deletion.pod.name not in undeletable:
            done.deleted.append(deletion.pod.name)
            if deletion.untrack_first and deletion.pod.tracking:
                done.stripped.append(deletion.pod.name)
    wanted = len(decided.creations)
    created = wanted if creatable is None else min(creatable, wanted)
    record = decided.after(
        ActionResults(
            frozenset(f"uid-{name}" for name in done.deleted),
            created=created,
            rejected=1 if created < wanted else 0,
        )
    )
    done.metrics += record.action_metrics
    _write(done, job, record.status)
    done.events += record.events
    done.metrics += record.metrics
    done.backoff = record.backoff
    done.reported = record.reported
    gone = [pod.name for pod in record.finalizer_removals if pod.name not in unstrippable]
    done.stripped += gone
    conclusion = record.after(frozenset(f"uid-{name}" for name in gone))
    _write(done, job, conclusion.status)
    done.events += conclusion.events
    done.metrics += conclusion.metrics
    done.finished = conclusion.finished
    done.requeue_after = conclusion.requeue_after
    return done


def _write(done: Synced, job: dict[str, Any], status: Any) -> None:
    if status is None:
        return
    written = write_status(status)
    assert broken_rules(job["spec"], done.status, written) == []
    done.writes.append(written)
    done.status = written


def uids(*pods_: dict[str, Any]) -> list[str]:
    """The UIDs of some Pods."""
    return [pod["metadata"]["uid"] for pod in pods_]


def with_condition(kind: str, status: str = "True", reason: str = "", message: str = "") -> Any:
    """A condition of a Job as the API has it, an hour old."""
    then = write_time(NOW - 3600)
    return {
        "type": kind,
        "status": status,
        "reason": reason,
        "message": message,
        "lastProbeTime": then,
        "lastTransitionTime": then,
    }
