"""What an API server demands of the status of a Job, as Kubernetes validates it since 1.35.

Rules that look at what changes in a write do not block writes of something else to a status that is
already odd; the others hold always.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

Status = dict[str, Any]


def refusals(job: dict[str, Any], new: Status, old: Status) -> list[str]:
    """Why the status `new` is refused for a Job whose stored status is `old`; empty if it is not."""
    return [*_always(job, new, old), *_where_changed(job, new, old)]


def holds(status: Status, kind: str) -> bool:
    """Whether a condition of a type is True."""
    return any(
        entry["type"] == kind and entry["status"] == "True"
        for entry in status.get("conditions") or ()
    )


def indexes(text: str) -> list[int]:
    """The indexes of a list such as ``1,3-5``.

    Raises:
        ValueError: the list is not written as the API demands.
    """
    found: list[int] = []
    for part in text.split(",") if text else ():
        first, dash, last = part.partition("-")
        if not first.isdigit() or (dash and not last.isdigit()):
            raise ValueError(f"bad part {part!r}")
        start, end = int(first), int(last if dash else first)
        if (dash and start >= end) or (found and start <= found[-1]):
            raise ValueError(f"not increasing at {part!r}")
        found.extend(range(start, end + 1))
    return found


def _always(job: dict[str, Any], new: Status, old: Status) -> Iterator[str]:
    spec = job["spec"]
    for field in ("active", "succeeded", "failed", "ready", "terminating"):
        if (new.get(field) or 0) < 0:
            yield f"status.{field} is negative"
    uids = _uncounted(new)
    if "" in uids or len(set(uids)) != len(uids):
        yield "status.uncountedTerminatedPods has empty or repeated entries"
    met = holds(new, "SuccessCriteriaMet")
    for kind in ("Failed", "FailureTarget"):
        if met and holds(new, kind):
            yield f"SuccessCriteriaMet together with {kind}"
    if spec.get("successPolicy") and holds(new, "Complete") and not met:
        yield "Complete without SuccessCriteriaMet, with a success policy"
    for kind in ("SuccessCriteriaMet", "Failed", "Complete", "FailureTarget"):
        if holds(old, kind) and not holds(new, kind):
            yield f"{kind} cannot be taken back"
    if holds(old, "Complete") and not holds(old, "SuccessCriteriaMet") and met:
        yield "SuccessCriteriaMet after Complete"
    if (new.get("failed") or 0) < (old.get("failed") or 0):
        yield "status.failed decreases"
    elastic = spec.get("completionMode") == "Indexed" and spec["completions"] == spec["parallelism"]
    if (new.get("succeeded") or 0) < (old.get("succeeded") or 0) and not elastic:
        yield "status.succeeded decreases"
    before, after = old.get("completionTime"), new.get("completionTime")
    if before and after and before != after:
        yield "status.completionTime changes"


def _where_changed(job: dict[str, Any], new: Status, old: Status) -> Iterator[str]:
    finished = _finished(new)

    def changed(*fields: str) -> bool:
        return any((new.get(field) or 0) != (old.get(field) or 0) for field in fields)

    def turned(*kinds: str) -> bool:
        return any(holds(new, kind) != holds(old, kind) for kind in kinds)

    finishing = finished != _finished(old)
    if finished and new.get("active") and (finishing or changed("active")):
        yield "active Pods in a finished Job"
    if finished and new.get("terminating") and (finishing or changed("terminating")):
        yield "terminating Pods in a finished Job"
    if finished and _uncounted(new) and (finishing or _uncounted(new) != _uncounted(old)):
        yield "uncounted Pods in a finished Job"
    waived = job["spec"].get("suspend") and job["spec"].get("completions") == 0
    if finished and not new.get("startTime") and not waived and (finishing or changed("startTime")):
        yield "no startTime in a finished Job"
    failed, complete = holds(new, "Failed"), holds(new, "Complete")
    if failed and not holds(new, "FailureTarget") and (turned("Failed") or _index_change(new, old)):
        yield "Failed without FailureTarget"
    if complete and not holds(new, "SuccessCriteriaMet") and turned("Complete"):
        yield "Complete without SuccessCriteriaMet"
    if complete != bool(new.get("completionTime")) and (
        turned("Complete") or changed("completionTime")
    ):
        yield "Complete and completionTime do not go together"
    if new.get("completionTime") and new["completionTime"] < (new.get("startTime") or ""):
        yield "completionTime before startTime"
    if complete and failed and turned("Complete", "Failed"):
        yield "Complete and Failed"
    if complete and holds(new, "FailureTarget") and turned("Complete", "FailureTarget"):
        yield "Complete and FailureTarget"
    yield from _start_time(job, new, old)
    if (new.get("ready") or 0) > (new.get("active") or 0) and changed("ready", "active"):
        yield "more ready Pods than active ones"
    yield from _index_lists(job, new, old)


def _start_time(job: dict[str, Any], new: Status, old: Status) -> Iterator[str]:
    before, after = old.get("startTime"), new.get("startTime")
    resumed = holds(old, "Suspended") and not holds(new, "Suspended")
    if before and before != after and not job["spec"].get("suspend") and not resumed:
        yield "status.startTime changes in a Job that is not suspended"


def _index_lists(job: dict[str, Any], new: Status, old: Status) -> Iterator[str]:
    if not _index_change(new, old):
        return
    lists = {}
    for field in ("completedIndexes", "failedIndexes"):
        text = new.get(field) or ""
        try:
            lists[field] = indexes(text)
        except ValueError as error:
            yield f"status.{field}: {error}"
            return
        if lists[field] and lists[field][-1] >= job["spec"].get("completions", 0):
            yield f"status.{field}: an index beyond the completions"
    if new.get("completedIndexes") and job["spec"].get("completionMode") != "Indexed":
        yield "status.completedIndexes of a Job that is not Indexed"
    if new.get("failedIndexes") is not None and "backoffLimitPerIndex" not in job["spec"]:
        yield "status.failedIndexes of a Job without backoffLimitPerIndex"
    if set(lists["completedIndexes"]) & set(lists["failedIndexes"]):
        yield "an index is completed and failed"


def _index_change(new: Status, old: Status) -> bool:
    return any(new.get(field) != old.get(field) for field in ("completedIndexes", "failedIndexes"))


def _finished(status: Status) -> bool:
    return holds(status, "Complete") or holds(status, "Failed")


def _uncounted(status: Status) -> list[str]:
    uncounted = status.get("uncountedTerminatedPods") or {}
    return [*(uncounted.get("succeeded") or ()), *(uncounted.get("failed") or ())]
