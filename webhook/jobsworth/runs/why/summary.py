"""A diagnosis for a reader in a hurry: a first line, the cause, the fix, commands, what comes next."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from shlex import quote
from typing import NamedTuple

from jobsworth.controller.pods import ACTIVE, TERMINATING
from jobsworth.controller.times import write_time
from jobsworth.lint.agents import QUIT_REQUESTS
from jobsworth.lint.rules.queues import QUEUE_LABEL
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.kept_pods import crashing
from jobsworth.runs.recorded.messages import meaning_of
from jobsworth.runs.virtual_time import SECOND, spoken
from jobsworth.runs.waiting import Waiting, fails_at
from jobsworth.runs.why.diagnosis import Diagnosis
from jobsworth.runs.why.message_advice import Advice
from jobsworth.runs.why.unfinished_job import (
    deleted_pods,
    kept_pods,
    on_unready_nodes,
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

Words = tuple[str, ...]

FORCED = "--force"
_OF_NODE = "kubectl delete node "
_BY_SIGNAL = "-- kill 1"
_FINALIZERS = '{"metadata":{"finalizers":'
_LEADS: dict[Cause, str] = {
    Cause.CONTAINER_RUNS_ON: "End the container now:",
    Cause.NO_PARALLELISM: "Raise the parallelism:",
    Cause.INITIALIZING: "See what it does:",
    Cause.PENDING: "See what is missing:",
    Cause.RUNNING: "See the node, whose Pods are evicted unless it is back in time:",
}
"""Words before a command, where no advice about the cause says them."""
_SHOWING = ("get", "describe")
"""Verbs of commands that change nothing."""
_GOING_ON = (Cause.RUNNING, Cause.SYNCING)
"""States of an unfinished Job that need no fix, whatever its failures so far."""
_BY_LOG = (Cause.EXIT_CODE, Cause.BACKING_OFF)
"""Causes whose command is about the failures so far."""
_OTHER_JOB = re.compile(r"\bnew Job\b|\banew\b")
_KEPT_FOR = 3600
"""Seconds for which an API server keeps Events by default."""


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


def summary_of(found: Diagnosis, subject: str = "It", words: int = MAX_WORDS) -> Summary:
    """Return the short answer about a Job.

    Args:
        subject: what the sentence about what comes next calls the Job.
        words: at most so many are in the headline, unless its first part is longer.
    """
    headline, said = _headline(found, words)
    causes = tuple(filter(None, (_rest(each, said) for each in _causes(found))))
    (lead, command), advice = fix_of(found)
    following, end = _following(found, subject), found.recording.end
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


class Fix(NamedTuple):
    """What removes a cause: in words, and as a command to paste; both may be empty."""

    text: str = ""
    command: str = ""


NO_FIX = Fix()


def fix_of(found: Diagnosis) -> tuple[Fix, tuple[Advice, ...]]:
    """Return what removes the cause, and the rest of the advice."""
    cause, command, advice = cause_to_fix(found), fixing_command(found), found.advice
    lead = _LEADS.get(cause, "") if command else ""
    if command.endswith(FORCED) or command.startswith(_OF_NODE):
        lead = "If the machine is gone for good:"
        advice = tuple(each for each in advice if each.cause != Cause.TERMINATING)
    elif command.endswith(_BY_SIGNAL):
        lead = "End the container now (a code other than 0 fails the Pod):"
    elif _FINALIZERS in command:
        lead = "If the owner of the finalizer is gone for good:"
    if (
        cause == Cause.TERMINATING
        and found.waiting is not None
        and found.waiting.ends_at is not None
    ):
        return NO_FIX, tuple(each for each in advice if each.cause != cause)
    if lead or not advice or (found.outcome == "Unfinished" and cause in _GOING_ON):
        return Fix(lead, command), advice
    first, rest = advice[0], advice[1:]
    if not command:
        return Fix(first.words if first.code else first.text), rest
    if first.cause != cause and cause not in _BY_LOG:
        return Fix("", command), advice
    showing = command.split()[1] in _SHOWING
    lead = f"{first.text} See:" if showing else f"{first.text.rstrip('.')}:"
    return Fix(lead, command), rest


def owner_summary(
    headline: str, why: str, job: Diagnosis | None, following: str = "", *, failed_run: bool = False
) -> Summary:
    """Return the short answer about a CronJob or JobSet.

    Args:
        headline: without the Job that decides, and without a period.
        why: the cause apart from that Job; may be empty.
        job: the Job that decides; None without one.
        following: what comes next, in a sentence; empty for what comes next for the Job.
        failed_run: the Job is a run that the headline says has failed.
    """
    short = brief(headline.rstrip(". "), MAX_WORDS)
    if job is None:
        return Summary(ended(short), (why,) if why else (), following=following)
    room = MAX_WORDS - len(short.split())
    of_job = summary_of(job, f"Job {job.recording.job.name}", room)
    if failed_run and job.clauses:
        part, said = _line("", job.clauses[0], room)
        rest = (_rest(each, said) for each in job.clauses)
        of_job = replace(of_job, headline=ended(part), causes=tuple(filter(None, rest)))
    causes = of_job.causes
    if len(of_job.headline.split()) <= room and not of_job.headline.endswith("…"):
        short = f"{short}; {of_job.headline.rstrip('.')}"
    else:
        of_job = summary_of(job, f"Job {job.recording.job.name}", _ALL)
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


def _following(found: Diagnosis, subject: str) -> str:
    """Return what comes next, in a sentence."""
    recording, waiting = found.recording, found.waiting
    if waiting is not None:
        at = "" if waiting.ends_at is None else f" (at {write_time(round(waiting.ends_at))})"
        if waiting.cause == Cause.RUNNING:
            return f"{subject} ends when its Pods do.{_otherwise(found, waiting)}"
        return f"{subject} {waiting.following}{at}.{_otherwise(found, waiting)}"
    end, ttl = recording.end, recording.manifest["spec"].get("ttlSecondsAfterFinished")
    if end is not None and end.finished is not None and ttl is not None:
        deleted = write_time(end.finished + ttl)
        left = any(not pod.gone for pod in recording.pods) or recording.partial
        what = "The Job, its Pods and their logs are" if left else "The Job is"
        return f"{what} deleted at {deleted} (ttlSecondsAfterFinished)."
    return ""


def _otherwise(found: Diagnosis, waiting: Waiting) -> str:
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
    return " Otherwise it waits forever."


def cause_to_fix(found: Diagnosis) -> Cause:
    """Return the cause that a command is about: that of a wait, or of the failure that dooms the Job."""
    if found.doomed:
        return Cause.EXIT_CODE
    return found.cause if found.waiting is None else found.waiting.cause


def fixing_command(found: Diagnosis) -> str:
    """Return a command that removes the cause, or shows what it takes; empty without one."""
    cause = cause_to_fix(found)
    made = _MADE.get(cause)
    words = _by_message(found, cause)
    if not words:
        words = _BY_CAUSE.get(cause, ("",)) if made is None else made(found)
    verb, *rest = words
    if not verb:
        return ""
    job, namespace = found.recording.job.name, found.recording.job.namespace
    elsewhere = "-n" in rest or not namespace or _OF_CLUSTER.search(verb)
    within = [] if elsewhere else ["-n", namespace]
    quoted = (quote(each.replace(_JOB, job)) for each in (*within, *rest))
    return " ".join(("kubectl", verb, *quoted))


def _by_message(found: Diagnosis, cause: Cause) -> Words:
    """Return the command that the message about the wait decides; empty if it decides none."""
    meaning = meaning_of(cause, _message(found))
    verb, _, rest = meaning.entry.command.partition(" ")
    resource, *words = meaning.fill(rest, job=_JOB, claims=" ".join(_claims(found))).split() or [""]
    if not verb or (_CLAIMS in meaning.entry.command and not words):
        return ()
    return f"{verb} {resource.lower()}", *words


_OF_CLUSTER = re.compile(r" node|webhookconfiguration|priorityclass")
_CLAIMS = "{claims}"
_JOB = "{job}"
_OF_GARBAGE_COLLECTOR = ("foregroundDeletion", "orphan")
"""Finalizers that the garbage collector removes."""


def _events(found: Diagnosis) -> Words:
    """Return the command for the Events of the Job, unless they were read, or are gone."""
    recording = found.recording
    if recording.events or recording.now - recording.until > _KEPT_FOR:
        return ("",)
    return "get events", "--field-selector", f"involvedObject.name={_JOB}"


def _message(found: Diagnosis) -> str:
    """Return what the Pods or the API server say about the wait."""
    return "" if found.waiting is None else found.waiting.detail


def _patch(spec: str) -> Words:
    return "patch job", _JOB, "--type=merge", "-p", f'{{"spec":{{{spec}}}}}'


def _suspended(found: Diagnosis) -> Words:
    queue = found.recording.queue
    if queue is not None:
        return f"describe {queue.kind.lower()}", queue.name
    labels = found.recording.manifest["metadata"].get("labels") or {}
    return ("describe workloads",) if QUEUE_LABEL in labels else _patch('"suspend":false')


def _logs(found: Diagnosis) -> Words:
    """Return the command for the log of the container that failed; of one that restarts, of its last run."""
    decisive = [each.pods[-1] for each in found.groups if each.effect == found.groups[0].effect]
    for pod in sorted(decisive, key=lambda each: each.view.finished_at, reverse=True):
        failed = [each.name for each in pod.containers if each.exit_code]
        if failed and not pod.gone:
            return "logs", pod.name, "-c", failed[0]
    for pod in found.recording.pods:
        for last in pod.facts.last_runs:
            helps = last.container in pod.facts.sidecars and last.container not in crashing(
                pod.facts
            )
            if not pod.gone and not helps:
                if last.reason == "OOMKilled":
                    return ("",)
                if last.never_ran:
                    return "describe pod", pod.name
                return "logs", pod.name, "-c", last.container, "--previous"
    return _events(found)


def _initializing(found: Diagnosis) -> Words:
    for pod in found.recording.pods:
        if name := pod.facts.initializing or pod.facts.unstarted_sidecar:
            return "logs", pod.name, "-c", name
    return _events(found)


_ISTIO_QUIT = ("pilot-agent", "request", "POST", "quitquitquit")


def _runs_on(found: Diagnosis) -> Words:
    """Return the command that ends the container: by its endpoint, else by a signal.

    Images of proxies have no shell and no curl, so that another container of the Pod makes the request.
    """
    name, kept = next(iter(kept_pods(found.recording).items()))
    container = kept.keeping[0]
    if "istio" in container:
        return "exec", name, "-c", container, "--", *_ISTIO_QUIT
    request = next((each for key, each in QUIT_REQUESTS.items() if key in container), "")
    if not request or not _offers_quit(found, container, request):
        return "debug", name, "--image=busybox", f"--target={container}", *_BY_SIGNAL.split()
    return "debug", name, "--image=curlimages/curl", "--", *request.partition(" (")[0].split()


def _offers_quit(found: Diagnosis, name: str, request: str) -> bool:
    """Return False if a container of the template lacks the option that the request takes."""
    _, _, option = request.partition(" (with --")
    spec = found.recording.manifest["spec"]["template"].get("spec") or {}
    written = next(
        (each for each in spec.get("containers") or () if each.get("name") == name), None
    )
    if written is None or not option:
        return True
    keys = ("command", "args", "env")
    return option.rstrip(")") in json.dumps([written.get(each) for each in keys]).lower()


def _terminating(found: Diagnosis) -> Words:
    for pod in overdue_pods(found.recording):
        if not pod.facts.finalizers:
            if found.recording.job.only_replace_failed and found.recording.end is None:
                return ("delete node", pod.facts.node) if pod.facts.node else ("",)
            return "delete pod", pod.name, FORCED
    return _pod(found, TERMINATING)


def _deleting(found: Diagnosis) -> Words:
    pods = deleted_pods(found.recording)
    if not pods:
        names = found.recording.manifest["metadata"].get("finalizers") or ()
        kept = [each for each in names if each in _OF_GARBAGE_COLLECTOR]
        if len(kept) == len(names):
            return "get job", _JOB, "-o", "jsonpath={.metadata.finalizers}"
        left = f"{_FINALIZERS}{json.dumps(kept) if kept else 'null'}}}}}"
        return "patch job", _JOB, "--type=merge", "-p", left
    if pods[0].facts.finalizers:
        return "patch pod", pods[0].name, "--type=merge", "-p", f"{_FINALIZERS}null}}}}"
    return _terminating(found)


def _pod(found: Diagnosis, state: int = ACTIVE) -> Words:
    pods = [each.name for each in found.recording.pods if each.view.state == state]
    if found.outcome != "Unfinished" and not pods:
        return ("",)
    return ("describe pod", pods[0]) if pods else _events(found)


def _pending(found: Diagnosis) -> Words:
    for pod in found.recording.pods:
        if name := pod.facts.unstarted_sidecar:
            return "logs", pod.name, "-c", name, "--previous"
    return _pod(found)


def _unready_node(found: Diagnosis) -> Words:
    lost = on_unready_nodes(found.recording)
    return ("describe node", lost[0].facts.node) if lost else ("",)


def _claims(found: Diagnosis) -> list[str]:
    """Return the claims of the template that the message names by their volumes; all, if it names none."""
    volumes = (found.recording.manifest["spec"]["template"].get("spec") or {}).get("volumes") or ()
    message = _message(found)
    claims = {
        each.get("name") or "": claim["claimName"]
        for each in volumes
        if (claim := each.get("persistentVolumeClaim")) and claim.get("claimName")
    }
    named = [
        claim
        for name, claim in claims.items()
        if re.search(rf'[\["]{re.escape(name)}[\]"]', message)
    ]
    return [*dict.fromkeys(named or claims.values())]


_BY_CAUSE: dict[Cause, Words] = {
    Cause.NO_PARALLELISM: _patch('"parallelism":1'),
    Cause.UNSCHEDULABLE: ("describe nodes",),
}
"""The verb with its resource, and the words behind the namespace."""
_MADE: dict[Cause, Callable[[Diagnosis], Words]] = {
    Cause.VOLUME: _pod,
    Cause.PODS_GONE: _events,
    Cause.OTHER_REASON: _events,
    Cause.SCHEDULING_GATED: _pod,
    Cause.NO_SCHEDULER: _pod,
    Cause.SANDBOX: _pod,
    Cause.PENDING: _pending,
    Cause.START_ERROR: _pod,
    Cause.INITIALIZING: _initializing,
    Cause.RUNNING: _unready_node,
    Cause.SUSPENDED: _suspended,
    Cause.CONTAINER_RUNS_ON: _runs_on,
    Cause.CRASH_LOOP: _logs,
    Cause.EXIT_CODE: _logs,
    Cause.BACKING_OFF: _logs,
    Cause.PODS_REJECTED: _events,
    Cause.TERMINATING: _terminating,
    Cause.DELETING: _deleting,
}
"""Commands that name Pods. Causes whose fix is an edit of the manifest have none."""
