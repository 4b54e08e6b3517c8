"""The API server's rules for a write to the status of a Job, as a pure checker.

Source: ``ValidateJobStatusUpdate`` and the Job strategy of Kubernetes 1.36 with its default gates
(``RelaxedJobStatus…`` of old are always off there). Every status that the controller writes in a test
goes through here, since the server would answer 422 to what breaks a rule, and the Job be stuck.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.api.formats.indexes import BadIndexes, intervals
from jobsworth.controller.times import read_time

if TYPE_CHECKING:
    from collections.abc import Iterator

COUNTERS = ("active", "succeeded", "failed", "ready", "terminating")


def broken_rules(spec: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return the rules that a new status of a Job breaks, given the stored one; each with its number."""
    return [
        *_always(spec, old, new),
        *_on_finish(spec, old, new),
        *_on_conditions(old, new),
        *_on_times(spec, old, new),
        *_on_indexes(spec, old, new),
    ]


def _holds(status: dict[str, Any], kind: str) -> bool:
    return any(
        entry["type"] == kind and entry["status"] == "True"
        for entry in status.get("conditions") or ()
    )


def _finished(status: dict[str, Any]) -> bool:
    return _holds(status, "Complete") or _holds(status, "Failed")


def _number(status: dict[str, Any], field: str) -> int:
    return status.get(field) or 0


def _uids(status: dict[str, Any]) -> list[str]:
    lists = status.get("uncountedTerminatedPods") or {}
    return [*(lists.get("succeeded") or ()), *(lists.get("failed") or ())]


def _always(spec: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    for field in COUNTERS:
        if _number(new, field) < 0:
            yield f"1: {field} is negative"
    uids = _uids(new)
    if len(set(uids)) != len(uids) or "" in uids:
        yield "2: uncounted UIDs are empty or double"
    for excluded, rule in (("Failed", 3), ("FailureTarget", 4)):
        if _holds(new, "SuccessCriteriaMet") and _holds(new, excluded):
            yield f"{rule}: SuccessCriteriaMet with {excluded}"
    complete, met = _holds(new, "Complete"), _holds(new, "SuccessCriteriaMet")
    if "successPolicy" in spec and complete and not met:
        yield "5: Complete by a success policy without SuccessCriteriaMet"
    if _holds(old, "SuccessCriteriaMet") and not met:
        yield "6: SuccessCriteriaMet was taken back"
    if _holds(old, "Complete") and not _holds(old, "SuccessCriteriaMet") and met:
        yield "7: SuccessCriteriaMet after Complete"
    for kind in ("Failed", "Complete", "FailureTarget"):
        if _holds(old, kind) and not _holds(new, kind):
            yield f"8: {kind} was taken back"
    if _number(new, "failed") < _number(old, "failed"):
        yield "9: failed decreased"
    elastic = spec.get("completionMode") == "Indexed" and spec.get("completions") == spec.get(
        "parallelism"
    )
    if _number(new, "succeeded") < _number(old, "succeeded") and not elastic:
        yield "10: succeeded decreased"
    times = old.get("completionTime"), new.get("completionTime")
    if all(times) and times[0] != times[1]:
        yield "11: completionTime changed"


def _on_finish(spec: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    if not _finished(new):
        return
    news = not _finished(old)
    for field, rule in (("active", 12), ("terminating", 13)):
        if _number(new, field) and (news or _number(new, field) != _number(old, field)):
            yield f"{rule}: finished with {field}"
    if _uids(new) and (news or _uids(new) != _uids(old)):
        yield "14: finished with uncounted Pods"
    waived = spec.get("suspend") and spec.get("completions") == 0
    changed = news or new.get("startTime") != old.get("startTime")
    if not new.get("startTime") and changed and not waived:
        yield "15: finished without startTime"


def _on_conditions(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    news = {
        kind: _holds(new, kind) != _holds(old, kind)
        for kind in ("Complete", "Failed", "FailureTarget", "SuccessCriteriaMet")
    }
    failed_news = news["Failed"] or new.get("failedIndexes") != old.get("failedIndexes")
    if failed_news and _holds(new, "Failed") and not _holds(new, "FailureTarget"):
        yield "16: Failed without FailureTarget"
    if not _holds(new, "Complete"):
        if new.get("completionTime") and new["completionTime"] != old.get("completionTime"):
            yield "18: completionTime without Complete"
        return
    if (news["Complete"] or news["SuccessCriteriaMet"]) and not _holds(new, "SuccessCriteriaMet"):
        yield "17: Complete without SuccessCriteriaMet"
    if not new.get("completionTime"):
        yield "18: Complete without completionTime"
    for kind, rule in (("Failed", 20), ("FailureTarget", 21)):
        if _holds(new, kind) and (news["Complete"] or news[kind]):
            yield f"{rule}: Complete with {kind}"


def _on_times(spec: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    start, end = read_time(new.get("startTime")), read_time(new.get("completionTime"))
    changed = (new.get("startTime"), new.get("completionTime")) != (
        old.get("startTime"),
        old.get("completionTime"),
    )
    if start is not None and end is not None and end < start and changed:
        yield "19: completionTime before startTime"
    resumed = _holds(old, "Suspended") and not _holds(new, "Suspended")
    moved = old.get("startTime") and old["startTime"] != new.get("startTime")
    if moved and not spec.get("suspend") and not resumed:
        yield "22: startTime changed"
    counts = _number(new, "ready"), _number(new, "active")
    if counts[0] > counts[1] and counts != (_number(old, "ready"), _number(old, "active")):
        yield "23: more ready than active"


def _on_indexes(spec: dict[str, Any], old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    indexed, size = spec.get("completionMode") == "Indexed", spec.get("completions") or 0
    allowed = (
        ("completedIndexes", 24, indexed),
        ("failedIndexes", 25, indexed and "backoffLimitPerIndex" in spec),
    )
    sets = []
    changed = False
    for field, rule, is_allowed in allowed:
        text = new.get(field)
        changed = changed or text != old.get(field)
        try:
            runs = intervals(text or "", size)
        except BadIndexes as error:
            runs = []
            if text != old.get(field):
                yield f"{rule}: {field}: {error}"
        sets.append({index for first, last in runs for index in range(first, last + 1)})
        if text not in (None, "") and not is_allowed and text != old.get(field):
            yield f"{rule}: {field} is not for this Job"
        if field == "failedIndexes" and text is not None and not is_allowed:
            yield f"{rule}: {field} is not for this Job"
    if changed and sets[0] & sets[1]:
        yield f"26: indexes {sorted(sets[0] & sets[1])} are both completed and failed"
