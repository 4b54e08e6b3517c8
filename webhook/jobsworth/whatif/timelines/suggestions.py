"""A hint for a run that no disruption hit: questions to ask about this Job, with times within its run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.whatif.virtual_time import MINUTE, SECOND

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.whatif.run_record import RunRecord


def suggestion_lines(record: RunRecord) -> Iterator[str]:
    """Yield a hint if no disruption hit a Pod of the run."""
    pods = [pod for job in record.jobs for pod in job.pods]
    if any(pod.cause for pod in pods):
        return
    ran = [(pod.started, pod.ended) for pod in pods if pod.started is not None]
    if not ran:
        return
    started, ended = ran[0]
    half = ((record.end if ended is None else ended) - started) // 2
    time = _written(started + half)
    yield ""
    yield (
        f"No disruption hit a Pod in this run. Ask what if: --drain {time}, --node-lost {time}, "
        f"--spot {_written(half)}, --image-typo,"
    )
    yield f"--controller-restart {time}. --runs 200 shows the chances, --print-scenario the scenario to edit."


def _written(milliseconds: int) -> str:
    """Return a time as an option takes it.

    >>> _written(90_000), _written(754_000)
    ('90s', '12m')
    """
    if milliseconds < 2 * MINUTE:
        return f"{max(1, milliseconds // SECOND)}s"
    return f"{milliseconds // MINUTE}m"
