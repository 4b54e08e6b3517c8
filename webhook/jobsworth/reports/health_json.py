"""The health of CronJobs and Jobs as JSON. Times are those of the API; null for what is unknown."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

from jobsworth.controller.times import write_time
from jobsworth.printable import printable_json
from jobsworth.whatif.health.problems import problems_by_object

if TYPE_CHECKING:
    from typing import Any

    from jobsworth.whatif.health.accounted_runs import AccountedRun, AccountedWindow
    from jobsworth.whatif.health.cluster_health import ClusterHealth
    from jobsworth.whatif.health.cron_job_health import Block, CronJobHealth
    from jobsworth.whatif.health.failed_jobs import FailedJob
    from jobsworth.whatif.health.stuck_jobs import JobWait

VERSION = 1
"""The version of the structure; a new key keeps it."""
PLAIN = frozenset(("succeeded", "failed", "running", "started"))


def render(health: ClusterHealth, cluster: str) -> str:
    """Render the health as one object."""
    value: dict[str, Any] = {
        "version": VERSION,
        "cluster": cluster,
        "time": write_time(health.now),
        "since": _time(health.since),
        "unseen": list(health.unseen),
        "problems": [
            {"object": name, "severity": each.severity, "code": each.code, "message": each.message}
            for name, found in problems_by_object(health)
            for each in found
        ],
        "cron_jobs": [_cron_job(each, health.now) for each in health.cron_jobs],
        "stuck_jobs": [_stuck(each, health.now) for each in health.stuck],
        "failed_jobs": [_failed(each, health.now) for each in health.failed],
    }
    return printable_json(json.dumps(value, indent=2, ensure_ascii=False))


def _cron_job(health: CronJobHealth, now: int) -> dict[str, Any]:
    evidence = health.evidence
    cron_job = evidence.cron_job
    return {
        "namespace": evidence.namespace,
        "name": cron_job.name,
        "schedule": cron_job.written,
        "time_zone": cron_job.time_zone,
        "suspended": health.suspended,
        "unchanged_since": _time(evidence.settled),
        "last_schedule_time": _time(cron_job.status.last_schedule),
        "last_success": _time(health.last_success),
        "next": _time(health.following),
        "overdue_since": _time(health.overdue_since),
        "overdue_seconds": health.overdue_seconds(now),
        "blocked": None if health.block is None else _block(health.block),
        "consecutive_failures": len(health.failures),
        "more_failures_possible": health.more_failures,
        "failed_jobs": [name for name, _ in health.failures],
        "manual_jobs": [job.name for job in evidence.manual],
        "runs": None if health.window is None else _window(health.window),
    }


def _block(block: Block) -> dict[str, Any]:
    return {
        "reason": block.reason,
        "job": block.job or None,
        "pod": None if block.wait is None else block.wait.pod or None,
        "since": _time(block.since),
        "message": block.message or None,
    }


def _window(window: AccountedWindow) -> dict[str, Any]:
    reasons: Counter[str] = Counter(
        run.reason for run in window.runs if run.state == "skipped" and run.reason is not None
    )
    unknown: Counter[str] = Counter(
        run.reason for run in window.runs if run.state == "unknown" and run.reason is not None
    )
    return {
        "since": write_time(window.since),
        "due": len(window.runs),
        **window.counts(),
        "skipped_by_reason": dict(sorted(reasons.items())),
        "unknown_by_reason": dict(sorted(unknown.items())),
        "unscheduled": window.unscheduled,
        "incomplete": window.incomplete,
        "notable": [
            _run(run) for run in window.runs if run.late or run.state not in PLAIN or run.reason
        ],
    }


def _run(run: AccountedRun) -> dict[str, Any]:
    return {
        "scheduled": write_time(run.scheduled),
        "state": run.state,
        "reason": run.reason,
        "behind": run.behind or None,
        "late_seconds": run.late,
        "job": run.job or None,
    }


def _stuck(wait: JobWait, now: int) -> dict[str, Any]:
    return {
        "namespace": wait.job.namespace,
        "name": wait.job.name,
        "owner": wait.job.owner or None,
        "reason": wait.waiting.reason,
        "since": _time(wait.waiting.since),
        "seconds": int(wait.seconds(now)),
        "waiting_for": wait.waiting.waiting_for,
        "detail": wait.waiting.detail or None,
        "ended_by": wait.waiting.ended_by,
        "pod": wait.pod or None,
        "pods": wait.pods,
    }


def _failed(failed: FailedJob, now: int) -> dict[str, Any]:
    job = failed.job
    return {
        "namespace": job.namespace,
        "name": job.name,
        "owner": job.owner or None,
        "generate_name": job.generate_name or None,
        "reason": job.reason or None,
        "message": failed.message or None,
        "failed": write_time(failed.at),
        "seconds": failed.seconds(now),
    }


def _time(seconds: float | None) -> str | None:
    return None if seconds is None else write_time(int(seconds))
