"""A Job that is waited for by its name, and how the wait for it ends: values in, values out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.live.errors import JobNotFound
from jobsworth.live.job_reference import JobReference
from jobsworth.live.seen_job import SeenJob
from jobsworth.live.standstill import standstill
from jobsworth.live.wait_options import Outcome, Progress, WaitEnd, WaitOptions
from jobsworth.runs.cause import Cause

Object = dict[str, Any]


class FollowedJob:
    """A Job of this name that exists, is still to be created, or was deleted.

    Times are those of one clock of the caller.

    Attributes:
        seen: the Job; None while there is none.
        listed: the Job was looked for, and the answer still holds.
    """

    def __init__(self, reference: JobReference, options: WaitOptions, now: float) -> None:
        self.seen: SeenJob | None = None
        self.listed = False
        self._reference = reference
        self._options = options
        self._begun = now
        self._absent_since = now
        self._gone = ""  # UID of a Job that was deleted

    @property
    def uid(self) -> str:
        """The UID of the Job; empty while there is none."""
        return "" if self.seen is None else str(self.seen.manifest["metadata"].get("uid") or "")

    def take_list(self, items: list[Object], now: float) -> None:
        """Take a list that has the Job, if it exists.

        Raises:
            MalformedObject: it is not a Job.
        """
        self.listed = True
        named = [each for each in items if each["metadata"].get("name") == self._reference.name]
        if named:
            self.take("ADDED", named[0], now)
        else:
            self._forget(now)

    def take(self, kind: str, value: Object, now: float) -> None:
        """Take a change of the Job.

        Raises:
            MalformedObject: it is not a Job.
        """
        uid = value["metadata"].get("uid") or ""
        if self.seen is not None and self.uid != uid:
            self._forget(now)
        if self.seen is not None:
            if self.uid == uid:
                self.seen.take_job(value, now)
        elif kind != "DELETED" and not (self._gone and self._options.for_creation is None):
            if self._gone:
                self._options.note(f"the Job was created again (UID {uid}); it is followed now")
            self.seen, self._gone = SeenJob.read(value, now), ""
        if kind == "DELETED":
            self._forget(now)

    def _forget(self, now: float) -> None:
        """Note that the Job was deleted; one that has finished stays, because that is its end."""
        if self.seen is not None and not self.seen.finished:
            self._gone, self.seen, self._absent_since = self.uid, None, now

    def end(self, now: float) -> WaitEnd | None:
        """Return the end of the wait; None if it goes on.

        Raises:
            JobNotFound: there is no Job, and it is not waited for.
        """
        seen, options = self.seen, self._options
        if seen is None:
            return self._absent_end(now) if self.listed else None
        if seen.finished:
            outcome: Outcome = "Complete" if seen.finished == "Complete" else "Failed"
            condition = seen.job.status.condition(seen.finished)
            reason = "" if condition is None else condition.reason
            return WaitEnd(outcome, self.uid, Cause(outcome), "", exists=True, reason=reason)
        found = standstill(seen.seen, options.bounds)
        if found is not None and found.at <= now:
            if found.waiting.cause == Cause.DELETING and options.for_creation is not None:
                return None  # it is followed by another one, or not
            return WaitEnd("Stuck", self.uid, found.waiting.cause, found.words, exists=True)
        if self._times_out(now):
            return WaitEnd("Timeout", self.uid, Cause.TIMEOUT, "has not ended", exists=True)
        return None

    def _absent_end(self, now: float) -> WaitEnd | None:
        gone, seconds = self._gone, self._options.for_creation
        if seconds is None:
            if not gone:
                raise JobNotFound(f"there is no {self._reference.title}")
            return WaitEnd(
                "Stuck", gone, Cause.JOB_DELETED, "was deleted before it ended", exists=False
            )
        if now >= self._absent_since + seconds:
            words = "was deleted, and not created again in time" if gone else "was not created"
            cause = Cause.JOB_DELETED if gone else Cause.JOB_NOT_CREATED
            return WaitEnd("Stuck", gone, cause, words, exists=False)
        if self._times_out(now):
            return WaitEnd("Timeout", gone, Cause.TIMEOUT, "was not created", exists=False)
        return None

    def _times_out(self, now: float) -> bool:
        timeout = self._options.timeout
        return timeout is not None and now >= self._begun + timeout

    def deadlines(self) -> Iterator[float]:
        """Yield the times at which the wait may end without any change."""
        options = self._options
        if options.timeout is not None:
            yield self._begun + options.timeout
        if self.seen is None:
            if options.for_creation is not None:
                yield self._absent_since + options.for_creation
        else:
            found = standstill(self.seen.seen, options.bounds)
            if found is not None:
                yield found.at

    def progress(self, now: float) -> Progress | None:
        """Return the progress of the Job; None while there is none."""
        if self.seen is None:
            return None
        job, status = self.seen.job, self.seen.job.status
        return Progress(
            job.name,
            job.indexed,
            job.completions,
            status.succeeded,
            status.failed,
            status.active,
            len(self.seen.pending),
            status.terminating or 0,
            job.suspended,
            now - self._begun,
        )
