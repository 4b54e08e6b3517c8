"""Rules about CronJobs."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import after_fix, cron_job, found, job


def every_ten_minutes(**spec: Any) -> dict[str, Any]:
    return cron_job(job(), schedule="*/10 * * * *", **spec)


def with_deadline(seconds: int, **spec: Any) -> dict[str, Any]:
    return cron_job(job(activeDeadlineSeconds=seconds), schedule="*/10 * * * *", **spec)


WORKING = {"containers": [{"name": "main", "image": "tool:1", "args": ["work"]}]}


def every_minute(*command: str, **spec: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "main", "image": "tool:1", "command": list(command)}]}
    return cron_job(job(pod), schedule="* * * * *", **spec)


def with_queue(value: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    value["spec"]["jobTemplate"]["metadata"] = metadata
    return value


@pytest.mark.parametrize(
    ("code", "value", "field"),
    [
        ("JW409", every_ten_minutes(concurrencyPolicy="Forbid"), "spec.concurrencyPolicy"),
        (
            "JW409",
            cron_job(
                job({"initContainers": [{"name": "wait", "image": "tool:1"}]}),
                concurrencyPolicy="Forbid",
            ),
            "spec.concurrencyPolicy",
        ),
        ("JW409", every_minute("tool", concurrencyPolicy="Forbid"), "spec.concurrencyPolicy"),
        ("JW410", with_deadline(601), "spec.schedule"),
        ("JW410", with_deadline(3600, concurrencyPolicy="Allow"), "spec.concurrencyPolicy"),
        ("JW420", cron_job(job(WORKING), schedule="*/10 * * * *"), "spec.schedule"),
        (
            "JW420",
            cron_job(job(WORKING), schedule="*/59 * * * *", concurrencyPolicy="Allow"),
            "spec.concurrencyPolicy",
        ),
        ("JW420", every_minute("sh", "-c", "date; work"), "spec.schedule"),
        ("JW420", every_minute("sh", "-c", "until work; do sleep 1; done"), "spec.schedule"),
        ("JW420", every_minute("sh", "-c", "for a in b; do"), "spec.schedule"),
        ("JW420", every_minute("/export", "--all"), "spec.schedule"),
        ("JW421", every_ten_minutes(concurrencyPolicy="Replace"), "spec.concurrencyPolicy"),
        ("JW421", with_deadline(601, concurrencyPolicy="Replace"), "spec.concurrencyPolicy"),
        ("JW411", every_ten_minutes(startingDeadlineSeconds=9), "spec.startingDeadlineSeconds"),
        ("JW411", every_ten_minutes(startingDeadlineSeconds=0), "spec.startingDeadlineSeconds"),
        ("JW412", every_ten_minutes(suspend=True), "spec.suspend"),
        ("JW413", every_ten_minutes(failedJobsHistoryLimit=0), "spec.failedJobsHistoryLimit"),
        ("JW414", cron_job(job(suspend=True)), "spec.jobTemplate.spec.suspend"),
        (
            "JW415",
            cron_job(job(ttlSecondsAfterFinished=60), successfulJobsHistoryLimit=3),
            "spec.jobTemplate.spec.ttlSecondsAfterFinished",
        ),
    ],
)
def test_a_cron_job_is_reported(code: str, value: dict[str, Any], field: str) -> None:
    (finding,) = found(code, value)
    assert finding.field == field


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("JW409", every_ten_minutes()),
        ("JW409", every_ten_minutes(concurrencyPolicy="Replace")),
        ("JW409", with_deadline(3600, concurrencyPolicy="Forbid")),
        ("JW409", cron_job(job({"activeDeadlineSeconds": 60}), concurrencyPolicy="Forbid")),
        ("JW409", every_ten_minutes(concurrencyPolicy="Forbid", suspend=True)),
        ("JW409", every_minute("echo", "hello", concurrencyPolicy="Forbid")),
        ("JW409", cron_job(job(), schedule="0 0 31 2 *", concurrencyPolicy="Forbid")),
        ("JW410", with_deadline(601, suspend=True)),
        ("JW420", cron_job(job(WORKING), schedule="*/10 * * * *", suspend=True)),
        ("JW420", every_minute("echo", "hello")),
        ("JW420", every_minute("/bin/sleep", "3600")),
        ("JW420", every_minute("/bin/sh", "-c", "date; echo Hello from the Kubernetes cluster")),
        ("JW421", every_ten_minutes(concurrencyPolicy="Replace", suspend=True)),
        ("JW410", with_deadline(600)),
        ("JW420", cron_job(job(WORKING), schedule="0 * * * *")),
        ("JW420", cron_job(job(WORKING), schedule="0 0 31 2 *")),
        ("JW420", cron_job(job(WORKING, activeDeadlineSeconds=9999), schedule="*/5 * * * *")),
        ("JW420", cron_job(job({**WORKING, "activeDeadlineSeconds": 60}), schedule="*/5 * * * *")),
        ("JW420", cron_job(job(WORKING), schedule="*/5 * * * *", concurrencyPolicy="Forbid")),
        ("JW420", cron_job(job(WORKING), schedule="*/5 * * * *", concurrencyPolicy="Replace")),
        ("JW420", every_ten_minutes()),
        ("JW421", with_deadline(600, concurrencyPolicy="Replace")),
        ("JW421", every_ten_minutes()),
        ("JW421", cron_job(job(), schedule="0 0 31 2 *", concurrencyPolicy="Replace")),
        *(
            ("JW409", every_minute(program, concurrencyPolicy="Forbid"))
            for program in (
                "/bin/cat",
                "date",
                "false",
                "hostname",
                "id",
                "ls",
                "printf",
                "sleep",
                "true",
                "whoami",
            )
        ),
        ("JW410", with_deadline(3600, concurrencyPolicy="Forbid")),
        ("JW410", with_deadline(3600, concurrencyPolicy="Replace")),
        ("JW410", every_ten_minutes()),
        ("JW410", cron_job(job(activeDeadlineSeconds=10**6), schedule="0 0 31 2 *")),
        ("JW410", cron_job(job(activeDeadlineSeconds=86400), schedule="0 3 * * mon")),
        ("JW411", every_ten_minutes(startingDeadlineSeconds=10)),
        ("JW411", every_ten_minutes()),
        ("JW412", every_ten_minutes(suspend=True, startingDeadlineSeconds=60)),
        ("JW412", every_ten_minutes(suspend=False)),
        ("JW412", cron_job(job(), schedule="0 0 31 2 *", suspend=True)),
        ("JW413", every_ten_minutes(failedJobsHistoryLimit=1, successfulJobsHistoryLimit=0)),
        ("JW414", cron_job(job(suspend=False))),
        ("JW414", cron_job(job(suspend=True, managedBy="kueue.x-k8s.io/multikueue"))),
        (
            "JW414",
            with_queue(cron_job(job(suspend=True)), labels={"kueue.x-k8s.io/queue-name": "a"}),
        ),
        ("JW415", cron_job(job(ttlSecondsAfterFinished=60))),
        ("JW415", cron_job(job(ttlSecondsAfterFinished=60), failedJobsHistoryLimit=0)),
        ("JW415", cron_job(job(), failedJobsHistoryLimit=5)),
    ],
)
def test_a_cron_job_is_left_alone(code: str, value: dict[str, Any]) -> None:
    assert found(code, value) == []


@pytest.mark.parametrize("number", range(9, 16))
def test_a_job_of_no_cron_job_is_left_alone(number: int) -> None:
    assert found(f"JW4{number:02}", job(suspend=True, ttlSecondsAfterFinished=0)) == []


def test_overlap_counts_from_the_shortest_gap() -> None:
    value = cron_job(job(activeDeadlineSeconds=5 * 3600), schedule="0 9,13 * * *")
    (finding,) = found("JW410", value)
    assert "a run may take 5 h, and the next run may start after 4 h" in finding.message


@pytest.mark.parametrize(
    ("code", "value", "field", "fixed"),
    [
        ("JW410", with_deadline(3600), "concurrencyPolicy", "Forbid"),
        ("JW411", every_ten_minutes(startingDeadlineSeconds=5), "startingDeadlineSeconds", 60),
        ("JW413", every_ten_minutes(failedJobsHistoryLimit=0), "failedJobsHistoryLimit", None),
    ],
)
def test_a_fix_is_unsafe_and_removes_the_finding(
    code: str, value: dict[str, Any], field: str, fixed: Any
) -> None:
    (finding,) = found(code, value)
    assert finding.fix is not None
    assert not finding.fix.safe
    assert after_fix(code, value)["spec"].get(field) == fixed
    assert found(code, after_fix(code, value)) == []


def test_the_history_limits_take_over_from_the_time_to_live() -> None:
    value = cron_job(job(ttlSecondsAfterFinished=60), failedJobsHistoryLimit=5)
    assert "ttlSecondsAfterFinished" not in after_fix("JW415", value)["spec"]["jobTemplate"]["spec"]


def test_with_forbid_one_suspended_job_blocks_all() -> None:
    value = cron_job(job(suspend=True), concurrencyPolicy="Forbid")
    (finding,) = found("JW414", value)
    assert "no other Job is created while it waits" in finding.message


def test_a_run_that_may_take_longer_than_the_interval_gets_no_shorter_deadline() -> None:
    """With the deadline that replaced-runs advises for short runs, each of these would fail."""
    (finding,) = found("JW421", with_deadline(16_200, concurrencyPolicy="Replace"))
    assert "activeDeadlineSeconds" not in finding.message
    assert "set concurrencyPolicy: Forbid" in finding.message
    (finding,) = found("JW421", every_ten_minutes(concurrencyPolicy="Replace"))
    assert "or concurrencyPolicy: Forbid if a run may take longer" in finding.message
