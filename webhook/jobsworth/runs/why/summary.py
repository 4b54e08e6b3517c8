"""A diagnosis for a reader in a hurry: a first line, the cause, the fix, commands, what comes next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from jobsworth.controller.times import write_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.virtual_time import SECOND, spoken
from jobsworth.runs.waiting import Waiting, fails_at
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.fixes import fix_of
from jobsworth.runs.why.message_advice import Advice
from jobsworth.runs.why.unfinished_job import (
    overdue_pods,
)

MAX_WORDS = 20
"""Words of the first line."""
_FEW = 8
"""Words that are not worth to be cut out of a text."""
_ALL = 1000
"""More words than a headline has."""
_PARENTHESIS = re.compile(r" \([^()]*\)")
_END_OF_CLAUSE = re.compile(r"[;:] |(?<!\d), |, (?!\d)")
"""Not between the numbers of a list."""
_ONLY_A_TIME = re.compile(r"(it has waited )?since \S+")
_AFTER_FIRST = re.compile(r"(\([^(),;:]*)[,;:][^()]*\)")
"""A parenthesis, with its first part in a group."""

FOREVER = "it waits forever"
_OTHER_JOB = re.compile(r"^(?!Wait ).*(?:\bnew Job\b|\banew\b)")


@dataclass(frozen=True, slots=True)
class Summary:
    """The short answer.

    Attributes:
        headline: at most :data:`MAX_WORDS` words.
        causes: clauses; empty if the headline says all.
        fix: words before the command, or the advice without one; may be empty.
        command: to paste into a shell; empty without one.
        advice: what to change, without `fix`.
        following: what comes next, in a sentence; empty if that is unknown.
    """

    headline: str
    causes: tuple[str, ...] = ()
    fix: str = ""
    command: str = ""
    following: str = ""
    advice: tuple[Advice, ...] = ()


def summary_of(
    found: Diagnosis, subject: str = "It", words: int = MAX_WORDS, otherwise: str = FOREVER
) -> Summary:
    """Return the short answer about a Job.

    Args:
        otherwise: what happens, as a clause, if nothing ends a wait that no time ends.
        subject: what the sentence about what comes next calls the Job.
        words: at most so many are in the headline, unless its first part is longer.
    """
    headline, said = _headline(found, words)
    causes = tuple(filter(None, (_rest(each, said) for each in _causes(found))))
    (lead, command), advice = fix_of(found)
    following, end = _following(found, subject, otherwise), found.recording.end
    if found.outcome == "Failed" and found.waiting is None and end and end.finished is not None:
        causes = (*causes[:-1], *(f"{each}, at {write_time(end.finished)}" for each in causes[-1:]))
    if _ended_alone(found) and not _OTHER_JOB.search(lead):
        again = f"{subject} does not run again: create it anew when the cause is gone."
        following = " ".join(filter(None, (again, following)))
    return Summary(ended(headline), causes, lead, command, following, advice)


def _ended_alone(found: Diagnosis) -> bool:
    """Return True for a Job that has failed, and that no controller creates anew."""
    end, meta = found.recording.end, found.recording.manifest["metadata"]
    owned = any(each.get("controller") for each in meta.get("ownerReferences") or ())
    finished = end is not None and end.finished is not None
    return found.outcome == "Failed" and finished and found.waiting is None and not owned


def owner_summary(
    headline: str,
    why: str,
    job: Diagnosis | None,
    following: str = "",
    *,
    failed_run: bool = False,
    otherwise: str = FOREVER,
) -> Summary:
    """Return the short answer about a CronJob or JobSet.

    Args:
        headline: without the Job that decides, and without a period.
        why: the cause apart from that Job; may be empty.
        job: the Job that decides; None without one.
        following: what comes next, in a sentence; empty for what comes next for the Job.
        failed_run: the Job is a run that the headline says has failed.
        otherwise: what happens, as a clause, if nothing ends a wait of the Job that no time ends.
    """
    short = brief(headline.rstrip(". "), MAX_WORDS)
    if job is None:
        return Summary(ended(short), (why,) if why else (), following=following)
    room = MAX_WORDS - len(short.split())
    of_job = summary_of(job, f"Job {job.recording.job.name}", room, otherwise)
    if failed_run and job.clauses:
        part, said = _line("", job.clauses[0], room)
        rest = (_rest(each, said) for each in job.clauses)
        of_job = replace(of_job, headline=ended(part), causes=tuple(filter(None, rest)))
    causes = of_job.causes
    if len(of_job.headline.split()) <= room and not of_job.headline.endswith("…"):
        short = f"{short}; {of_job.headline.rstrip('.')}"
    else:
        of_job = summary_of(job, f"Job {job.recording.job.name}", _ALL, otherwise)
        causes = (of_job.headline.rstrip("."), *of_job.causes)
    causes = tuple(filter(None, (*causes, why) if failed_run else (why, *causes)))
    following = " ".join(filter(None, (following, of_job.following)))
    return replace(of_job, headline=ended(short), causes=causes, following=following)


def brief(text: str, words: int) -> str:
    """Return the main part of a text: with shorter parentheses, without any, its first clause, or a part.

    >>> brief("Pod a was evicted through the API (a drain), and rules[0] matches", 7)
    'Pod a was evicted through the API'
    """
    for shorter in (text, _AFTER_FIRST.sub(r"\1)", text), _PARENTHESIS.sub("", text)):
        if len(shorter.split()) <= words:
            return shorter
    clause = _END_OF_CLAUSE.split(_PARENTHESIS.sub("", text))[0]
    parts = clause.split()
    return clause if len(parts) <= words else f"{' '.join(parts[: max(0, words)])}…"


def ended(text: str) -> str:
    """Return a text with a period, or as it is if it was cut."""
    return text if text.endswith("…") else f"{text}."


def _headline(found: Diagnosis, words: int) -> tuple[str, str]:
    """Return the first line, and the beginning of a cause that it has; empty if it has none."""
    recording, waiting = found.recording, found.waiting
    subject, end = f"Job {recording.job.name}", recording.end
    if end is None:
        return _unfinished(found, subject, waiting, words)
    if end.finished is None and waiting is not None:
        verb = "completing" if end.success else "failing"
        start = f"{subject} is {verb} ({end.reason}): it waits for "
        return _line(start, waiting.brief or waiting.waiting_for, words)
    verbs = ("completed", "is completing") if end.success else ("failed", "is failing")
    at = end.decided if end.finished is None else end.finished
    if end.success and waiting is not None:
        after = spoken(max(0, at - recording.created) * SECOND)
        age = "" if waiting.since is None else _age(found, waiting.since)
        start = f"{subject} completed after {after}, and has waited{age} for "
        return _line(start, waiting.waiting_for, words)
    after = spoken(max(0, at - recording.created) * SECOND)
    why = found.clauses[0] if found.clauses else end.reason
    return _line(f"{subject} {verbs[end.finished is None]} after {after}: ", why, words)


def _line(start: str, text: str, words: int) -> tuple[str, str]:
    """Return a headline, and the part of the text that it has: none if only a few of its words fit."""
    room = words - len(start.split())
    said = brief(text, room)
    if said.endswith("…") and room < _FEW and start.endswith(": "):
        return start.removesuffix(": "), ""
    return start + said, said.rstrip("…")


def _rest(cause: str, said: str) -> str:
    """Return a cause without the beginning that was said, and without a time alone, whose age was."""
    if said and not cause.startswith(said) and _AFTER_FIRST.sub(r"\1)", cause).startswith(said):
        return f"… {cause[cause.index('(') :]}"
    if not said or not cause.startswith(said):
        return "" if _ONLY_A_TIME.fullmatch(cause) else cause
    rest = cause.removeprefix(said).lstrip(" ,;:")
    return "" if not rest or _ONLY_A_TIME.fullmatch(rest) else f"… {rest}"


def _unfinished(
    found: Diagnosis, subject: str, waiting: Waiting | None, words: int
) -> tuple[str, str]:
    if found.doomed:
        return _line(f"{subject} will fail: ", found.doomed, words)
    if waiting is None:
        return _line("", found.sentence.rstrip("."), words)
    age = "" if waiting.since is None else _age(found, waiting.since)
    if waiting.cause == Cause.RUNNING:
        start = f"{subject} has run for{age}: " if age else f"{subject} runs: "
        return _line(start, waiting.details or waiting.waiting_for, words)
    verb = f"has waited{age}" if age else "waits"
    return _line(f"{subject} {verb} for ", waiting.brief or waiting.waiting_for, words)


def _age(found: Diagnosis, since: float) -> str:
    """Return the age of a time; empty for one that is in the future by the clock of the recording."""
    seconds = found.recording.now - since
    return f" {spoken(seconds * SECOND)}" if seconds >= 1 else ""


def _causes(found: Diagnosis) -> Iterator[str]:
    waiting = found.waiting
    if found.recording.end is not None:
        yield from found.clauses
        if waiting is not None:
            yield _since(waiting, f"it waits for {waiting.waiting_for}")
        return
    yield from filter(None, (found.doomed, found.so_far))
    if waiting is None:
        return
    if waiting.cause != Cause.RUNNING:
        yield _since(waiting, waiting.waits_for if waiting.brief else "")
    if waiting.progress:
        yield waiting.progress


def _since(waiting: Waiting, shown: str) -> str:
    """Return what a Job waits for with its details, and since when."""
    detail = f"{shown} ({waiting.detail})" if shown and waiting.detail else shown or waiting.detail
    since = "" if waiting.since is None else f"since {write_time(round(waiting.since))}"
    if not since or since in detail:
        return detail
    return f"{detail.rstrip('. ')}, {since}" if detail else f"it has waited {since}"


def _following(found: Diagnosis, subject: str, otherwise: str) -> str:
    """Return what comes next, in a sentence."""
    recording, waiting = found.recording, found.waiting
    if waiting is not None:
        at = "" if waiting.ends_at is None else f" (at {write_time(round(waiting.ends_at))})"
        if waiting.cause == Cause.RUNNING:
            return f"{subject} ends when its Pods do.{_otherwise(found, waiting, otherwise)}"
        return f"{subject} {waiting.following}{at}.{_otherwise(found, waiting, otherwise)}"
    end, ttl = recording.end, recording.manifest["spec"].get("ttlSecondsAfterFinished")
    if end is not None and end.finished is not None and ttl is not None:
        deleted = write_time(end.finished + ttl)
        left = any(not pod.gone for pod in recording.pods) or recording.partial
        what = "The Job, its Pods and their logs are" if left else "The Job is"
        return f"{what} deleted at {deleted} (ttlSecondsAfterFinished)."
    return ""


def _otherwise(found: Diagnosis, waiting: Waiting, otherwise: str) -> str:
    """Return what happens if the wait does not end so, as a further sentence; empty if it certainly does."""
    if waiting.deadline is not None:
        return f" Otherwise {fails_at(waiting.deadline)}."
    pods = found.recording.pods
    if waiting.progress and waiting.cause in (Cause.QUOTA, Cause.UNSCHEDULABLE):
        return ""  # the end of its own Pods makes room
    held = any(overdue_pods(found.recording)) or any(each.facts.finalizers for each in pods)
    if not waiting.hangs or waiting.cause == Cause.SYNCING:
        return ""
    if waiting.cause == Cause.TERMINATING and not held:
        return ""
    if waiting.cause.heals is None:
        return " No activeDeadlineSeconds limits it."
    return f" Otherwise {otherwise}."
