"""``jobsworth.wait`` and its async variant: wait for the end of a Job, and return why it ended."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from jobsworth.client.api_errors import ApiError
from jobsworth.following.cluster_errors import cluster_errors
from jobsworth.following.job_reference import JOB, BadReference, read_reference
from jobsworth.following.reading.job_reading import read_job
from jobsworth.following.reading.object_reading import MalformedObject
from jobsworth.following.sources import source_of
from jobsworth.following.waiting.following_drivers import clock, run_following, run_following_async
from jobsworth.following.waiting.job_following import follow_job
from jobsworth.following.waiting.wait_options import Outcome, Progress, WaitEnd, WaitOptions
from jobsworth.following.why_functions import reading_options
from jobsworth.whatif.replay.recording_reader import BadRecording
from jobsworth.whatif.virtual_time import SECOND, spoken
from jobsworth.whatif.why.standstill import Bounds

if TYPE_CHECKING:
    from jobsworth.following.job_reference import JobReference
    from jobsworth.following.requests import Following
    from jobsworth.following.sources import Source
    from jobsworth.whatif.why.diagnosis import Diagnosis

ExitCode = Literal[0, 1, 3, 4]
BOUNDS = Bounds()
UNREACHABLE_AFTER = 300.0
EXIT_CODES: dict[Outcome, ExitCode] = {"complete": 0, "failed": 1, "stuck": 3, "timeout": 4}


@dataclass(frozen=True, slots=True)
class Waited:
    """The end of a wait.

    Attributes:
        outcome: ``complete`` or ``failed``; ``stuck`` if it is known that the Job will be neither, unless
            something outside changes; ``timeout``.
        cause: why, as a stable name: of :class:`Diagnosis`, or such as ``suspended`` and ``deleted``.
        sentence: why, in one sentence.
        exit_code: that of ``jobsworth wait``: 0, 1, 3, 4 in the order of the outcomes.
        uid: of the Job; empty if there was none.
        diagnosis: None if the Job is gone, or could not be read at the end.
    """

    outcome: Outcome
    cause: str
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
            seconds.
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
    options = _checked(
        WaitOptions(clock, bounds, timeout, for_creation, unreachable_after, note=on_note)
    )
    with source_of(client, context=context, kubeconfig=kubeconfig, tries=1) as source:
        asked = _job(reference, namespace or source.namespace)
        with cluster_errors(asked, source.name):
            return run_following(_waiting(asked, options, source), source, on_progress)


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
    options = _checked(
        WaitOptions(clock, bounds, timeout, for_creation, unreachable_after, note=on_note)
    )
    with source_of(client, context=context, kubeconfig=kubeconfig, tries=1) as source:
        asked = _job(reference, namespace or source.namespace)
        with cluster_errors(asked, source.name):
            return await run_following_async(_waiting(asked, options, source), source, on_progress)


def _waiting(asked: JobReference, options: WaitOptions, source: Source) -> Following[Waited]:
    """Wait, and read the Job once more for the sentence."""
    end = yield from follow_job(asked, options)
    diagnosis: Diagnosis | None = None
    if end.exists:
        try:
            diagnosis = yield from read_job(asked, reading_options(source, log_lines=0))
        except (ApiError, MalformedObject, BadRecording) as error:
            options.note(f"the Job could not be read at the end: {error}")
    if diagnosis is not None and diagnosis.snapshot.recording.job.uid != end.uid:
        diagnosis = None
    return Waited(
        end.outcome,
        _cause(end, diagnosis),
        _sentence(end, asked.name, diagnosis, options),
        EXIT_CODES[end.outcome],
        end.uid,
        diagnosis,
    )


def _cause(end: WaitEnd, diagnosis: Diagnosis | None) -> str:
    if end.outcome == "stuck" or diagnosis is None:
        return end.cause
    return diagnosis.cause


def _sentence(end: WaitEnd, name: str, diagnosis: Diagnosis | None, options: WaitOptions) -> str:
    if end.outcome == "stuck":
        return f"Job {name} {end.words.rstrip('. ')}."
    sentence = f"Job {name} {end.words or _ended(end)}."
    if diagnosis is not None:
        sentence = diagnosis.sentence
    if end.outcome == "timeout":
        return f"Timeout after {spoken((options.timeout or 0) * SECOND)}: {sentence}"
    return sentence


def _ended(end: WaitEnd) -> str:
    """Return the end of a Job that is gone, or cannot be read, as a verb with the reason of its condition."""
    verb = "completed" if end.outcome == "complete" else "failed"
    return f"{verb} ({end.cause})" if end.cause else verb


def _job(reference: str, namespace: str) -> JobReference:
    asked = read_reference(reference, namespace)
    if asked.kind != JOB:
        raise BadReference(f"only Jobs end: {asked.title} cannot be waited for; write job/NAME")
    return asked


def _suspended_ok(suspended: str) -> bool:
    if suspended not in ("stop", "ok"):
        raise ValueError(f"suspended must be 'stop' or 'ok', not {suspended!r}")
    return suspended == "ok"


def _checked(options: WaitOptions) -> WaitOptions:
    """Return the options.

    Raises:
        ValueError: one is out of range.
        TypeError: one is no number.
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
    return options
