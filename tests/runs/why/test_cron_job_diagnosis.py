"""The reason for which the last run of a CronJob failed, or none started."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.runs.why.owners.cron_job_diagnosis import CronJobDiagnosis
from jobsworth.runs.why.saved_objects import SavedObjects
from support.replay.recorded_jobs import START, at, event, pod, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
UID = "cron-uid"
HOUR = 3600


def cron_job(status: Object | None = None, **spec: Any) -> Object:
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {
            "name": "nightly",
            "uid": UID,
            "namespace": "batch",
            "creationTimestamp": at(-60),
        },
        "spec": {
            "schedule": "0 * * * *",
            "concurrencyPolicy": "Allow",
            "jobTemplate": {"spec": job()["spec"]},
            **spec,
        },
        "status": status or {},
    }


def run(hour: int, end: str = "", reason: str = "", **status: Any) -> Object:
    """Return the Job of an hour after the start."""
    name, seconds = f"nightly-{hour}", hour * HOUR
    value = stored({**job(), "metadata": {"name": name}}, **status)
    value["metadata"] |= {
        "namespace": "batch",
        "uid": name,
        "creationTimestamp": at(seconds),
        "annotations": {"batch.kubernetes.io/cronjob-scheduled-timestamp": at(seconds)},
        "ownerReferences": [{"kind": "CronJob", "name": "nightly", "uid": UID, "controller": True}],
    }
    value["status"]["startTime"] = at(seconds)
    value["status"]["conditions"] = [
        {"type": end, "status": "True", "reason": reason, "lastTransitionTime": at(seconds + 30)}
    ] * bool(end)
    return value


def pod_of(hour: int, code: int) -> Object:
    value = pod("train-a", hour * HOUR + 1, hour * HOUR + 20, code, job=f"nightly-{hour}")
    value["metadata"]["ownerReferences"][0]["uid"] = f"nightly-{hour}"
    return value


def now(seconds: int) -> Object:
    """Return an Event of another object, which has the time of the recording."""
    return event("Pulled", "", seconds, "other", "Pod")


def about(reason: str, message: str, seconds: int) -> Object:
    return event(reason, message, seconds, "nightly", "CronJob")


def diagnosed(*objects: Object) -> CronJobDiagnosis:
    saved = SavedObjects()
    for each in objects:
        assert saved.add(each) is None
    (chosen,) = saved.to_diagnose()
    found = saved.diagnosis(chosen, ApiServer("1.36"), lambda value, codes: ())
    assert isinstance(found, CronJobDiagnosis)
    return found


def test_the_last_run_that_failed_is_explained() -> None:
    found = diagnosed(
        cron_job({"lastScheduleTime": at(2 * HOUR), "lastSuccessfulTime": at(10)}),
        run(1, "Failed", "BackoffLimitExceeded", failed=1),
        run(2, "Failed", "BackoffLimitExceeded", failed=1),
        pod_of(2, 3),
        now(2 * HOUR + 600),
    )
    assert found.cause == "Failed"
    assert [each.name for each in found.runs] == ["nightly-2", "nightly-1"]
    assert found.job is not None
    assert found.sentence == (
        f"CronJob nightly: the last run, due at {at(2 * HOUR)}, failed (2 runs failed one after the other): "
        f"{found.job.sentence.rstrip('.')}; the last success was at {at(10)}; the next run is due at "
        f"{at(3 * HOUR)}."
    )
    assert "Pod train-a failed with exit code 3" in found.sentence


def test_a_run_that_completed_needs_no_explanation() -> None:
    found = diagnosed(cron_job({"lastScheduleTime": at(HOUR)}), run(1, "Complete"), now(HOUR + 600))
    assert (found.cause, found.job) == ("Complete", None)
    assert f"the last run, due at {at(HOUR)}, completed" in found.sentence


def test_a_suspended_one_starts_nothing() -> None:
    found = diagnosed(cron_job(suspend=True), now(HOUR * 5))
    assert (found.cause, found.next_run) == ("Suspended", None)
    assert "it is suspended (spec.suspend), so no run starts; no run has started" in found.sentence


def test_forbid_behind_a_job_that_hangs_names_why_that_hangs() -> None:
    waiting = pod("train-a", HOUR + 1, code=None, job="nightly-1")
    waiting["metadata"]["ownerReferences"][0]["uid"] = "nightly-1"
    waiting["status"] = {
        "phase": "Pending",
        "containerStatuses": [
            {"name": "main", "image": "x:1", "state": {"waiting": {"reason": "ErrImagePull"}}}
        ],
    }
    found = diagnosed(
        cron_job(
            {"lastScheduleTime": at(HOUR), "active": [{"name": "nightly-1"}]},
            concurrencyPolicy="Forbid",
        ),
        run(1, active=1),
        waiting,
        now(2 * HOUR + 600),
    )
    assert (found.cause, found.missed) == (
        "JobAlreadyActive",
        found.next_run and found.next_run - HOUR,
    )
    assert "the previous Job was still running (concurrencyPolicy: Forbid)" in found.sentence
    assert "for image " in found.sentence


def test_a_deadline_that_is_over_does_not_say_why_a_run_did_not_start_before() -> None:
    found = diagnosed(
        cron_job({"lastScheduleTime": at(HOUR)}, startingDeadlineSeconds=30), now(3 * HOUR + 600)
    )
    assert found.cause == "NotStarted"
    assert "no Event says why: see if the CronJob controller" in found.sentence
    assert "startingDeadlineSeconds is over, so that it does not start later" in found.sentence


def test_a_run_that_the_controller_found_too_late_is_missed() -> None:
    found = diagnosed(
        cron_job({"lastScheduleTime": at(HOUR)}, startingDeadlineSeconds=30),
        about("MissSchedule", "Missed scheduled time to start a job", 3 * HOUR + 60),
        now(3 * HOUR + 600),
    )
    assert found.cause == "StartingDeadline"
    words = f"the run due at {at(3 * HOUR)} and 1 before it did not start: startingDeadlineSeconds"
    assert words in found.sentence
    assert (
        found.summary.headline == f"CronJob nightly has not run since {at(HOUR)} (2 runs missed)."
    )


def test_an_event_of_the_controller_says_why_no_job_was_created() -> None:
    message = 'Error creating job: jobs.batch "nightly-2" is forbidden: exceeded quota: jobs'
    found = diagnosed(cron_job(), about("FailedCreate", message, HOUR + 1), now(HOUR + 600))
    assert found.cause == "NotStarted"
    assert "exceeded quota: jobs" in found.sentence


def test_without_any_sign_the_controller_itself_is_named() -> None:
    found = diagnosed(cron_job(), now(HOUR + 600))
    assert found.cause == "NotStarted"
    assert "see if the CronJob controller (kube-controller-manager) runs" in found.sentence


def test_one_that_was_just_created_has_not_been_due() -> None:
    found = diagnosed(cron_job(), now(-30))
    assert found.cause == "NoneDue"
    assert "no run was due since it was created" in found.sentence


@pytest.mark.parametrize("schedule", ["0 0 31 2 *", "every day"])
def test_a_schedule_that_never_fires_is_named(schedule: str) -> None:
    found = diagnosed(cron_job(schedule=schedule), now(600))
    assert found.cause == "InvalidSchedule"


def test_a_failed_job_that_is_gone_is_reported_as_gone() -> None:
    found = diagnosed(cron_job({"lastScheduleTime": at(2 * HOUR)}), now(2 * HOUR + 600))
    assert (
        f"the Job of the last run, due at {at(2 * HOUR)}, is gone; no run has succeeded"
        in found.sentence
    )


def test_an_unknown_time_zone_is_named_and_not_the_schedule() -> None:
    found = diagnosed(cron_job(timeZone="Mars/X"), now(600))
    assert found.cause == "InvalidSchedule"
    assert "its schedule '0 * * * *' in time zone 'Mars/X' is invalid" in found.sentence
    assert "unknown time zone Mars/X" in found.sentence


def test_a_schedule_that_cannot_be_parsed_has_the_reason() -> None:
    found = diagnosed(cron_job(schedule="61 * * * *"), now(600))
    assert "is invalid: end of range (61) above maximum (59): 61" in found.sentence


def test_a_missed_run_of_every_minute_is_reported() -> None:
    found = diagnosed(cron_job(schedule="* * * * *"), now(5 * HOUR + 30))
    assert (found.cause, found.missed) == ("NotStarted", START + 5 * HOUR - 60)


@pytest.mark.parametrize(("seconds", "cause"), [(HOUR + 30, "NoneDue"), (HOUR + 60, "NotStarted")])
def test_a_run_has_a_minute_to_start(seconds: int, cause: str) -> None:
    started = cron_job({"lastScheduleTime": at(0)})
    found = diagnosed(started, now(seconds))
    assert found.cause == cause


def test_a_run_that_was_created_by_hand_was_not_due() -> None:
    by_hand = run(2, "Complete")
    by_hand["metadata"]["annotations"] = {"cronjob.kubernetes.io/instantiate": "manual"}
    found = diagnosed(
        cron_job({"lastScheduleTime": at(2 * HOUR)}),
        by_hand,
        run(1, "Failed", "x"),
        now(2 * HOUR + 90),
    )
    assert "the last run, created by hand at 2027-01-01T02:00:00Z, completed" in found.sentence
    assert [each.by_hand for each in found.runs] == [True, False]


def test_one_that_is_being_deleted_starts_nothing() -> None:
    deleted = cron_job()
    deleted["metadata"] |= {"deletionTimestamp": at(60), "finalizers": ["example.com/x"]}
    found = diagnosed(deleted, now(5 * HOUR))
    assert (found.cause, found.missed, found.next_run) == ("Deleting", None, None)
    assert (
        "it is being deleted (held by finalizer example.com/x), so no run starts" in found.sentence
    )


def test_a_later_run_of_another_cron_job_shows_that_the_controller_runs() -> None:
    other = run(3, "Complete", "CompletionsReached", succeeded=1)
    other["metadata"] |= {"name": "hourly-3", "uid": "hourly-3"}
    other["metadata"]["ownerReferences"][0] |= {"name": "hourly", "uid": "other-uid"}
    saved = SavedObjects()
    for each in (cron_job({"lastScheduleTime": at(HOUR)}), other, now(3 * HOUR + 900)):
        assert saved.add(each) is None
    (chosen,) = (each for each in saved.to_diagnose() if each["kind"] == "CronJob")
    found = saved.diagnosis(chosen, ApiServer("1.36"), lambda value, codes: ())
    assert isinstance(found, CronJobDiagnosis)
    assert "but the CronJob controller runs: it created Job hourly-3 at " in found.sentence
    assert found.summary.command == "kubectl describe cronjob -n batch nightly"


def test_the_next_run_replaces_one_that_waits() -> None:
    running = run(2, active=1)
    waiting = {"name": "main", "image": "x:1", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    of_it = pod("train-a", 2 * HOUR + 1, code=None, job="nightly-2")
    of_it["metadata"]["ownerReferences"][0]["uid"] = "nightly-2"
    of_it["status"] = {"phase": "Pending", "containerStatuses": [waiting]}
    objects = (running, of_it, now(2 * HOUR + 600))
    found = diagnosed(cron_job({"lastScheduleTime": at(2 * HOUR)}), *objects)
    assert "Otherwise it waits forever." in found.summary.following
    replacing = cron_job({"lastScheduleTime": at(2 * HOUR)}, concurrencyPolicy="Replace")
    found = diagnosed(replacing, *objects)
    assert "Otherwise the next run replaces it." in found.summary.following
    assert "correct the CronJob and delete the Job" in found.summary.fix


def test_an_object_without_any_of_its_pods_in_the_file_does_not_wait_for_its_controller() -> None:
    value = stored(job(), active=3, ready=2)
    saved = SavedObjects()
    assert saved.add(value) is None
    found = saved.diagnosis(value, ApiServer("1.36"), lambda value, codes: ())
    assert "(3 active Pods by its status" in found.sentence
    assert "none of its Pods was read" in found.sentence


def test_runs_that_take_longer_than_the_schedule_allows_do_not_hang() -> None:
    spec = {"schedule": "*/15 * * * *", "concurrencyPolicy": "Forbid"}
    before = run(1, "Complete", "CompletionsReached", succeeded=1)
    before["status"]["conditions"][0]["lastTransitionTime"] = at(HOUR + 1500)
    status = {"lastScheduleTime": at(2 * HOUR), "active": [{"name": "nightly-2"}]}
    value = pod("train-a", 2 * HOUR + 1, code=None, job="nightly-2")
    value["metadata"]["ownerReferences"][0]["uid"] = "nightly-2"
    objects = (before, run(2, active=1, ready=1), value, cron_job(status, **spec))
    found = diagnosed(*objects, now(2 * HOUR + 1200))
    assert (
        found.summary.fix == "Give the schedule more time than a run takes, or let a run take less:"
    )
    found = diagnosed(*objects, now(2 * HOUR + 1700))
    assert "hangs" in found.summary.fix


@pytest.mark.parametrize(
    ("condition", "headline"),
    [("Failed", "failed: its run due at "), ("Complete", "is well: its run due at ")],
)
def test_the_end_of_a_run_whose_job_is_gone_is_known_by_its_event(
    condition: str, headline: str
) -> None:
    seen = about(
        "SawCompletedJob", f"Saw completed job: nightly-1, condition: {condition}", HOUR + 60
    )
    template = {"spec": {**job()["spec"], "ttlSecondsAfterFinished": 60}}
    value = cron_job({"lastScheduleTime": at(HOUR)}, jobTemplate=template)
    found = diagnosed(value, seen, now(HOUR + 600))
    assert found.summary.headline.startswith(f"CronJob nightly {headline}")
    assert "is gone (ttlSecondsAfterFinished: 60)" in found.sentence


def test_a_webhook_that_rejects_jobs_is_not_said_to_reject_pods() -> None:
    message = 'Error creating job: admission webhook "w.example" denied the request: \n\nno tag'
    found = diagnosed(cron_job(), about("FailedCreate", message, HOUR + 1), now(HOUR + 600))
    assert "webhook w.example to accept its Jobs" in found.summary.headline
    assert "denied the request: no tag" in found.sentence


def test_a_failed_run_can_be_repeated_before_the_next_is_due() -> None:
    failed = run(1, "Failed", "BackoffLimitExceeded", failed=1)
    found = diagnosed(cron_job({"lastScheduleTime": at(HOUR)}), failed, now(HOUR + 600))
    assert found.summary.following.endswith(
        "kubectl create job -n batch --from=cronjob/nightly nightly-again"
    )
