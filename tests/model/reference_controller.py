"""The right actions for a Job, worked out plainly: the rules as they are documented, no speed, no stages.

A second opinion on the controller's decisions, from the same objects that it had before it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from model.object_fields import (
    Object,
    action_of,
    active,
    condition,
    counts,
    deleting,
    finalizer_of,
    finished_at,
    has_failed,
    holds,
    index_of,
    indexes,
    phase,
    ready,
    replaces_only_failed,
    restarts,
    seconds,
    succeeded,
    terminating,
    tracked_by,
    tries,
    uid_of,
    uncounted,
)

FinishedCondition = tuple[str, str, str]  # the interim condition, its reason, its message
BACKOFF_BASE, BACKOFF_CAP = 10, 600


class Sight:
    """A Job and its Pods at a moment.

    Args:
        pods: those that the Job controls.
        untracked: UIDs of Pods whose finalizer is gone although they still show it.
        now: seconds since 1970.
    """

    def __init__(
        self, job: Object, pods: Iterable[Object], untracked: set[str], now: float
    ) -> None:
        self.job, self.now = job, now
        self.spec, self.status = job["spec"], job.get("status") or {}
        self.pods = list(pods)
        self.completions = self.spec.get("completions")
        self.indexed = self.spec["completionMode"] == "Indexed"
        self.per_index = self.indexed and "backoffLimitPerIndex" in self.spec
        self.suspended = bool(self.spec.get("suspend"))
        self.active = [pod for pod in self.pods if active(pod)]
        self.terminating = [pod for pod in self.pods if terminating(pod)]
        self.ready = [pod for pod in self.active if ready(pod)]
        finalizer = finalizer_of(job)
        self.tracked = [
            pod for pod in self.pods if tracked_by(pod, finalizer) and uid_of(pod) not in untracked
        ]

    def valid(self, pod: Object) -> bool:
        """Return True if a Pod's index is one of the Job's, if it has indexes."""
        return not self.indexed or 0 <= index_of(pod) < self.completions

    def recorded(self, pod: Object) -> str | None:
        """The result of a Pod that the status has, which is final: its own, or its index is completed."""
        for outcome in ("failed", "succeeded"):
            if uid_of(pod) in uncounted(self.status, outcome):
                return outcome
        return "succeeded" if self.indexed and index_of(pod) in self.stored_completed else None

    def failed_pod(self, pod: Object) -> bool:
        """Return True if a Pod counts as failed."""
        known = self.recorded(pod)
        return known == "failed" if known else has_failed(self.job, pod)

    @cached_property
    def new_successes(self) -> list[Object]:
        """Pods that have succeeded, of which the status does not know."""
        return [
            pod
            for pod in self.tracked
            if succeeded(pod) and self.valid(pod) and not self.recorded(pod)
        ]

    @cached_property
    def new_failures(self) -> list[Object]:
        """Pods that have failed, of which the status does not know."""
        return [
            pod
            for pod in self.tracked
            if self.failed_pod(pod) and self.valid(pod) and not self.recorded(pod)
        ]

    @cached_property
    def stored_completed(self) -> set[int]:
        """Return the completed indexes of the status."""
        return {i for i in indexes(self.status.get("completedIndexes")) if i < self.completions}

    @cached_property
    def stored_failed(self) -> set[int]:
        """Return the failed indexes of the status."""
        return {i for i in indexes(self.status.get("failedIndexes")) if i < self.completions}

    @cached_property
    def succeeded_indexes(self) -> set[int]:
        """Indexes that have succeeded."""
        new = {index_of(pod) for pod in self.new_successes}
        return self.stored_completed | (new - self.stored_failed)

    @cached_property
    def failed_indexes(self) -> set[int]:
        """Indexes that may not be tried again."""
        if not self.per_index:
            return set()
        new = {index_of(p) for p in self.tracked if self.valid(p) and self._exhausts(p)}
        return self.stored_failed | (new - self.succeeded_indexes)

    def _exhausts(self, pod: Object) -> bool:
        if not self.failed_pod(pod):
            return False
        action = action_of(self.job, pod)[0]
        if action == "FailIndex":
            return True
        return action != "Ignore" and tries(pod)[0] >= int(self.spec["backoffLimitPerIndex"])

    @property
    def succeeded(self) -> int:
        """Return the number of Pods that have succeeded, or indexes."""
        if self.indexed:
            return len(self.succeeded_indexes)
        written = uncounted(self.status, "succeeded")
        return self.status.get("succeeded", 0) + len(self.new_successes) + len(written)

    @property
    def failed(self) -> int:
        """Return the number of failures that count."""
        new = sum(counts(self.job, pod) for pod in self.new_failures)
        return self.status.get("failed", 0) + new + len(uncounted(self.status, "failed"))

    # How the Job ends.

    def finished_condition(self) -> FinishedCondition | None:
        """Return the result of the Job, None while that is open; completion aside."""
        for kind in ("SuccessCriteriaMet", "FailureTarget"):
            stored = condition(self.status, kind)
            if stored is not None:
                return kind, stored["reason"], stored["message"]
        for reason in (
            self._fail_job(),
            self._limit(),
            self._deadline(),
            self._index_limits(),
        ):
            if reason is not None:
                return ("FailureTarget", *reason)
        return self._success_policy()

    def completion(self, running: int) -> FinishedCondition | None:
        """Return the Complete result if the Job is complete once so many Pods run."""
        enough = self.succeeded >= (1 if self.completions is None else self.completions)
        if not enough or running:
            return None
        return (
            "SuccessCriteriaMet",
            "CompletionsReached",
            "Reached expected number of succeeded pods",
        )

    def _fail_job(self) -> tuple[str, str] | None:
        fatal = [
            pod
            for pod in self.pods
            if self.failed_pod(pod) and action_of(self.job, pod)[0] == "FailJob"
        ]
        if not fatal:
            return None
        first = min(fatal, key=lambda pod: (finished_at(pod), pod["metadata"]["name"]))
        return "PodFailurePolicy", action_of(self.job, first)[1]

    def _limit(self) -> tuple[str, str] | None:
        limit = self.spec["backoffLimit"]
        exceeded = self.failed > limit
        if self.spec["template"]["spec"]["restartPolicy"] == "OnFailure":
            again = sum(restarts(pod) for pod in self.pods if phase(pod) in ("Running", "Pending"))
            exceeded |= again >= limit if limit else again > 0
        if not exceeded:
            return None
        return "BackoffLimitExceeded", "Job has reached the specified backoff limit"

    def _deadline(self) -> tuple[str, str] | None:
        limit = self.spec.get("activeDeadlineSeconds")
        started = seconds(self.status.get("startTime"))
        resuming = holds(self.status, "Suspended")
        if limit is None or self.suspended or started is None or resuming:
            return None
        if self.now - started < limit:
            return None
        return "DeadlineExceeded", "Job was active longer than specified deadline"

    def _index_limits(self) -> tuple[str, str] | None:
        failed = len(self.failed_indexes)
        most = self.spec.get("maxFailedIndexes")
        if failed and most is not None and failed > most:
            message = "Job has exceeded the specified maximal number of failed indexes"
            return "MaxFailedIndexesExceeded", message
        if failed and failed + len(self.succeeded_indexes) >= self.completions:
            return "FailedIndexes", "Job has failed indexes"
        return None

    def _success_policy(self) -> FinishedCondition | None:
        done = self.succeeded_indexes if self.indexed else set()
        rules = (self.spec.get("successPolicy") or {}).get("rules") or ()
        for position, rule in enumerate(rules if done else ()):
            count = rule.get("succeededCount")
            among = rule.get("succeededIndexes")
            if among is None:
                met = len(done) >= count
            else:
                wanted = {i for i in indexes(among) if i < self.completions}
                reached = len(wanted & done)
                met = bool(wanted) and (
                    reached == len(wanted) or (count is not None and reached >= count)
                )
            if met:
                return "SuccessCriteriaMet", "SuccessPolicy", f"Matched rules at index {position}"
        return None

    # How many Pods should run.

    @property
    def wanted(self) -> int:
        """Return the number of Pods that should run."""
        if self.suspended:
            return 0
        parallelism: int = self.spec["parallelism"]
        if self.completions is None:
            return len(self.active) if self.succeeded else parallelism
        return max(0, min(self.completions - self.succeeded, parallelism))

    def misplaced(self) -> int:
        """Return the number of Pods without an index of the Job, or with one that another has."""
        if not self.indexed:
            return 0
        right = {index_of(pod) for pod in self.active if self.valid(pod)}
        return len(self.active) - len(right)

    def surplus(self) -> int:
        """Return the number of Pods to delete."""
        return max(self.misplaced(), len(self.active) - self.wanted, 0)

    def missing(self) -> int:
        """Return the number of Pods to create, waiting times aside."""
        if self.suspended or deleting(self.job) or self.surplus():
            return 0
        awaited = len(self.terminating) if replaces_only_failed(self.job) else 0
        return max(0, self.wanted - len(self.active) - awaited)

    def free_indexes(self) -> list[int]:
        """The indexes that may get a Pod now, in order."""
        taken = {index_of(pod) for pod in self.active}
        if replaces_only_failed(self.job):
            taken |= {index_of(pod) for pod in self.terminating}
        taken |= self.succeeded_indexes | self.failed_indexes
        return [i for i in range(self.completions) if i not in taken and not self.waits(i)]

    def delayed(self, index: int) -> Object | None:
        """The failed Pod of an index that its next one continues."""
        failed = [pod for pod in self.tracked if index_of(pod) == index and self.failed_pod(pod)]
        if not self.per_index or not failed:
            return None
        return max(failed, key=lambda pod: (sum(tries(pod)), finished_at(pod)))

    def waits(self, index: int) -> float:
        """Seconds for which an index has to wait after its last failure."""
        last = self.delayed(index)
        if last is None:
            return 0.0
        return max(0.0, finished_at(last) + delay(sum(tries(last)) + 1) - self.now)

    def next_tries(self, index: int) -> set[tuple[int, int]]:
        """Return the annotations that the next Pod of an index may carry; several where its failures rank alike."""
        last = self.delayed(index)
        if last is None:
            return {(0, 0)}
        rank = (sum(tries(last)), finished_at(last))
        found = set()
        for pod in self.tracked:
            if index_of(pod) != index or not self.failed_pod(pod):
                continue
            if (sum(tries(pod)), finished_at(pod)) == rank:
                failures, ignored = tries(pod)
                counted = counts(self.job, pod)
                found.add((failures + counted, ignored + (not counted)))
        return found


def delay(failures: int) -> int:
    """Seconds to wait after so many failures in a row."""
    return min(BACKOFF_BASE * 2 ** (failures - 1), BACKOFF_CAP) if failures else 0
