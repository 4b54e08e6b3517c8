"""A ledger of Pods: every change of a stored Job or Pod is checked against the true state of the Pods.

The laws of counting (KEP-2307), whatever the controller thought when it wrote:

- a Pod is recorded once, as what it is, and moves from the lists into the counters when its
  finalizer is gone, in the same write; nothing else moves a counter;
- a completed index has a Pod that succeeded, a failed one has a Pod that failed for the last time;
- how a Job ends is on record before it ends, and stays.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from model.object_fields import (
    OURS,
    RESERVED,
    Object,
    action_of,
    active,
    condition,
    counts,
    deleting,
    ended,
    finalizer_of,
    finished,
    has_failed,
    holds,
    index_of,
    indexes,
    owner_of,
    phase,
    selected,
    succeeded,
    tracked_by,
    tries,
    uid_of,
    uncounted,
)
from model.recording_server import ENVIRONMENT, Server
from support.controller.status_rules import broken_rules


class Broken(AssertionError):
    """A law does not hold; the message names it."""


@dataclass(slots=True)
class Account:
    """The facts about a Job, alive or gone.

    Attributes:
        job: as it was last stored.
        gone: it is no longer there.
        resized: it had other completions once.
        recorded: UIDs of Pods that ever were in uncountedTerminatedPods, by outcome.
    """

    job: Object
    gone: bool = False
    resized: bool = False
    recorded: dict[str, set[str]] = field(
        default_factory=lambda: {"succeeded": set(), "failed": set()}
    )

    @property
    def status(self) -> Object:
        """The status as it was last stored."""
        return self.job.get("status") or {}


class Ledger:
    """The facts about all Jobs and Pods.

    Attributes:
        accounts: of each Job by its UID.
        pods: every Pod as it was last stored, whether it is still there or not.
        excused: UIDs of Pods that were created although no answer came.
        meddled: UIDs of Pods that lost their tracking finalizer to another client.
        surplus: UIDs of Pods that were too many, and deleted uncounted.
        rewritten: UIDs of Pods that got another phase after they had ended.
        untracked: Pods as the controller saw them when it took their finalizer off, by UID.
        owners: UIDs of the Jobs that ever controlled a Pod, by its UID.
    """

    def __init__(self, server: Server) -> None:
        self.server = server
        self.accounts: dict[str, Account] = {}
        self.pods: dict[str, Object] = {}
        self.excused: set[str] = set()
        self.meddled: set[str] = set()
        self.surplus: set[str] = set()
        self.rewritten: set[str] = set()
        self.untracked: dict[str, Object] = {}
        self.owners: dict[str, set[str]] = {}
        server.on_change = self.record_change

    def record_change(self, resource: str, old: Object | None, new: Object | None) -> None:
        """A stored object has changed."""
        if resource == "pods":
            pod = new or old
            assert pod is not None
            self.pods[uid_of(pod)] = pod
            owner = owner_of(pod)
            if owner is not None:
                self.owners.setdefault(uid_of(pod), set()).add(owner)
            if self.server.actor == ENVIRONMENT and old and new and _freed(old, new):
                self.meddled.add(uid_of(pod))
            if old and ended(old) and phase(old) != phase(pod):
                self.rewritten.add(uid_of(pod))
        elif resource == "jobs":
            self._job(old, new)

    def versions(self, pod: Object) -> list[Object]:
        """The Pod as it is, or in every version that it had if its phase was rewritten."""
        uid = uid_of(pod)
        if uid not in self.rewritten:
            return [pod]
        return [each for (of, _), each in self.server.versions.items() if of == uid]

    def controls(self, uid: str) -> list[Object]:
        """The Pods that a Job controls in truth."""
        return [pod for pod in self.server.stored("pods") if owner_of(pod) == uid]

    def lost(self) -> list[str]:
        """Return the names of Pods that ended and were to be counted, and were not.

        Not counted are those that were too many, that are to be ignored, that have no index of the Job
        or one that has come to its end; those that another client took from the Job; and those that
        ended after the Job had succeeded, or while it was being deleted.
        """
        return [
            _name(pod)
            for account in self.accounts.values()
            if not (
                account.gone or deleting(account.job) or holds(account.status, "SuccessCriteriaMet")
            )
            for uid, pod in self.pods.items()
            if owner_of(pod) == uid_of(account.job)
            and uid not in self.meddled | self.surplus | self.excused
            and self._was_to_be_counted(account, pod)
            and not any(uid in known for known in account.recorded.values())
        ]

    def _was_to_be_counted(self, account: Account, pod: Object) -> bool:
        job = account.job
        if not ended(pod) or tracked_by(pod, finalizer_of(job)) or not selected(job, pod):
            return False
        # Of a Job that has failed, Pods that were being deleted are dealt with before they have ended.
        then = self.untracked.get(uid_of(pod), pod)
        if job["spec"]["completionMode"] == "Indexed":
            status, index = account.status, index_of(pod)
            done = indexes(status.get("completedIndexes")) | indexes(status.get("failedIndexes"))
            if account.resized or not 0 <= index < job["spec"]["completions"]:
                return False  # an index that left the range and came back is run again
            if succeeded(then) and index in done:
                return False
            if index in indexes(status.get("completedIndexes")):
                return False  # its failures count until then: see decision_audit
        return succeeded(then) or counts(job, then)

    def _job(self, old: Object | None, new: Object | None) -> None:
        job = new or old
        assert job is not None
        uid = uid_of(job)
        account = self.accounts.setdefault(uid, Account(job))
        if new is None:
            account.gone = True
            return
        account.resized |= new["spec"].get("completions") != account.job["spec"].get("completions")
        before, account.job = account.job.get("status") or {}, new
        after = new.get("status") or {}
        if old is None or before == after:
            return
        if self.server.actor == ENVIRONMENT:
            return
        _foreign_conditions_stay(before, after)
        rules = broken_rules(new["spec"], before, after)
        if rules:
            raise Broken(f"the API server would reject the status: {rules}")
        self._counters(account, before, after)
        self._new_entries(account, before, after)
        if new["spec"]["completionMode"] == "Indexed":
            self._completed(account, before, after)
            self._failed(account, before, after)
        self._finished_condition(account, before, after)

    def _counters(self, account: Account, before: Object, after: Object) -> None:
        """Counters move by what leaves the lists, and nothing leaves that could come back."""
        finalizer = finalizer_of(account.job)
        indexed = account.job["spec"]["completionMode"] == "Indexed"
        for outcome in ("succeeded", "failed"):
            left = uncounted(before, outcome) - uncounted(after, outcome)
            moved = after.get(outcome, 0) - before.get(outcome, 0)
            if indexed and outcome == "succeeded":
                moved = after.get(outcome, 0) - len(indexes(after.get("completedIndexes")))
            if moved != len(left):
                raise Broken(f"{outcome} moves by {moved}, but {len(left)} Pods leave the list")
            for uid in left:
                if any(
                    uid_of(pod) == uid and tracked_by(pod, finalizer)
                    for pod in self.controls(uid_of(account.job))
                ):
                    raise Broken(f"{_name(self.pods[uid])} is counted while it has its finalizer")

    def _new_entries(self, account: Account, before: Object, after: Object) -> None:
        """Check that newly recorded Pods are recorded truly, and for the first time."""
        for outcome in ("succeeded", "failed"):
            for uid in uncounted(after, outcome) - uncounted(before, outcome):
                if any(uid in known for known in account.recorded.values()):
                    raise Broken(f"{_name(self.pods[uid])} is recorded a second time")
                account.recorded[outcome].add(uid)
                self._true(account.job, self.pods[uid], outcome)
                if index_of(self.pods[uid]) in indexes(before.get("completedIndexes")):
                    raise Broken(f"{_name(self.pods[uid])} is recorded, but its index is completed")

    def _true(self, job: Object, pod: Object, outcome: str) -> None:
        versions = self.versions(pod)
        if outcome == "succeeded":
            if not any(map(succeeded, versions)):
                raise Broken(f"{_name(pod)} is recorded as succeeded")
            return
        if holds(job["status"], "FailureTarget"):
            return  # whatever ran is deleted, and counted, though it may have ended meanwhile
        failed = [each for each in versions if _has_failed_or_would(job, each)]
        if not failed:
            raise Broken(f"{_name(pod)} is recorded as failed")
        if not any(counts(job, each) for each in failed):
            raise Broken(f"{_name(pod)} is recorded although its failure is to be ignored")

    def _completed(self, account: Account, before: Object, after: Object) -> None:
        size = account.job["spec"]["completions"]
        old = {i for i in indexes(before.get("completedIndexes")) if i < size}
        new = indexes(after.get("completedIndexes"))
        if not old <= new:
            raise Broken(f"completed indexes {old - new} are lost")
        # One that was counted as failed while it was being deleted does not complete its index.
        done = {
            index_of(pod)
            for uid, pod in self.pods.items()
            if any(map(succeeded, self.versions(pod)))
            and uid_of(account.job) in self.owners.get(uid, ())
            and uid not in account.recorded["failed"]
        }
        if not new - old <= done:
            raise Broken(f"no Pod succeeded of the indexes {new - old - done}")

    def _failed(self, account: Account, before: Object, after: Object) -> None:
        spec = account.job["spec"]
        old = {i for i in indexes(before.get("failedIndexes")) if i < spec["completions"]}
        new = indexes(after.get("failedIndexes"))
        if not old <= new:
            raise Broken(f"failed indexes {old - new} are lost")
        if not new - old:
            return
        for index in new - old:
            if not any(
                index_of(pod) == index
                and uid_of(account.job) in self.owners.get(uid_of(pod), ())
                and (has_failed(account.job, pod) or deleting(pod))
                and (
                    tries(pod)[0] >= spec["backoffLimitPerIndex"]
                    or action_of(account.job, pod)[0] == "FailIndex"
                )
                for last in self.pods.values()
                for pod in self.versions(last)
            ):
                raise Broken(f"index {index} is failed, but may be tried again")

    def _finished_condition(self, account: Account, before: Object, after: Object) -> None:
        for end, interim in (("Complete", "SuccessCriteriaMet"), ("Failed", "FailureTarget")):
            description, stored = condition(after, end), condition(before, interim)
            announced = condition(after, interim)
            if (
                stored
                and announced
                and _reason_and_message(stored) != _reason_and_message(announced)
            ):
                raise Broken(f"{interim} changes: {stored} to {announced}")
            if description is None or holds(before, end):
                continue
            if stored is None:
                raise Broken(f"{end} was not announced by {interim}")
            if _reason_and_message(description) != _reason_and_message(stored):
                raise Broken(f"{end} differs from {interim}: {description}, {stored}")
            self._at_the_end(account)
        if finished(before):
            raise Broken("a finished Job is changed")

    def _at_the_end(self, account: Account) -> None:
        """Nothing is left of a Job that is declared finished."""
        finalizer = finalizer_of(account.job)
        for pod in self.controls(uid_of(account.job)):
            if uid_of(pod) in self.excused or not selected(account.job, pod):
                continue
            if tracked_by(pod, finalizer):
                raise Broken(f"the Job is finished, and {_name(pod)} has its finalizer")
            if active(pod) and uid_of(pod) not in self.rewritten:
                raise Broken(f"the Job is finished, and {_name(pod)} runs")


def _foreign_conditions_stay(before: Object, after: Object) -> None:
    for entry in before.get("conditions") or ():
        if "/" in entry["type"] and entry not in (after.get("conditions") or ()):
            raise Broken(f"the condition {entry['type']} of another controller is lost")


def _freed(old: Object, new: Object) -> bool:
    return any(tracked_by(old, name) and not tracked_by(new, name) for name in (OURS, RESERVED))


def _has_failed_or_would(job: Object, pod: Object) -> bool:
    only_failed = job["spec"].get("podReplacementPolicy") == "Failed"
    return has_failed(job, pod) or (deleting(pod) and not only_failed)


def _reason_and_message(entry: Object) -> tuple[str, str]:
    return entry.get("reason", ""), entry.get("message", "")


def _name(pod: Object) -> str:
    name: str = pod["metadata"]["name"]
    return name
