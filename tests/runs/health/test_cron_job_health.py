"""Overdue runs, what blocks them, and failures since the last success."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pytest

from jobsworth.controller.times import write_time
from jobsworth.runs.health.cluster_health import ListedObjects, cluster_health
from jobsworth.runs.health.problems import problems_by_object, summary
from support.health.health_objects import (
    DAY,
    HOUR,
    NOON,
    a_cron_job,
    a_job,
    a_job_without_cron_job,
    a_pod,
    an_event,
    health,
    health_of_one,
)

FORBID = {"concurrencyPolicy": "Forbid"}


def problems(found: Any) -> list[tuple[str, str]]:
    return [(each.severity, each.code) for _, some in problems_by_object(found) for each in some]


def blocked(*pods: dict[str, Any], events: Any = (), **status: Any) -> Any:
    job = a_job(NOON - 12 * HOUR, "", **status)
    cron_job = a_cron_job(last=NOON - 12 * HOUR, active=(job["metadata"]["name"],), **FORBID)
    return health(cron_job, jobs=(job,), pods=pods, events=events)


JOB = a_job(NOON - 12 * HOUR, "")


def test_a_pod_that_does_not_terminate_blocks_the_cron_job() -> None:
    deletion = {
        "deletionTimestamp": write_time(NOON - 11 * HOUR),
        "deletionGracePeriodSeconds": 30,
    }
    pod = a_pod(JOB, "Running", metadata=deletion)
    found = blocked(pod, conditions=[
        {"type": "FailureTarget", "status": "True", "reason": "DeadlineExceeded",
         "lastTransitionTime": write_time(NOON - 11 * HOUR)},
    ])  # fmt: skip
    (one,) = found.cron_jobs
    assert one.overdue_seconds(NOON) == 11 * HOUR
    assert one.block.cause == "Terminating"
    assert one.block.wait.pod == pod["metadata"]["name"]
    assert ("error", "Blocked") in problems(found)
    assert ("error", "Stuck") in problems(found)


def test_a_long_grace_period_is_no_hang() -> None:
    deletion = {
        "deletionTimestamp": write_time(NOON + HOUR),
        "deletionGracePeriodSeconds": 7200,
    }
    found = blocked(a_pod(JOB, "Running", metadata=deletion))
    assert found.stuck == ()


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (
            {"containerStatuses": [{"name": "main", "state": {"waiting": {"reason": "ImagePullBackOff"}}}]},
            "ImagePull",
        ),
        (
            {"initContainerStatuses": [
                {"name": "init", "state": {"waiting": {"reason": "CreateContainerConfigError"}}}
            ]},
            "MissingConfig",
        ),
        (
            {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]},
            "Unschedulable",
        ),
        ({}, "Pending"),
    ],
)  # fmt: skip
def test_the_pods_say_what_blocks_the_cron_job(status: dict[str, Any], reason: str) -> None:
    found = blocked(a_pod(JOB, status=status), active=1)
    assert found.cron_jobs[0].block.cause == reason
    assert [wait.waiting.cause for wait in found.stuck] == [reason]


def init_container(state: dict[str, Any], restarts: int = 0) -> dict[str, Any]:
    return {"initContainerStatuses": [{"name": "fetch", "restartCount": restarts, "state": state}]}


CRASHED = {"reason": "CrashLoopBackOff", "message": "back-off 5m0s"}


def test_a_job_whose_init_container_runs_is_not_stuck() -> None:
    found = blocked(a_pod(JOB, status=init_container({"running": {}})), active=1)
    assert found.stuck == ()
    assert found.cron_jobs[0].block.cause == "Initializing"


def held_back(*completed: dict[str, Any]) -> Any:
    """Return the health of a CronJob whose run of 4 h ago still runs, after others that completed."""
    job = a_job(NOON - 4 * HOUR, "")
    running = {
        "containerStatuses": [{"name": "main", "state": {"running": {}}}],
        "phase": "Running",
    }
    cron_job = a_cron_job(last=NOON - 4 * HOUR, active=(job["metadata"]["name"],), **FORBID)
    pods = (a_pod(job, "Running", status=running),)
    return health(cron_job, jobs=(*completed, job), pods=pods, since=NOON - 5 * HOUR - 60)


def test_a_run_that_takes_far_longer_than_others_and_holds_back_the_next_is_an_error() -> None:
    found = held_back(a_job(NOON - 5 * HOUR))
    assert problems(found) == [("error", "Blocked")]
    problem = next(problem for _, some in problems_by_object(found) for problem in some)
    assert "runs that completed took at most" in problem.why
    assert problem.fix.command.startswith("kubectl logs")


def test_a_run_that_holds_back_the_next_is_a_warning_where_no_other_has_completed() -> None:
    assert problems(held_back())[0] == ("warning", "Overdue")


def test_an_init_container_that_runs_for_an_hour_hangs() -> None:
    started = {"running": {"startedAt": write_time(NOON - 2 * HOUR)}}
    found = blocked(a_pod(JOB, status=init_container(started)), active=1)
    assert [each.waiting.cause for each in found.stuck] == ["Initializing"]


def statuses(*states: dict[str, Any], restarts: int = 0, **more: Any) -> dict[str, Any]:
    names = ("main", "istio-proxy")[: len(states)]
    return {
        "containerStatuses": [
            {"name": name, "restartCount": restarts, "state": state, **more}
            for name, state in zip(names, states, strict=True)
        ]
    }


def test_a_job_that_a_sidecar_keeps_is_stuck_and_blocks_its_cron_job() -> None:
    done = {"terminated": {"exitCode": 0, "finishedAt": write_time(NOON - HOUR)}}
    found = blocked(a_pod(JOB, "Running", status=statuses(done, {"running": {}})), active=1)
    assert [each.waiting.cause for each in found.stuck] == ["ContainerRunsOn"]
    assert found.cron_jobs[0].block.cause == "ContainerRunsOn"


@pytest.mark.parametrize(("restarts", "stuck"), [(1, 0), (140, 1)])
def test_a_running_pod_in_a_crash_loop_is_stuck_when_the_loop_has_lasted(
    restarts: int, stuck: int
) -> None:
    last = {"terminated": {"exitCode": 137, "reason": "OOMKilled", "finishedAt": write_time(NOON)}}
    status = statuses({"waiting": CRASHED}, restarts=restarts, lastState=last)
    found = blocked(a_pod(JOB, "Running", status=status), active=1)
    assert found.cron_jobs[0].block.cause == "CrashLoop"
    assert len(found.stuck) == stuck


@pytest.mark.parametrize(
    ("status", "cause", "words"),
    [
        (
            init_container({"waiting": CRASHED}, 7),
            "CrashLoop",
            "container fetch of Pod report-29674080-x, which fails again and again (CrashLoopBackOff: 7 restarts)",
        ),
        (init_container({"running": {}}, 7), "Pending", "its init container fetch runs"),
        (
            {
                "containerStatuses": [
                    {
                        "name": "main",
                        "state": {"waiting": {"reason": "CreateContainerError", "message": "no"}},
                    }
                ]
            },
            "StartError",
            "CreateContainerError: no",
        ),
    ],
)
def test_a_stuck_job_has_the_words_of_its_pods(
    status: dict[str, Any], cause: str, words: str
) -> None:
    pod = a_pod(JOB, status=status)
    (wait,) = blocked(pod, active=1).stuck
    assert (wait.waiting.cause, wait.pod) == (cause, pod["metadata"]["name"])
    assert words in wait.waiting.sentence(str)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        ('Error creating: pods "x" is forbidden: exceeded quota: small', "Quota"),
        ('Error creating: pods "x" is forbidden: violates PodSecurity', "PodsRejected"),
    ],
)
def test_events_say_that_pods_are_rejected(message: str, reason: str) -> None:
    name = JOB["metadata"]["name"]
    event = an_event("FailedCreate", message, NOON - 3 * HOUR, name=name, kind="Job")
    found = blocked(events=(event,))
    assert found.cron_jobs[0].block.cause == reason
    assert found.stuck[0].seconds(NOON) == 3 * HOUR


def test_events_of_a_pod_say_that_its_volumes_are_not_mounted() -> None:
    pod = a_pod(JOB)
    name = pod["metadata"]["name"]
    event = an_event("FailedMount", "no such volume", NOON - HOUR, name=name, kind="Pod")
    (stuck,) = blocked(pod, events=(event,), active=1).stuck
    assert (stuck.waiting.cause, stuck.pod) == ("Volume", name)
    assert "FailedMount: no such volume" in stuck.waiting.sentence(str)


def test_a_long_run_is_no_error() -> None:
    found = blocked(a_pod(JOB, "Running"), active=1)
    assert found.cron_jobs[0].block.cause == "Running"
    assert ("warning", "Overdue") in problems(found)
    assert found.stuck == ()


def test_without_pods_the_cause_is_unknown() -> None:
    job = a_job(NOON - 12 * HOUR, "")
    cron_job = a_cron_job(last=NOON - 12 * HOUR, active=(job["metadata"]["name"],), **FORBID)
    found = health(cron_job, jobs=(job,), pods=None)
    assert found.unseen == ("Pods",)
    assert found.cron_jobs[0].block is not None
    assert found.cron_jobs[0].block.cause == "JobUnfinished"


def test_rejected_pods_are_known_without_pods() -> None:
    message = 'Error creating: pods "x" is forbidden: violates PodSecurity'
    name = JOB["metadata"]["name"]
    event = an_event("FailedCreate", message, NOON - 3 * HOUR, name=name, kind="Job")
    cron_job = a_cron_job(last=NOON - 12 * HOUR, active=(name,), **FORBID)
    found = health(cron_job, jobs=(JOB,), pods=None, events=(event,))
    assert [each.waiting.cause for each in found.stuck] == ["PodsRejected"]
    assert found.cron_jobs[0].block is not None
    assert found.cron_jobs[0].block.cause == "PodsRejected"


def test_a_suspended_cron_job_is_not_overdue() -> None:
    found = health_of_one(a_cron_job(last=NOON - DAY, suspend=True))
    assert (found.overdue_since, found.block, found.following) == (None, None, None)


def test_nothing_shows_why_a_run_did_not_start() -> None:
    found = health(a_cron_job(last=NOON - 3 * HOUR))
    assert found.cron_jobs[0].overdue_since == NOON - 2 * HOUR
    assert found.cron_jobs[0].block is not None
    assert found.cron_jobs[0].block.cause == "NotStarted"


def test_a_lease_that_nothing_renews_shows_that_the_controller_is_away() -> None:
    found = health(a_cron_job(last=NOON - 3 * HOUR), renewed=NOON - 2 * HOUR - 5)
    assert found.cron_jobs[0].block is not None
    assert found.cron_jobs[0].block.cause == "ControllerAway"
    assert ("error", "ControllerAway") in problems(found)


def test_an_old_lease_of_a_hosted_control_plane_is_no_sign() -> None:
    found = health(a_cron_job(last=NOON), jobs=(a_job(NOON),), renewed=NOON - 90 * DAY)
    assert found.away_since is None


def test_failures_count_since_the_last_success() -> None:
    jobs = tuple(a_job(NOON - hours * HOUR, "Failed") for hours in (5, 3, 2, 1))
    found = health_of_one(
        a_cron_job(last=NOON, successful=NOON - 4 * HOUR, failedJobsHistoryLimit=9), jobs=jobs
    )
    assert [name for name, _ in found.failures] == [job["metadata"]["name"] for job in jobs[1:]]
    assert not found.more_failures


def test_a_later_success_clears_the_failures() -> None:
    jobs = (a_job(NOON - 2 * HOUR, "Failed"), a_job(NOON - HOUR))
    assert health_of_one(a_cron_job(last=NOON - HOUR), jobs=jobs).failures == ()


def test_a_success_by_hand_clears_the_failures() -> None:
    jobs = (a_job(NOON - 2 * HOUR, "Failed"), a_job(None, created=NOON - HOUR, name="by-hand"))
    assert health_of_one(a_cron_job(last=NOON - 2 * HOUR), jobs=jobs).failures == ()


def test_with_a_history_limit_of_1_there_may_be_more_failures() -> None:
    found = health_of_one(a_cron_job(last=NOON), jobs=(a_job(NOON - HOUR, "Failed"),))
    assert (len(found.failures), found.more_failures) == (1, True)


def test_no_failure_is_missing_where_no_other_run_was_due_since_the_last_success() -> None:
    found = health_of_one(
        a_cron_job(last=NOON - HOUR, successful=NOON - 90 * 60),
        jobs=(a_job(NOON - HOUR, "Failed"),),
    )
    assert (len(found.failures), found.more_failures) == (1, False)


def test_an_invalid_schedule_is_reported() -> None:
    found = health(a_cron_job(schedule="61 * * * *"))
    assert problems(found) == [("error", "InvalidSchedule")]
    assert summary(found) == (
        "1 CronJob (1 with errors, 0 with warnings), 0 Jobs (0 stuck, 0 failed outside CronJobs)"
    )


def test_an_unknown_time_zone_is_reported() -> None:
    ((name, (problem,)),) = problems_by_object(health(a_cron_job(timeZone="Mars/Olympus")))
    assert name == "batch/CronJob/report"
    assert problem.message.endswith("unknown time zone Mars/Olympus")


def test_a_machine_without_the_time_zone_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> ZoneInfo:
        raise ZoneInfoNotFoundError(name)

    monkeypatch.setattr("jobsworth.controller.cron_jobs.schedule_times.ZoneInfo", unknown)
    ((_, (problem,)),) = problems_by_object(health(a_cron_job(timeZone="Europe/Berlin")))
    assert problem.message == (
        "its runs are not known: this machine does not know the time zone Europe/Berlin"
    )


def test_a_cron_job_that_is_being_deleted_is_not_overdue() -> None:
    cron_job = a_cron_job(last=NOON - DAY)
    cron_job["metadata"]["deletionTimestamp"] = write_time(NOON - HOUR)
    assert health_of_one(cron_job).overdue_since is None


def test_a_job_that_a_user_created_is_no_run_whatever_its_name() -> None:
    job = a_job(NOON - HOUR, "Failed", annotated=False)
    job["metadata"]["annotations"] = {"cronjob.kubernetes.io/instantiate": "manual"}
    found = health_of_one(a_cron_job(last=NOON), jobs=(job,))
    assert found.failures == ()
    assert [each.name for each in found.evidence.manual] == [job["metadata"]["name"]]


def test_a_schedule_that_never_fires_is_reported() -> None:
    assert problems(health(a_cron_job(schedule="0 0 30 2 *"))) == [("warning", "NeverFires")]


def test_a_healthy_cron_job_has_no_problem() -> None:
    jobs = tuple(a_job(NOON - hours * HOUR) for hours in range(24, -1, -1))
    cron_job = a_cron_job(last=NOON, successfulJobsHistoryLimit=100)
    assert problems(health(cron_job, jobs=jobs)) == []


def test_runs_that_replace_deletes_before_they_end_are_a_problem() -> None:
    replacing = a_cron_job(last=NOON, active=("report-9",), concurrencyPolicy="Replace")
    running = a_job(NOON, "", active=1)
    deleted = tuple(
        an_event("SuccessfulDelete", f"Deleted job report-{number}", NOON - number * HOUR)
        for number in (1, 2)
    )
    found = health(replacing, jobs=(running,), events=deleted)
    assert ("warning", "Replaced") in problems(found)
    (one,) = [
        each for _, some in problems_by_object(found) for each in some if each.code == "Replaced"
    ]
    assert one.message == (
        "replaces its runs before they end: concurrencyPolicy: Replace deleted 2 runs before they ended; no "
        "success is known"
    )
    assert one.fix.command
    ended = health(replacing, jobs=(running, a_job(NOON - HOUR)), events=deleted)
    assert ("warning", "Replaced") not in problems(ended)


def test_an_unfinished_job_that_can_only_fail_is_a_problem() -> None:
    job = a_job(NOON - HOUR, "", active=1, failedIndexes="3")
    job["spec"] |= {"completionMode": "Indexed", "completions": 5, "backoffLimitPerIndex": 0}
    found = health(a_cron_job(last=NOON - HOUR), jobs=(job,), pods=(a_pod(job, "Running"),))
    (one,) = found.failing
    assert one.doomed.startswith("index 3 failed for good, so the Job fails (FailedIndexes)")
    assert ("warning", "Doomed") in problems(found)


def test_a_job_that_its_deadline_failed_has_a_fix_without_its_pods() -> None:
    job = a_job(NOON - HOUR, "Failed")
    job["status"]["conditions"][0]["reason"] = "DeadlineExceeded"
    found = health(a_cron_job(last=NOON - HOUR), jobs=(job,))
    failing = [
        each for _, some in problems_by_object(found) for each in some if each.code == "Failing"
    ]
    assert "Raise spec.jobTemplate.spec.activeDeadlineSeconds in the CronJob" in failing[0].fix.text


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("LocalQueue team doesn't exist", "for LocalQueue team, which does not exist"),
        ("couldn't assign flavors: insufficient quota for cpu in flavor default", "for its admission by Kueue"),
        ("insufficient unused quota for cpu in flavor default, 2 more needed", ""),
    ],
)  # fmt: skip
def test_a_job_that_its_queue_can_never_admit_is_stuck(message: str, words: str) -> None:
    job = a_job_without_cron_job("train", "", ended=None)
    job["spec"]["suspend"] = True
    job["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    reserved = {"type": "QuotaReserved", "status": "False", "message": message}
    reserved["lastTransitionTime"] = write_time(NOON - HOUR)
    owner = {"kind": "Job", "name": "train", "uid": job["metadata"]["uid"], "controller": True}
    workload = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "Workload",
        "metadata": {"name": "job-train", "namespace": "batch", "ownerReferences": [owner]},
        "spec": {"queueName": "team"},
        "status": {"conditions": [reserved]},
    }
    listed = ListedObjects(cron_jobs=(), jobs=[job], pods=(), events=(), workloads=[workload])
    found = cluster_health(listed, NOON)
    told = [each.message for _, some in problems_by_object(found) for each in some]
    assert [words in each for each in told] == ([True] if words else [])


def messages(found: Any, code: str) -> list[str]:
    return [
        each.message for _, some in problems_by_object(found) for each in some if each.code == code
    ]


def test_pods_that_do_not_start_while_others_run_are_a_problem() -> None:
    job = a_job_without_cron_job("train", "", ended=None)
    job["status"] |= {"active": 2, "ready": 1}
    job["spec"] |= {"parallelism": 2, "completions": 2}
    waiting = {"name": "main", "image": "x:1", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    pods = (
        a_pod(job, "Running", "train-a"),
        a_pod(job, "Pending", "train-b", status={"containerStatuses": [waiting]}),
    )
    listed = ListedObjects(cron_jobs=(), jobs=[job], pods=pods, events=())
    (message,) = messages(cluster_health(listed, NOON), "Stalled")
    assert message.startswith("1 of 2 Pods has not started for 3 h: ImagePullBackOff")
    assert cluster_health(listed, NOON - 3 * HOUR + 60).failing == ()


def test_a_sidecar_that_crashes_while_the_work_runs_is_a_problem() -> None:
    job = a_job_without_cron_job("train", "", ended=None)
    job["status"] |= {"active": 1, "ready": 0}
    killed = {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}
    loop = {"waiting": {"reason": "CrashLoopBackOff"}}
    proxy = {"name": "proxy", "restartCount": 9, "state": loop, "lastState": killed}
    started = {"running": {"startedAt": write_time(NOON - HOUR)}}
    main = {"name": "main", "image": "x:1", "state": started}
    status = {"containerStatuses": [main], "initContainerStatuses": [proxy]}
    pod = a_pod(job, "Running", status=status)
    listed = ListedObjects(cron_jobs=(), jobs=[job], pods=[pod], events=())
    (message,) = messages(cluster_health(listed, NOON), "Stalled")
    assert "proxy fails again and again (9 restarts, last exit code 137, OOMKilled" in message


def test_a_deadline_that_ran_out_while_pods_were_rejected_has_that_cause() -> None:
    job = a_job_without_cron_job("report", "Failed", ended=NOON - HOUR)
    job["status"]["conditions"][0]["reason"] = "DeadlineExceeded"
    job["spec"]["activeDeadlineSeconds"] = 1800
    rejected = an_event(
        "FailedCreate",
        'Error creating: pods "report-x" is forbidden: exceeded quota: team, requested: cpu=4',
        NOON - HOUR - 60,
        kind="Job",
    )
    listed = ListedObjects(cron_jobs=(), jobs=[job], pods=(), events=[rejected])
    found = cluster_health(listed, NOON, failed_since=NOON - DAY)
    (message,) = messages(found, "Failed")
    assert "while the API server rejected its Pods (exceeded quota: team" in message


def test_a_quota_of_jobs_is_filled_by_finished_ones() -> None:
    message = (
        'Error creating job: jobs.batch "report-1" is forbidden: exceeded quota: objects, requested: '
        "count/jobs.batch=1, used: count/jobs.batch=50, limited: count/jobs.batch=50"
    )
    rejected = an_event("FailedCreate", message, NOON - 60)
    found = health(a_cron_job(last=NOON - 3 * HOUR), events=(rejected,))
    (one,) = [
        each for _, some in problems_by_object(found) for each in some if each.code == "Blocked"
    ]
    assert one.fix.text.startswith("Delete finished Jobs of the namespace, which count")
    assert one.fix.command == "kubectl describe resourcequota -n batch objects"


def test_an_init_container_that_hangs_blocks_its_cron_job() -> None:
    completed = a_job(NOON - 13 * HOUR, "Complete")
    running = a_job(NOON - 12 * HOUR, "", active=1)
    name = running["metadata"]["name"]
    state = {"running": {"startedAt": write_time(NOON - 12 * HOUR)}}
    waiting = {"initContainerStatuses": [{"name": "wait", "state": state}]}
    pod = a_pod(running, "Pending", status=waiting)
    pod["spec"] = {"initContainers": [{"name": "wait"}], "nodeName": "node-0"}
    cron_job = a_cron_job(last=NOON - 12 * HOUR, active=(name,), **FORBID)
    found = health(cron_job, jobs=(completed, running), pods=(pod,))
    assert ("error", "Blocked") in problems(found)


def test_events_about_pods_that_are_gone_say_what_a_failed_job_did() -> None:
    job = a_job_without_cron_job("report", "Failed", ended=NOON - HOUR)
    job["status"]["conditions"][0]["reason"] = "DeadlineExceeded"
    job["spec"]["activeDeadlineSeconds"] = 1800
    events = [
        an_event("SuccessfulCreate", "Created pod: report-abcde", NOON - 3 * HOUR, kind="Job"),
        an_event("SuccessfulDelete", "Deleted pod: report-abcde", NOON - HOUR, kind="Job"),
        an_event("Started", "Started", NOON - 3 * HOUR, name="report-abcde", kind="Pod"),
        an_event("FailedCreate", "of another Job", NOON - HOUR, name="report-x", kind="Job"),
    ]
    listed = ListedObjects(cron_jobs=(), jobs=[job], pods=(), events=events)
    found = cluster_health(listed, NOON, failed_since=NOON - DAY)
    assert "no Event says if it ran" not in messages(found, "Failed")[0]
