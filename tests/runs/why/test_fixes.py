"""The fix in the short answer: advice by the message, and a command that can work."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.reports.sections import text_lines
from jobsworth.reports.why_sections import why_sections
from jobsworth.runs.recorded.pod_facts import MAX_MESSAGE, short
from jobsworth.runs.recorded.recording_reader import read_recording
from jobsworth.runs.why.answer import Answer
from jobsworth.runs.why.diagnosis import Diagnosis, diagnose
from jobsworth.runs.why.owners.cron_job_fixes import fix_of_blocking
from jobsworth.runs.why.saved_objects import SavedObjects
from jobsworth.runs.why.summary import Summary, brief, summary_of
from support.replay.recorded_jobs import START, at, created, event, pod, recording, stored
from support.simulation.simulated_runs import job

Object = dict[str, Any]
HOUR = 3600


def test_a_long_message_keeps_its_end() -> None:
    text = short("failed to pull " + "x" * 5000 + " 401 Unauthorized")
    assert text.startswith("failed to pull")
    assert text.endswith("401 Unauthorized")
    assert len(text) == MAX_MESSAGE


def waiting_for_image(message: str) -> Summary:
    value = pod("train-a", code=None)
    state = {"waiting": {"reason": "ImagePullBackOff", "message": message}}
    value["status"] = {
        "phase": "Pending",
        "containerStatuses": [{"name": "main", "image": "ghcr.io/a/b:1", "state": state}],
    }
    value["spec"] = {"nodeName": "node-0"}
    return summary_of(diagnose(read_recording(stored(job(), active=1), [value], ())))


@pytest.mark.parametrize(
    ("end", "words", "deletes"),
    [
        ("401 Unauthorized", "give imagePullSecrets", True),
        ("not found", "Push the image", True),
        ("429 toomanyrequests", "The registry limits the rate", False),
        ("dial tcp: lookup ghcr.io: no such host", "does not reach the registry", False),
    ],
)
def test_the_registry_decides_about_the_fix(end: str, words: str, deletes: bool) -> None:
    found = waiting_for_image(
        f'Back-off pulling image "ghcr.io/a/b:1": {"failed to pull " * 30}: {end}'
    )
    assert end in found.causes[0]
    assert words in found.fix
    assert bool(found.command) == deletes


def restarting(reason: str, message: str = "") -> Diagnosis:
    value = pod("train-a", code=None)
    ended = {"exitCode": 128, "reason": reason, "message": message, "finishedAt": at(500)}
    status = {
        "name": "main",
        "restartCount": 5,
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": ended},
    }
    value["status"] = {"phase": "Running", "containerStatuses": [status]}
    return diagnose(read_recording(stored(job(), active=1), [value], (), now=START + 600))


def test_a_container_that_never_started_has_no_log() -> None:
    found = summary_of(
        restarting("StartError", 'exec: "run.sh": executable file not found in $PATH')
    )
    assert "container main, which cannot be started (5 restarts" in found.headline
    assert "executable file not found" in found.causes[0]
    assert found.command == "kubectl describe pod -n batch train-a"
    assert found.fix.startswith("Correct the command of container main")
    assert "--previous" in summary_of(restarting("Error")).command


def kept(name: str, *args: str) -> Summary:
    manifest = job()
    containers = manifest["spec"]["template"]["spec"]["containers"]
    containers.append({"name": name, "image": name, "args": [*args]})
    value = pod("train-a", code=None)
    done = {"terminated": {"exitCode": 0, "finishedAt": at(60)}}
    value["status"] = {
        "phase": "Running",
        "containerStatuses": [
            {"name": containers[0]["name"], "state": done},
            {"name": name, "state": {"running": {"startedAt": at(1)}}},
        ],
    }
    return summary_of(diagnose(read_recording(stored(manifest, active=1), [value], ())))


def test_a_proxy_without_a_shell_is_ended_from_another_container() -> None:
    request = "curl -fsS -X POST http://localhost:9091/quitquitquit"
    debug = "kubectl debug -n batch train-a"
    offered = kept("cloud-sql-proxy", "--quitquitquit")
    assert offered.command == f"{debug} --image=curlimages/curl -- {request}"
    other = kept("cloud-sql-proxy")
    assert other.command == f"{debug} --image=busybox --target=cloud-sql-proxy -- kill 1"
    assert "a code other than 0 fails the Pod" in other.fix


def test_a_command_for_events_is_only_given_where_they_may_show_more() -> None:
    value = stored(job(), (60, "Failed", "BackoffLimitExceeded"), failed=1)

    def command(*events: Object, now: int) -> str:
        return summary_of(diagnose(read_recording(value, (), events, now=START + now))).command

    assert command(now=120).startswith("kubectl get events")
    assert command(now=2 * HOUR) == ""
    assert command(event("BackoffLimitExceeded", "reached", 60), now=120) == ""


def test_failures_so_far_are_no_fix_of_a_job_that_runs() -> None:
    value = stored(job(backoffLimit=3), active=1, failed=1)
    lost = pod("train-a", 0, 30, 137, started=1, disruption="DeletionByTaintManager")
    found = summary_of(diagnose(recording(value, lost, pod("train-b", 40, started=41))))
    assert found.headline.startswith("Job train has run for 41 s:")
    assert (found.fix, found.command) == ("", "")
    assert "DisruptionTarget" in found.advice[0].text


def test_a_finished_job_that_is_being_deleted_says_what_holds_it() -> None:
    value = stored(job(), (60, "Complete", ""), succeeded=1)
    value["metadata"] |= {
        "deletionTimestamp": at(100),
        "finalizers": ["foregroundDeletion", "archive.example.com/logs"],
    }
    found = summary_of(diagnose(read_recording(value, (), (), now=START + HOUR)))
    assert "it waits for its own deletion" in found.causes[-1]
    assert "archive.example.com/logs" in found.causes[-1]
    assert found.command == (
        "kubectl patch job -n batch train --type=merge -p "
        '\'{"metadata":{"finalizers":["foregroundDeletion"]}}\''
    )
    assert found.following.startswith("It is gone when its finalizers are removed")


def test_events_of_the_end_of_a_pod_are_listed_though_they_are_no_warnings() -> None:
    value = stored(job(backoffLimit=0), (60, "Failed", "BackoffLimitExceeded"), failed=1)
    events = (
        event("Preempted", "Preempted by pod x on node n", 50, "train-a", "Pod"),
        event("Pulled", "image", 2, "train-a", "Pod"),
    )
    killed = pod("train-a", 0, 55, 143, started=1, disruption="PreemptionByScheduler")
    found = diagnose(recording(value, killed, events=events))
    text = "\n".join(text_lines(why_sections(Answer(found, {}))))
    assert "Preempted by pod x" in text
    assert "Pulled" not in text


def test_a_pod_that_only_its_deletion_names_has_no_time_of_creation() -> None:
    value = stored(job(activeDeadlineSeconds=60), (60, "Failed", "DeadlineExceeded"), failed=1)
    deleted = event("SuccessfulDelete", "Deleted pod: train-a", 60)
    found = diagnose(recording(value, events=(deleted,)))
    rows = [
        line for line in text_lines(why_sections(Answer(found, {}))) if line.startswith("  train-a")
    ]
    assert rows[0].split()[:3] == ["train-a", "-", "-"]
    assert "Raise spec.activeDeadlineSeconds" in summary_of(found).fix


def cron_job(*others: Object, active: str = "", **spec: Any) -> Summary:
    saved = SavedObjects(START + 6 * HOUR + 600)
    value = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {
            "name": "nightly",
            "namespace": "batch",
            "uid": "cron",
            "creationTimestamp": at(0),
        },
        "spec": {"schedule": "@hourly", "jobTemplate": {"spec": job()["spec"]}, **spec},
        "status": {"lastScheduleTime": at(0), "active": [{"name": active}] if active else []},
    }
    for each in (value, *others):
        assert saved.add(each) is None
    found = saved.diagnosis(value, ApiServer("1.36"), lambda value, codes: ())
    assert not isinstance(found, Diagnosis)
    return found.summary


def test_a_silent_controller_is_looked_up_unless_an_event_shows_that_it_runs() -> None:
    assert cron_job().command.startswith("kubectl get lease -n kube-system kube-controller-manager")
    event_of_it = event("TooManyMissedTimes", "too many", 6 * HOUR + 60, "nightly", "CronJob")
    found = cron_job(event_of_it)
    assert found.command == ""
    assert "the controller runs" in found.causes[0].replace("CronJob controller", "controller")


def test_a_job_that_holds_back_runs_may_be_deleted_if_it_hangs() -> None:
    running = {**stored(job(), active=1), "apiVersion": "batch/v1", "kind": "Job"}
    owner = {"kind": "CronJob", "name": "nightly", "uid": "cron", "controller": True}
    running["metadata"]["ownerReferences"] = [owner]
    skipped = event("JobAlreadyActive", "Not starting", 6 * HOUR, "nightly", "CronJob")
    working = pod("train-a", 1, started=2)
    found = cron_job(running, skipped, working, active="train", concurrencyPolicy="Forbid")
    assert found.fix == (
        "If its log shows that Job train hangs, delete it (kubectl delete job -n batch train): then the last "
        "missed run starts at once. The log:"
    )
    assert found.command == "kubectl logs -n batch train-a --all-containers --tail=20"
    assert [each.field for each in found.advice] == ["spec.jobTemplate.spec.activeDeadlineSeconds"]


def test_without_its_pods_a_job_that_holds_back_runs_is_only_deleted() -> None:
    fix = fix_of_blocking("batch", "train", "", late=True)
    assert fix.text == (
        "If Job train hangs, delete it: then the last missed run starts at once, if startingDeadlineSeconds "
        "allows it:"
    )
    assert fix.command == "kubectl delete job -n batch train"


def test_a_taint_of_a_node_that_was_not_ready_is_named_so() -> None:
    value = stored(job(backoffLimit=0), (60, "Failed", "BackoffLimitExceeded"), failed=1)
    lost = pod("train-a", 0, 55, 143, started=1, disruption="DeletionByTaintManager")
    lost["spec"] = {"nodeName": "node-z9"}
    unready = event("NodeNotReady", "Node is not ready", 20, "train-a", "Pod")
    found = summary_of(diagnose(recording(value, lost, events=(unready,))))
    assert "node-z9 was not ready" in f"{found.headline} {found.causes[0]}"


def test_the_last_event_of_the_only_failed_pod_is_the_cause_that_comes_first() -> None:
    value = stored(job(backoffLimit=0), (60, "Failed", "BackoffLimitExceeded"), failed=1)
    events = (
        event("SuccessfulCreate", "Created pod: train-a", 1),
        event("Evicted", "Evicted pod", 50, "train-a", "Pod"),
    )
    found = summary_of(diagnose(recording(value, events=events)))
    assert "Pod train-a was evicted through the eviction API" in found.headline
    assert "the failed Pod that the status counts is gone" in "; ".join(found.causes)


def rejected(message: str) -> Summary:
    refused = event("FailedCreate", f'Error creating: pods "train-a" is forbidden: {message}', 5)
    return summary_of(diagnose(read_recording(stored(job()), (), (refused,))))


def test_a_limit_range_and_a_webhook_that_is_away_are_looked_up() -> None:
    found = rejected("maximum memory usage per Container is 8Gi, but limit is 16Gi")
    assert "for Pods within the LimitRange" in found.headline
    assert found.command == "kubectl describe limitrange -n batch"
    found = rejected('Internal error occurred: failed calling webhook "a.b.io": connection refused')
    assert "for webhook a.b.io to answer" in found.headline
    assert found.command.startswith("kubectl get mutatingwebhookconfigurations,")


def test_a_probe_that_failed_is_named_beside_the_exit_code() -> None:
    value = stored(job(backoffLimit=0), (60, "Failed", "BackoffLimitExceeded"), failed=1)
    killing = event(
        "Killing", "Container main failed liveness probe, will be restarted", 40, "train-a", "Pod"
    )
    found = diagnose(recording(value, pod("train-a", 0, 55, 137, started=1), events=(killing,)))
    assert "failed liveness probe" in found.sentence


def test_a_program_that_never_started_needs_no_events() -> None:
    value = stored(job(backoffLimit=0), (60, "Failed", "BackoffLimitExceeded"), failed=1)
    found = summary_of(diagnose(recording(value, pod("train-a", 0, 55, 128, reason="StartError"))))
    assert found.fix.startswith("Correct the command")
    assert found.command == ""


def test_the_rest_of_a_shortened_parenthesis_is_not_the_whole_cause_again() -> None:
    value = stored(job(backoffLimit=0), (670, "Failed", "BackoffLimitExceeded"), failed=1)
    drained = pod("train-a", 0, 660, 143, started=1, disruption="EvictionByEvictionAPI")
    found = summary_of(diagnose(recording(value, drained)))
    assert found.headline.endswith("through the eviction API (a drain or scale-down).")
    assert found.causes == ("backoffLimit 0 was exceeded, at 2027-01-01T00:11:10Z",)


def test_a_schedule_or_deadline_that_starts_no_run_is_edited() -> None:
    edit = "kubectl edit cronjob -n batch nightly"
    assert cron_job(timeZone="Europe/Belin").command == edit
    found = cron_job(startingDeadlineSeconds=5)
    assert found.causes[0] == "startingDeadlineSeconds 5 may be over before the controller acts"
    assert (found.fix, found.command) == ("Raise spec.startingDeadlineSeconds:", edit)


def starting(reason: str, message: str) -> Summary:
    value = pod("train-a", code=None)
    state = {"waiting": {"reason": reason, "message": message}}
    value["status"] = {
        "phase": "Pending",
        "containerStatuses": [{"name": "main", "image": "a:1", "state": state}],
    }
    value["spec"] = {"nodeName": "node-0"}
    return summary_of(diagnose(read_recording(stored(job(), active=1), [value], ())))


@pytest.mark.parametrize(
    ("reason", "message", "headline", "fix"),
    [
        (
            "ImagePullBackOff",
            "x: 401 Unauthorized",
            "for image a:1 (access denied)",
            "imagePullSecrets",
        ),
        ("ErrImagePull", "429 Too Many Requests", "for image a:1 (rate limit)", "limits the rate"),
        ("ImagePullBackOff", "", "for image a:1.", "Push the image"),
        (
            "CreateContainerConfigError",
            "container has runAsNonRoot and image will run as root",
            "for a container that can be started",
            "securityContext.runAsUser",
        ),
        (
            "CreateContainerConfigError",
            "failed to prepare subPath for volumeMount",
            "for a container that can be started",
            "Correct the subPath",
        ),
        (
            "CreateContainerConfigError",
            'secret "token" not found',
            "for Secret token",
            "Create Secret token",
        ),
    ],
)
def test_a_container_that_cannot_be_created_has_the_cause_of_its_message(
    reason: str, message: str, headline: str, fix: str
) -> None:
    found = starting(reason, message)
    assert headline in found.headline
    assert fix in found.fix


@pytest.mark.parametrize(
    ("message", "headline", "fix"),
    [
        (
            "unable to create new content in namespace batch because it is being terminated",
            "a namespace that is not being deleted",
            "Create the Job in another namespace",
        ),
        (
            "ValidatingAdmissionPolicy 'no-latest' with binding 'all' denied request: no latest",
            "ValidatingAdmissionPolicy no-latest to accept its Pods",
            "Change what the message of ValidatingAdmissionPolicy no-latest names",
        ),
        (
            "failed quota: compute: must specify limits.memory for: main",
            "requests and limits that ResourceQuota compute requires",
            "default ones in a LimitRange",
        ),
    ],
)
def test_a_rejection_names_what_can_end_it(message: str, headline: str, fix: str) -> None:
    found = rejected(message)
    assert headline in found.headline
    assert fix in found.fix
    assert "other Pods of the namespace end" not in found.following


def test_a_program_for_another_architecture_is_recognized() -> None:
    found = summary_of(restarting("Error", "exec /app/etl: exec format error"))
    assert found.fix.startswith("Build the image of container main for the architecture")


def test_a_list_of_indexes_is_not_cut() -> None:
    text = "indexes 2, 5 failed with exit code 3: " + "a long message of a program " * 5
    assert brief(text, 12) == "indexes 2, 5 failed with exit code 3"


def test_a_running_pod_on_a_node_that_is_not_ready_leads_to_the_node() -> None:
    running = pod("train-a", 1, started=2)
    running["spec"] = {"nodeName": "node-z9"}
    running["status"]["conditions"] = [{"type": "Ready", "status": "False"}]
    unready = event("NodeNotReady", "Node is not ready", 20, "train-a", "Pod")
    found = summary_of(diagnose(recording(stored(job(), active=1), running, events=(unready,))))
    assert "node node-z9 of Pod train-a is not ready" in found.headline
    assert found.command == "kubectl describe node node-z9"
    assert summary_of(diagnose(recording(stored(job(), active=1), running))).fix == ""


def test_a_quota_that_the_own_pods_of_the_job_fill_does_not_last_forever() -> None:
    refused = event("FailedCreate", "Error creating: exceeded quota: compute, used: pods=1", 3)
    value = stored(job(parallelism=2, completions=2), active=1)
    found = summary_of(diagnose(recording(value, pod("train-a", 1, started=2), events=(refused,))))
    assert "forever" not in found.following


def failed_pods(*messages: str, **meta: Any) -> Diagnosis:
    manifest = job(backoffLimit=len(messages) - 1, completions=len(messages), parallelism=1)
    value = stored(manifest, (900, "Failed", "BackoffLimitExceeded"), failed=len(messages))
    value["metadata"] |= meta
    pods = []
    for number, message in enumerate(messages):
        each = pod(f"train-{number}", number * 10, number * 10 + 5, 3)
        ended = each["status"]["containerStatuses"][0]["state"]["terminated"]
        ended["message"] = message
        pods.append(each)
    return diagnose(read_recording(value, pods, ()))


@pytest.mark.parametrize(
    ("messages", "words"),
    [
        (("no such file", "no such file"), "2 Pods failed with exit code 3: no such file"),
        (
            ("no such file", "", "no such file"),
            "3 Pods failed with exit code 3: 2 Pods: no such file",
        ),
        (
            ("no such file", "permission denied"),
            "exit code 3: Pod train-1: permission denied; Pod train-0: no such file",
        ),
        (
            ("at 10:01 refused", "at 10:02 refused"),
            "exit code 3: Pod train-1: at 10:02 refused (others alike)",
        ),
        (("a", "b", "c", "d"), "Pod train-3: d; Pod train-2: c; and 2 other messages"),
    ],
)
def test_a_message_of_one_pod_does_not_stand_for_others(
    messages: tuple[str, ...], words: str
) -> None:
    assert words in failed_pods(*messages).sentence


def test_a_failed_job_does_not_run_again_unless_a_controller_creates_it() -> None:
    again = "It does not run again: create it anew when the cause is gone."
    assert summary_of(failed_pods("")).following == again
    owner = {"kind": "CronJob", "name": "nightly", "uid": "cron", "controller": True}
    assert summary_of(failed_pods("", ownerReferences=[owner])).following == ""


def test_a_pod_that_a_finalizer_keeps_after_the_end_of_its_job_is_named() -> None:
    value = stored(job(backoffLimit=0), (60, "Failed", "DeadlineExceeded"), failed=1)
    value["spec"]["activeDeadlineSeconds"] = 60
    held = pod("train-a", 0, 60, 143, deleted=60)
    held["metadata"]["finalizers"] = ["acme.io/release-ip"]
    found = summary_of(diagnose(read_recording(value, [held], ())))
    assert any(
        "Pod train-a stays until finalizer acme.io/release-ip is" in each.text
        for each in found.advice
    )


def test_a_deadline_that_is_too_short_for_the_controller_is_raised() -> None:
    late = event("MissSchedule", "Missed scheduled time", 6 * HOUR + 60, "nightly", "CronJob")
    for found in (
        cron_job(late, startingDeadlineSeconds=5),
        cron_job(startingDeadlineSeconds=5),
    ):
        assert found.fix == "Raise spec.startingDeadlineSeconds:"
        assert found.command == "kubectl edit cronjob -n batch nightly"


def test_the_log_is_that_of_the_failure_that_came_last() -> None:
    value = stored(job(backoffLimit=2), (90, "Failed", "BackoffLimitExceeded"), failed=3)
    pods = [pod(f"train-{n}", n * 20, n * 20 + 5, 3 if n == 2 else 1) for n in range(3)]
    found = summary_of(diagnose(read_recording(value, pods, ())))
    assert found.command == "kubectl logs -n batch train-2 -c main"


def test_a_pod_of_a_lost_node_is_not_deleted_by_force_where_the_job_waits_until_it_failed() -> None:
    value = stored(job(podReplacementPolicy="Failed"), active=0, terminating=1)
    lost = pod("train-a", 0, started=1, deleted=60)
    lost["spec"] = {"nodeName": "node-9"}
    unready = event("NodeNotReady", "Node is not ready", 40, "train-a", "Pod")
    found = summary_of(diagnose(read_recording(value, [lost], (unready,), now=START + 900)))
    assert found.headline.endswith("for Pod train-a to terminate on node node-9.")
    assert "its node is not ready" in found.causes[0]
    assert found.command == "kubectl delete node node-9"
    assert "--force" not in f"{found.fix} {found.following}"


def test_a_pod_that_was_preempted_and_is_gone_is_told_of_a_job_that_goes_on() -> None:
    events = (
        created("train-a", 1),
        event("Preempted", "Preempted by pod x on node y", 30, "train-a", "Pod"),
    )
    waiting = pod("train-b", 31, code=None)
    found = diagnose(read_recording(stored(job(), active=1), [waiting], events))
    assert found.so_far == "so far, Pod train-a was preempted by the scheduler"


def test_a_zone_that_the_controller_does_not_know_is_edited() -> None:
    unknown = event("UnknownTimeZone", 'invalid timeZone: "A/B"', 6 * HOUR, "nightly", "CronJob")
    found = cron_job(unknown)
    assert found.headline == (
        "CronJob nightly starts no run: its controller does not know the time zone."
    )
    assert (found.command, found.following) == ("kubectl edit cronjob -n batch nightly", "")


def test_a_webhook_that_rejects_the_job_of_a_cron_job_is_named_with_its_pods() -> None:
    message = (
        'Error creating job: Internal error occurred: failed calling webhook "a.b.io": failed to call webhook: '
        'Post "https://hook.hooks.svc:443/v?timeout=5s": no endpoints available for service "hook"'
    )
    found = cron_job(event("FailedCreate", message, 6 * HOUR + 60, "nightly", "CronJob"))
    assert found.headline.endswith("it waits for webhook a.b.io to answer.")
    assert found.command == "kubectl get pods,endpointslices -n hooks"
    denied = 'Error creating job: admission webhook "a.b.io" denied the request: no'
    found = cron_job(event("FailedCreate", denied, 6 * HOUR + 60, "nightly", "CronJob"))
    assert (found.fix[-25:], found.command) == ("or the rule of the webhook."[-25:], "")


def running(name: str) -> Object:
    value = {**stored(job(), active=1), "apiVersion": "batch/v1", "kind": "Job"}
    owner = {"kind": "CronJob", "name": "nightly", "uid": "cron", "controller": True}
    value["metadata"] |= {"name": name, "ownerReferences": [owner]}
    return value


def test_runs_that_are_replaced_before_they_end_are_told_with_the_last_success() -> None:
    deleted = [
        event("SuccessfulDelete", f"Deleted job nightly-{n}", n * HOUR, "nightly", "CronJob")
        for n in (1, 2)
    ]
    status = {"active": "train", "concurrencyPolicy": "Replace"}
    found = cron_job(running("train"), *deleted, **status, schedule="0 0 1 1 *")
    assert "replaces its runs before they end" in found.headline
    assert "concurrencyPolicy: Replace deleted 2 runs before they ended" in found.causes[0]
    assert found.fix.startswith("Give the schedule more time")
    kept = cron_job(
        running("train"), *deleted, **status, schedule="0 0 1 1 *", failedJobsHistoryLimit=0
    )
    assert "replaces" not in kept.headline


def test_pods_within_their_grace_period_need_no_fix() -> None:
    value = stored(job(podReplacementPolicy="Failed"), active=0, terminating=1)
    ending = pod("train-a", 0, started=1, deleted=60)
    found = summary_of(diagnose(read_recording(value, [ending], (), now=START + 70)))
    assert (found.fix, found.command) == ("", "")
    assert "within their grace periods (at 2027-01-01T00:01:30Z)" in found.following


def test_a_sidecar_that_its_startup_probe_restarts_waits_since_the_pod_does() -> None:
    value = pod("train-a", 1, code=None)
    value["spec"] = {
        "nodeName": "node-0",
        "initContainers": [{"name": "proxy", "restartPolicy": "Always", "startupProbe": {}}],
        "containers": [{"name": "main"}],
    }
    proxy = {
        "name": "proxy",
        "started": False,
        "restartCount": 6,
        "state": {"running": {"startedAt": at(900)}},
        "lastState": {"terminated": {"exitCode": 137, "reason": "Error", "finishedAt": at(899)}},
    }
    value["status"] = {"phase": "Pending", "initContainerStatuses": [proxy]}
    value["status"]["conditions"] = [{"type": "PodScheduled", "status": "True"}]
    probe = event("Unhealthy", "Startup probe failed: 503", 898, "train-a", "Pod")
    found = summary_of(
        diagnose(read_recording(stored(job(), active=1), [value], (probe,), now=START + 930))
    )
    assert found.headline == "Job train has waited 15 min 29 s for sidecar proxy to start."
    assert "(6 restarts): Startup probe failed: 503" in found.causes[0]
    assert found.command == "kubectl logs -n batch train-a -c proxy --previous"


def test_a_job_runs_since_its_start_and_not_since_that_of_its_present_pods() -> None:
    value = stored(job(completions=2, parallelism=1), active=1, succeeded=1)
    value["status"]["startTime"] = at(0)
    pods = [pod("train-a", 1, 600), pod("train-b", 601, started=602)]
    found = summary_of(diagnose(read_recording(value, pods, (), now=START + 660)))
    assert found.headline.startswith("Job train has run for 11 min:")


def test_a_volume_that_another_pod_uses_waits_for_that_pod() -> None:
    value = pod("train-a", 1, code=None)
    value["status"] = {
        "phase": "Pending",
        "conditions": [{"type": "PodScheduled", "status": "True"}],
        "containerStatuses": [
            {"name": "main", "image": "a:1", "state": {"waiting": {"reason": "ContainerCreating"}}}
        ],
    }
    value["spec"] = {"nodeName": "node-0"}
    message = 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) train-old'
    used = event("FailedAttachVolume", message, 9, "train-a", "Pod")
    found = summary_of(diagnose(read_recording(stored(job(), active=1), [value], (used,))))
    assert found.headline.endswith("for a volume that Pod train-old uses on another node.")
    assert found.command == "kubectl describe pod -n batch train-old"
