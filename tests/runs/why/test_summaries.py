"""The short answer of why: a first line of at most 20 words, the cause, a command to paste, what comes next."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.findings.finding import Finding
from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.saved_objects import SavedObjects
from jobsworth.runs.why.summary import MAX_WORDS, Summary, brief, summary_of
from support.replay.recorded_jobs import START, UID, at, event, pod, recording, stored
from support.simulation.simulated_runs import job
from support.why.recorded_failures import diagnosed
from support.why.situations import situations

Object = dict[str, Any]
SITUATIONS = {each["name"]: each for each in situations()}
HOUR = 3600


def test_since_is_the_first_refusal() -> None:
    refused = event("FailedCreate", "Error creating: exceeded quota: compute", 7000)
    refused |= {"firstTimestamp": at(1), "count": 12}
    found = diagnose(read_recording(stored(job()), (), (refused,), now=START + 7201))
    short = summary_of(found)
    assert short.headline == "Job train has waited 2 h for room in ResourceQuota compute."
    assert short.causes == (f"exceeded quota: compute, since {at(1)}",)
    assert short.command == "kubectl describe resourcequota -n batch compute"
    assert short.following.startswith("It goes on when other Pods of the namespace end")
    assert short.following.endswith("Otherwise it waits forever.")


def test_the_time_of_a_wait_is_beside_its_cause_not_beside_the_progress() -> None:
    refused = event("FailedCreate", "Error creating: exceeded quota: compute", 3)
    value = stored(job(parallelism=2, completions=2), active=1)
    short = summary_of(diagnose(recording(value, pod("train-a", 1, started=2), events=(refused,))))
    assert short.causes == (
        f"exceeded quota: compute, since {at(3)}",
        "1 Pod runs, 0 of 2 completions succeeded",
    )


def test_a_job_that_can_only_fail_says_why_before_how_far_it_is() -> None:
    value = stored(
        job(completions=3, completionMode="Indexed", backoffLimitPerIndex=0),
        active=1,
        failed=1,
        failedIndexes="1",
    )
    pods = (pod("train-0-a", 1, index=0, started=2), pod("train-1-b", 1, 9, 3, index=1, started=2))
    short = summary_of(diagnose(recording(value, *pods)))
    assert short.headline == "Job train will fail: index 1 failed for good."
    assert short.causes[0].startswith("… so the Job fails (FailedIndexes)")
    assert short.causes[-1] == "1 Pod runs, 0 of 3 indexes succeeded"


def test_what_the_first_line_says_is_not_said_again() -> None:
    value = stored(job(backoffLimit=0), (9, "Failed", "BackoffLimitExceeded"), failed=1)
    short = summary_of(diagnose(recording(value, pod("train-a", 0, 8, 3, started=1))))
    assert short.headline == "Job train failed after 9 s: Pod train-a failed with exit code 3."
    assert short.causes == ("backoffLimit 0 was exceeded, at 2027-01-01T00:00:09Z",)
    assert short.command == "kubectl logs -n batch train-a -c main"


def test_a_finished_job_with_a_ttl_says_when_its_logs_are_deleted() -> None:
    value = stored(
        job(backoffLimit=0, ttlSecondsAfterFinished=60),
        (9, "Failed", "BackoffLimitExceeded"),
        failed=1,
    )
    short = summary_of(diagnose(recording(value, pod("train-a", 0, 8, 3, started=1))))
    assert f"are deleted at {at(69)}" in short.following


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("a mesh's proxy keeps a Pod whose work is done", "kubectl exec -n batch pi-6tq7q -c istio-proxy -- pilot-agent request POST quitquitquit"),
        ("a crash loop whose last end was for memory", ""),
        ("an init container waits for an installation", "kubectl logs -n batch pega-x -c wait-for-pegainstall"),
        ("the failure is decided, and a Pod on a lost node does not terminate", "kubectl delete pod -n batch j-bbbbb --force"),
        ("the failure is decided, and a finalizer holds a Pod", "kubectl describe pod -n batch j-x"),
        ("the only node has a taint", "kubectl get nodes -o custom-columns=NAME:.metadata.name,TAINTS:.spec.taints"),
        ("a claim is not bound", "kubectl describe pvc -n batch d"),
        ("the registry denies the image", "kubectl delete job -n batch img"),
        ("a Job waits for quota of its queue", "kubectl describe workload -n batch job-job-19797"),
        ("a container without a limit was killed for memory", ""),
    ],
)  # fmt: skip
def test_a_cause_has_its_command(name: str, command: str) -> None:
    assert summary_of(diagnosed(SITUATIONS[name])).command == command


def test_names_of_a_hostile_object_are_quoted() -> None:
    value = stored(job(), active=1)
    value["metadata"]["name"] = "a;reboot"
    refused = event("FailedCreate", "Pod is invalid: spec", 5, "a;reboot")
    short = summary_of(diagnose(read_recording(value, (), (refused,))))
    assert short.command == "kubectl delete job -n batch 'a;reboot'"


def refused(message: str) -> Summary:
    value = stored(job(), active=1)
    event_of_job = event(
        "FailedCreate", f'Error creating: pods "train-" is forbidden: {message}', 5
    )
    return summary_of(diagnose(read_recording(value, (), (event_of_job,))))


def test_a_missing_service_account_is_created() -> None:
    message = 'error looking up service account batch/etl: serviceaccount "etl" not found'
    assert refused(message).command == "kubectl create serviceaccount -n batch etl"


def test_all_that_pod_security_requires_is_shown_and_needs_a_new_job() -> None:
    fields = "".join(f"field{number} (container must set it), " for number in range(15))
    short = refused(f'violates PodSecurity "restricted:latest": {fields}seccompProfile')
    assert "seccompProfile, since" in short.causes[0]
    assert "create it anew with what the message requires" in short.fix


@pytest.mark.parametrize(
    ("message", "command", "advice"),
    [
        (
            'violates PodSecurity "restricted:latest": seccompProfile',
            "kubectl delete job -n batch train",
            "Delete the Job and create it anew with what the message requires",
        ),
        (
            'error looking up service account batch/etl: serviceaccount "etl" not found',
            "kubectl create serviceaccount -n batch etl",
            "Create ServiceAccount etl",
        ),
        (
            "exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2",
            "kubectl describe resourcequota -n batch team",
            "Wait for other Pods of the namespace to end, raise ResourceQuota team",
        ),
        (
            "failed quota: team: must specify limits.cpu for: main",
            "kubectl describe resourcequota -n batch team",
            "ResourceQuota team requires",
        ),
        (
            "no PriorityClass with name urgent was found",
            "kubectl get priorityclasses",
            "Create PriorityClass urgent",
        ),
    ],
)
def test_the_advice_about_rejected_pods_is_that_of_the_message(
    message: str, command: str, advice: str
) -> None:
    short = refused(message)
    assert (short.command, short.advice) == (command, ())
    assert short.fix.startswith(advice)


def test_invalid_pods_need_a_new_job() -> None:
    event_of_job = event("FailedCreate", 'Error creating: Pod "train-a" is invalid: spec.x: bad', 5)
    short = summary_of(diagnose(read_recording(stored(job()), (), (event_of_job,))))
    assert short.command == "kubectl delete job -n batch train"
    assert short.fix.startswith("Correct the fields that the message names, delete the Job")
    assert "the Job is created anew with a corrected Pod template" in short.following


def test_a_node_that_fits_but_for_its_room_is_described() -> None:
    pending = pod("train-a", code=None)
    message = (
        "0/12 nodes are available: 4 Insufficient nvidia.com/gpu, 8 node(s) didn't match Pod's node "
        "affinity/selector."
    )
    unscheduled = {
        "type": "PodScheduled",
        "status": "False",
        "reason": "Unschedulable",
        "message": message,
    }
    pending["status"] = {"phase": "Pending", "conditions": [unscheduled]}
    short = summary_of(diagnose(read_recording(stored(job(), active=1), [pending], ())))
    assert short.command == "kubectl describe nodes"
    assert "No node has enough nvidia.com/gpu free" in short.fix
    assert "affinity/selector, since" in short.causes[0]


@pytest.mark.parametrize("text", ["a" * 50, "one, two (three, four) five", "w " * 40])
def test_a_text_fits_into_its_words(text: str) -> None:
    assert len(brief(text, 3).split()) <= 3


def nightly() -> SavedObjects:
    saved = SavedObjects()
    meta = {"name": "nightly", "namespace": "batch", "uid": "cron", "creationTimestamp": at(0)}
    running = stored(job(), active=1)
    owner = {"kind": "CronJob", "name": "nightly", "uid": "cron", "controller": True}
    running["metadata"]["ownerReferences"] = [owner]
    starting = pod("train-a", code=None)
    waiting = {"reason": "ImagePullBackOff", "message": "not found"}
    statuses = [{"name": "main", "image": "rep:1", "state": {"waiting": waiting}}]
    starting["status"] = {"phase": "Pending", "containerStatuses": statuses}
    starting["spec"] = {"nodeName": "n1"}
    cron_job = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": meta,
        "spec": {
            "schedule": "@hourly",
            "concurrencyPolicy": "Forbid",
            "jobTemplate": {"spec": running["spec"]},
        },
        "status": {"lastScheduleTime": at(0), "active": [{"name": "train"}]},
    }
    skipped = event("JobAlreadyActive", "Not starting job", 6 * HOUR + 600, "nightly", "CronJob")
    for each in (cron_job, {**running, "apiVersion": "batch/v1", "kind": "Job"}, starting, skipped):
        assert saved.add(each) is None
    return saved


def test_a_cron_job_counts_its_missed_runs_and_names_what_holds_them_back() -> None:
    saved = nightly()
    (value,) = saved.to_diagnose()
    found = saved.diagnosis(value, ApiServer("1.36"), lambda value, codes: ())
    assert not isinstance(found, Diagnosis)
    short = found.summary
    assert short.headline == f"CronJob nightly has not run since {at(0)} (6 runs missed)."
    assert len(short.headline.split()) <= MAX_WORDS
    why, of_job, detail = short.causes
    assert why.startswith("the previous Job was still running")
    assert of_job == "Job train has waited 6 h 10 min for image rep:1 (not found)"
    assert "ImagePullBackOff" in detail
    assert short.command == "kubectl delete job -n batch train"
    assert short.following.startswith(
        "The last missed run starts as soon as nothing holds it back. "
        f"The next run is due at {at(7 * HOUR)}."
    )
    assert UID in {each.uid for each in found.runs}


def test_a_suspended_cron_job_is_resumed() -> None:
    saved = SavedObjects()
    (value,) = nightly().by_kind["CronJob"]
    value["metadata"]["name"] = "a;b"
    value["spec"]["suspend"] = True
    value["status"] = {}
    saved.add(value)
    found = saved.diagnosis(value, ApiServer("1.36"), lambda value, codes: ())
    assert not isinstance(found, Diagnosis)
    resumed = (
        "kubectl patch cronjob -n batch 'a;b' --type=merge -p '{\"spec\":{\"suspend\":false}}'"
    )
    assert found.summary.command == resumed


def test_advice_about_the_job_of_a_cron_job_names_the_field_of_its_template() -> None:
    saved = nightly()
    (starting,) = saved.by_kind["Pod"]
    waiting = {"reason": "CreateContainerConfigError", "message": 'secret "token" not found'}
    starting["status"]["containerStatuses"][0]["state"] = {"waiting": waiting}
    (value,) = saved.to_diagnose()
    hangs = Finding(
        source="lint",
        severity="info",
        code="JW201",
        field="spec.activeDeadlineSeconds",
        reason="",
        message="Set it.",
    )
    found = saved.diagnosis(value, ApiServer("1.36"), lambda value, codes: [hangs])
    assert not isinstance(found, Diagnosis)
    fields = {each.field for each in found.summary.advice if each.field}
    assert fields == {"spec.jobTemplate.spec.activeDeadlineSeconds"}
