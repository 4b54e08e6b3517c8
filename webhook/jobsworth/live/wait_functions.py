"""``jobsworth.wait`` and its async variant: wait for the end of a Job, and return why it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from jobsworth.client.api_errors import ApiError
from jobsworth.live.connection import Cluster, Connection, connect
from jobsworth.live.errors import cluster_errors
from jobsworth.live.event_loop import Cancelled, run_in_thread
from jobsworth.live.job_reading import read_job
from jobsworth.live.job_reference import JOB, BadReference, JobReference, read_reference
from jobsworth.live.job_waiting import wait_for_end
from jobsworth.live.object_reading import MalformedObject
from jobsworth.live.standstill import Bounds
from jobsworth.live.wait_options import Outcome, Progress, WaitEnd, WaitOptions
from jobsworth.live.watches import Watches
from jobsworth.live.why_functions import reading_options
from jobsworth.runs.cause import Cause
from jobsworth.runs.recorded.recording_reader import BadRecording
from jobsworth.runs.virtual_time import SECOND, spoken
from jobsworth.runs.why.diagnosis import Diagnosis

ExitCode = Literal[0, 1, 3, 4]
BOUNDS = Bounds()
UNREACHABLE_AFTER = 300.0
EXIT_CODES: dict[Outcome, ExitCode] = {"Complete": 0, "Failed": 1, "Stuck": 3, "Timeout": 4}


@dataclass(frozen=True, slots=True)
class Waited:
    """The end of a wait.

    Attributes:
        outcome: ``Complete`` or ``Failed``; ``Stuck`` if it is known that the Job will be neither, unless
            something outside changes; ``Timeout``.
        cause: why, as :func:`jobsworth.why` reports it, or ``JobDeleted``, ``JobNotCreated``, ``Timeout``.
        sentence: why, in one sentence.
        exit_code: that of ``jobsworth wait``: 0, 1, 3, 4 in the order of the outcomes.
        uid: of the Job; empty if there was none.
        diagnosis: None if the Job is gone, or could not be read at the end.
    """

    outcome: Outcome
    cause: Cause
    sentence: str
    exit_code: ExitCode
    uid: str
    diagnosis: Diagnosis | None


def wait(
    reference: str,
    *,
    namespace: str | None = None,
    client: Any = None,
    context: str | None = None,
    kubeconfig: str | None = None,
    timeout: float | None = None,
    stuck_after: float = BOUNDS.stuck_after,
    unschedulable_after: float = BOUNDS.unschedulable_after,
    suspended: Literal["stop", "ok"] = "stop",
    for_creation: float | None = None,
    unreachable_after: float = UNREACHABLE_AFTER,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_note: Callable[[str], None] = lambda text: None,
) -> Waited:
    """Wait until a Job is Complete or Failed, or until it is known that it will be neither.

    Args:
        reference: such as ``job/train``.
        namespace: by default that of the context, or of the Pod that this runs in.
        client: as of :func:`jobsworth.why`. A function ``get(path)`` cannot watch: it is called every 2
            seconds, in several threads, but not at the same time.
        context, kubeconfig: without a client, the cluster.
        timeout: seconds; None for no limit.
        stuck_after: seconds until a standstill counts that seldom heals by itself: an image that cannot be
            pulled, a missing ConfigMap or Secret, Pods that the API server rejects, no active controller.
        unschedulable_after: seconds until one counts that time may heal: no node with room, scheduling gates,
            Pods that do not terminate.
        suspended: ``ok`` to wait for a suspended Job to be resumed. A Job with the label of a Kueue queue is
            always waited for.
        for_creation: seconds that a Job which does not exist, or was deleted, may take to be created; None:
            it must exist, and is not followed beyond its deletion.
        unreachable_after: seconds without an answer of the API server; the first must come within 10.
        on_progress: receives the progress whenever the status changes.
        on_note: receives what a user should know, such as that the Job was created again.

    Raises:
        ValueError: the reference names no Job, or an argument is out of range.
        JobNotFound: there is no such Job.
        ClusterError: the cluster cannot be read.
        TypeError: the client is none of these, or another argument has another type.
    """
    bounds = Bounds(stuck_after, unschedulable_after, _suspended_ok(suspended))
    options = WaitOptions(
        bounds, timeout, for_creation, unreachable_after, note=on_note, report=on_progress
    )
    connection = connect(client, context=context, kubeconfig=kubeconfig, tries=1)
    return _wait(reference, namespace, connection, options)


async def wait_async(
    reference: str,
    *,
    namespace: str | None = None,
    client: Any = None,
    context: str | None = None,
    kubeconfig: str | None = None,
    timeout: float | None = None,
    stuck_after: float = BOUNDS.stuck_after,
    unschedulable_after: float = BOUNDS.unschedulable_after,
    suspended: Literal["stop", "ok"] = "stop",
    for_creation: float | None = None,
    unreachable_after: float = UNREACHABLE_AFTER,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_note: Callable[[str], None] = lambda text: None,
) -> Waited:
    """Do the same as :func:`jobsworth.wait`, without blocking the event loop; cancelling the task ends it."""
    bounds = Bounds(stuck_after, unschedulable_after, _suspended_ok(suspended))
    options = WaitOptions(
        bounds, timeout, for_creation, unreachable_after, note=on_note, report=on_progress
    )
    return await run_in_thread(
        lambda task: _wait(
            reference,
            namespace,
            connect(client, context=context, kubeconfig=kubeconfig, tries=1, task=task),
            options,
        )
    )


def _wait(
    reference: str, namespace: str | None, connection: Connection, options: WaitOptions
) -> Waited:
    """Wait, and read the Job once more for the sentence."""
    _check(options)
    with connection as cluster:
        if cluster.task is not None:
            call = cluster.task.callback
            options = replace(options, note=call(options.note), report=call(options.report))
        asked = _job(reference, namespace or cluster.namespace)
        with cluster_errors(asked, cluster.name):
            end = _end(cluster, asked, options)
            diagnosis = _diagnosis(cluster, asked, options) if end.exists else None
    if diagnosis is not None and diagnosis.recording.job.uid != end.uid:
        diagnosis = None
    return Waited(
        end.outcome,
        _cause(end, diagnosis),
        _sentence(end, asked.name, diagnosis, options),
        EXIT_CODES[end.outcome],
        end.uid,
        diagnosis,
    )


def _end(cluster: Cluster, asked: JobReference, options: WaitOptions) -> WaitEnd:
    watches = Watches(cluster.api)
    if cluster.task is not None:
        cluster.task.cancelled.add_done_callback(lambda _: watches.interrupt(Cancelled()))
    try:
        return wait_for_end(cluster.api, asked, options, watches)
    finally:
        watches.close()


def _diagnosis(cluster: Cluster, asked: JobReference, options: WaitOptions) -> Diagnosis | None:
    try:
        return read_job(cluster.api, asked, reading_options(cluster.name, log_lines=0))
    except (ApiError, MalformedObject, BadRecording) as error:
        options.note(f"the Job could not be read at the end: {error}")
        return None


def _cause(end: WaitEnd, diagnosis: Diagnosis | None) -> Cause:
    if end.outcome == "Stuck" or diagnosis is None:
        return end.cause
    return diagnosis.cause


def _sentence(end: WaitEnd, name: str, diagnosis: Diagnosis | None, options: WaitOptions) -> str:
    if end.outcome == "Stuck":
        return f"Job {name} {end.words.rstrip('. ')}."
    sentence = f"Job {name} {end.words or _ended(end)}."
    if diagnosis is not None:
        sentence = diagnosis.sentence
    if end.outcome == "Timeout":
        return after_timeout(options.timeout, sentence)
    return sentence


def after_timeout(timeout: float | None, sentence: str) -> str:
    """Return a sentence about a Job that has not ended in a time, in seconds."""
    return f"Timeout after {spoken((timeout or 0) * SECOND)}: {sentence}"


def _ended(end: WaitEnd) -> str:
    """Return the end of a Job that is gone, or cannot be read, as a verb with the reason of its condition."""
    verb = "completed" if end.outcome == "Complete" else "failed"
    return f"{verb} ({end.reason})" if end.reason else verb


def _job(reference: str, namespace: str) -> JobReference:
    asked = read_reference(reference, namespace)
    if asked.kind != JOB:
        raise BadReference(f"only Jobs end: {asked.title} cannot be waited for; write job/NAME")
    return asked


def _suspended_ok(suspended: str) -> bool:
    if suspended not in ("stop", "ok"):
        raise ValueError(f"suspended must be 'stop' or 'ok', not {suspended!r}")
    return suspended == "ok"


def _check(options: WaitOptions) -> None:
    """Check the options.

    Raises:
        ValueError: one is out of range.
        TypeError: one is not a number.
    """
    given: dict[str, object] = {
        "timeout": options.timeout,
        "stuck_after": options.bounds.stuck_after,
        "unschedulable_after": options.bounds.unschedulable_after,
        "for_creation": options.for_creation,
        "unreachable_after": options.unreachable_after,
    }
    for name, value in given.items():
        if not isinstance(value, int | float | None) or isinstance(value, bool):
            raise TypeError(f"{name} must be a number of seconds, not {type(value).__name__}")
        if value is not None and not 0 <= value < float("inf"):
            raise ValueError(f"{name} must be a number of seconds from 0, not {value!r}")
