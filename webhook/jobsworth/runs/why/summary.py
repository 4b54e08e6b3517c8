"""A diagnosis for a reader in a hurry: a short first line, the cause, the fix, what comes next."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from jobsworth.controller.times import write_time
from jobsworth.runs.cause import Cause
from jobsworth.runs.virtual_time import SECOND, spoken
from jobsworth.runs.waiting import Waiting
from jobsworth.runs.why.commands import FORCED, LEADS, cause_to_fix, fixing_command
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.message_advice import Advice
from jobsworth.runs.why.unfinished_job import overdue_pods

MAX_WORDS = 20
"""Words of the first line."""
_PARENTHESIS = re.compile(r" \([^()]*\)")
_AFTER_FIRST = re.compile(r"(\([^(),;:]*)[,;:][^()]*\)")
"""A parenthesis, with its first part in a group."""


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


def summary_of(found: Diagnosis) -> Summary:
    """Return the short answer about a Job."""
    headline, said = _headline(found)
    causes = tuple(filter(None, (_rest(each, said) for each in _causes(found))))
    command, advice = fixing_command(found), found.advice
    lead = LEADS.get(cause_to_fix(found), "")
    if command.endswith(FORCED):
        lead = "If the machine is gone for good:"
    if advice and not command:
        lead, advice = advice[0].words, advice[1:]
    return Summary(ended(headline), causes, lead, command, _following(found), advice)


def owner_summary(headline: str, why: str, job: Diagnosis | None, following: str = "") -> Summary:
    """Return the short answer about a CronJob or JobSet.

    Args:
        headline: without the Job that decides, and without a period.
        why: the cause apart from that Job; may be empty.
        job: the Job that decides; None without one.
        following: what comes next, in a sentence; empty for what comes next for the Job.
    """
    short = brief(headline.rstrip(". "), MAX_WORDS)
    if job is None:
        return Summary(ended(short), (why,) if why else (), following=following)
    of_job = summary_of(job)
    said, room = of_job.headline.rstrip("."), MAX_WORDS - len(short.split())
    part = brief(said, room) if room > 0 else "…"
    if not part.endswith("…"):
        short, said = f"{short}; {part}", _rest(said, part)
    causes = tuple(filter(None, (why, said, *of_job.causes)))
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
    clause = re.split(r"[,;:] ", _PARENTHESIS.sub("", text))[0]
    parts = clause.split()
    return clause if len(parts) <= words else f"{' '.join(parts[:words])}…"


def ended(text: str) -> str:
    """Return a text with a period, or as it is if it was cut."""
    return text if text.endswith("…") else f"{text}."


def _headline(found: Diagnosis) -> tuple[str, str]:
    """Return the first line, and the beginning of a cause that it has; empty if it has none."""
    recording, waiting = found.recording, found.waiting
    subject, end = f"Job {recording.job.name}", recording.end
    if end is None:
        return _unfinished(found, subject, waiting)
    if end.finished is None and waiting is not None:
        verb = "completing" if end.success else "failing"
        start = f"{subject} is {verb} ({end.reason}): it waits for "
        return _line(start, waiting.brief or waiting.waiting_for)
    verbs = ("completed", "is completing") if end.success else ("failed", "is failing")
    at = end.decided if end.finished is None else end.finished
    after = spoken(max(0, at - recording.created) * SECOND)
    why = found.clauses[0] if found.clauses else end.reason
    return _line(f"{subject} {verbs[end.finished is None]} after {after}: ", why)


def _line(start: str, text: str) -> tuple[str, str]:
    """Return a headline, and the part of the text that it has."""
    said = brief(text, MAX_WORDS - len(start.split()))
    return start + said, said.rstrip("…")


def _rest(cause: str, said: str) -> str:
    """Return a cause without the beginning that was said."""
    if not said or not cause.startswith(said):
        return cause
    rest = cause.removeprefix(said).lstrip(" ,;:")
    return rest and f"… {rest}"


def _unfinished(found: Diagnosis, subject: str, waiting: Waiting | None) -> tuple[str, str]:
    if found.doomed:
        return _line(f"{subject} will fail: ", found.doomed)
    if waiting is None:
        return _line("", found.sentence.rstrip("."))
    age = "" if waiting.since is None else _age(found, waiting.since)
    if waiting.cause == Cause.RUNNING:
        start = f"{subject} has run for{age}: " if age else f"{subject} runs: "
        return _line(start, waiting.detail or waiting.waiting_for)
    verb = f"has waited{age}" if age else "waits"
    return _line(f"{subject} {verb} for ", waiting.brief or waiting.waiting_for)


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
    elif waiting is not None:
        shown = waiting.waiting_for if waiting.brief else ""
        yield _since(waiting, shown)
    if found.doomed:
        yield found.doomed
    if found.so_far:
        yield found.so_far


def _since(waiting: Waiting, shown: str) -> str:
    """Return what a Job waits for with its details, and since when."""
    detail = f"{shown} ({waiting.detail})" if shown and waiting.detail else shown or waiting.detail
    since = "" if waiting.since is None else f"since {write_time(round(waiting.since))}"
    since = "" if since in detail else since
    return f"{detail}, {since}" if detail and since else detail or since


def _following(found: Diagnosis) -> str:
    """Return what comes next, in a sentence."""
    recording, waiting = found.recording, found.waiting
    if waiting is not None:
        at = "" if waiting.ends_at is None else f" (at {write_time(round(waiting.ends_at))})"
        if waiting.cause == Cause.RUNNING:
            return f"It ends when its Pods do.{_otherwise(found, waiting)}"
        verb = "ends" if waiting.cause == Cause.CRASH_LOOP else "goes on"
        return f"It {verb} when {waiting.ended_by}{at}.{_otherwise(found, waiting)}"
    end, ttl = recording.end, recording.manifest["spec"].get("ttlSecondsAfterFinished")
    if end is not None and end.finished is not None and ttl is not None:
        deleted = write_time(end.finished + ttl)
        return (
            f"The Job, its Pods and their logs are deleted at {deleted} (ttlSecondsAfterFinished)."
        )
    return ""


def _otherwise(found: Diagnosis, waiting: Waiting) -> str:
    """Return what happens if the wait does not end so, as a further sentence; empty if it certainly does."""
    if waiting.deadline is not None:
        deadline = write_time(round(waiting.deadline))
        return f" Otherwise activeDeadlineSeconds fails the Job at {deadline}."
    pods = found.recording.pods
    held = any(overdue_pods(found.recording)) or any(each.facts.finalizers for each in pods)
    if not waiting.hangs or waiting.cause == Cause.SYNCING:
        return ""
    if waiting.cause == Cause.TERMINATING and not held:
        return ""
    if waiting.cause.heals is None:
        return " No activeDeadlineSeconds limits it."
    return " Otherwise it waits forever."
