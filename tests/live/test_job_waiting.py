"""A wait ends with the Job, or when it is known that the Job will not end: in virtual time."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.client.api_errors import UNREACHABLE, ApiError
from jobsworth.live.errors import ClusterError, JobNotFound
from jobsworth.live.object_reading import MalformedObject
from jobsworth.live.standstill import Bounds
from support.live.answering_cluster import AnsweringCluster, Rejected, a_job
from support.live.virtual_wait import VirtualWait
from support.replay.recorded_jobs import UID, at, event, pod

Object = dict[str, Any]
LABEL = "batch.kubernetes.io/controller-uid"


def pending(name: str = "train-a", **status: Any) -> Object:
    value = pod(name, 0, code=None)
    value["metadata"]["labels"] |= {LABEL: UID}
    value["status"] = {"phase": "Pending", **status}
    return value


def pulls(reason: str = "ImagePullBackOff", message: str = "not found") -> Object:
    waiting = {"reason": reason, "message": message}
    return {"containerStatuses": [{"name": "main", "image": "x:1", "state": {"waiting": waiting}}]}


UNSCHEDULABLE: Object = {
    "conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable"}]
}
UNANSWERED = ApiError(UNREACHABLE, "", "connection refused")


@pytest.fixture
def wait() -> VirtualWait:
    return VirtualWait(AnsweringCluster(a_job(active=1)))


@pytest.mark.parametrize(("end", "outcome"), [("Complete", "Complete"), ("Failed", "Failed")])
def test_it_ends_with_the_job(wait: VirtualWait, end: str, outcome: str) -> None:
    wait.changes(40, "job", a_job(version=2, end=end))
    found = wait.run()
    assert (found.outcome, found.uid, found.exists, wait.now) == (outcome, UID, True, 40)
    assert wait.calls == 3  # one list each: of the Job, its Pending Pods, its Events


def test_a_job_that_has_ended_takes_one_call() -> None:
    wait = VirtualWait(AnsweringCluster(a_job(end="Complete")))
    assert wait.run().outcome == "Complete"
    assert (wait.calls, wait.now) == (1, 0)


@pytest.mark.parametrize(
    ("status", "after", "cause"),
    [
        (pulls(), 60, "ImagePull"),
        (pulls("ErrImagePull"), 60, "ImagePull"),
        (pulls("CreateContainerConfigError", 'secret "a" not found'), 60, "MissingConfig"),
        (UNSCHEDULABLE, 600, "Unschedulable"),
        (pulls("InvalidImageName"), 0, "ImagePull"),
    ],
)
def test_pods_that_cannot_start_end_it_after_their_bound(
    wait: VirtualWait, status: Object, after: float, cause: str
) -> None:
    wait.changes(5, "pods", pending(**status), "ADDED")
    found = wait.run()
    assert (found.outcome, found.cause, wait.now) == ("Stuck", cause, 5 + after)
    assert "(1 active Pod, of which none can start: " in found.words


def test_a_pod_that_runs_in_time_ends_the_standstill(wait: VirtualWait) -> None:
    wait.changes(5, "pods", pending(**pulls()), "ADDED")
    wait.changes(64, "pods", pending(**pulls()), "DELETED")
    wait.changes(900, "job", a_job(version=3, end="Complete"))
    assert (wait.run().outcome, wait.now) == ("Complete", 900)


def running(*states: Object, restart: str = "Never") -> Object:
    value = pending()
    names = ("main", "istio-proxy")[: len(states)]
    value["spec"] = {"restartPolicy": restart}
    statuses = [{"name": name, "state": each} for name, each in zip(names, states, strict=True)]
    value["status"] = {"phase": "Running", "containerStatuses": statuses}
    return value


RUNS: Object = {"running": {}}


def test_a_pod_that_only_a_sidecar_keeps_ends_it(wait: VirtualWait) -> None:
    wait.changes(5, "pods", running(RUNS, RUNS), "ADDED")
    wait.changes(30, "pods", running({"terminated": {"exitCode": 0}}, RUNS))
    found = wait.run()
    assert (found.outcome, found.cause, wait.now) == ("Stuck", "ContainerRunsOn", 630)
    assert "container istio-proxy of Pod train-a, which runs on after main ended" in found.words


def test_a_sidecar_that_exits_in_time_ends_the_standstill(wait: VirtualWait) -> None:
    wait.changes(5, "pods", running({"terminated": {"exitCode": 0}}, RUNS), "ADDED")
    wait.changes(300, "pods", pod("train-a", 0, ended=300), "MODIFIED")
    wait.changes(5000, "job", a_job(version=3, end="Complete"))
    assert (wait.run().outcome, wait.now) == ("Complete", 5000)


@pytest.mark.parametrize(("limit", "outcome"), [(6, "Timeout"), (1000, "Stuck")])
def test_a_crash_loop_ends_it_if_no_limit_does(limit: int, outcome: str) -> None:
    value = a_job(active=1)
    value["spec"]["backoffLimit"] = limit
    value["spec"]["template"]["spec"]["restartPolicy"] = "OnFailure"
    wait = VirtualWait(AnsweringCluster(value))
    crashing = {"waiting": {"reason": "CrashLoopBackOff"}}
    wait.changes(5, "pods", running(crashing, restart="OnFailure"), "ADDED")
    assert wait.run(timeout=5000).outcome == outcome


def test_an_init_container_hangs_when_it_runs_for_an_hour(wait: VirtualWait) -> None:
    fetching = {"initContainerStatuses": [{"name": "fetch", "state": {"running": {}}}]}
    wait.changes(5, "pods", pending(**fetching), "ADDED")
    found = wait.run()
    assert (found.outcome, found.cause, wait.now) == ("Stuck", "Initializing", 3605)


def test_another_pod_that_runs_is_no_standstill() -> None:
    wait = VirtualWait(AnsweringCluster(a_job(active=2, ready=1)))
    wait.changes(5, "pods", pending(**pulls()), "ADDED")
    assert (wait.run(timeout=5000).outcome, wait.now) == ("Timeout", 5000)


def test_a_volume_that_cannot_be_mounted_shows_in_the_events_of_the_pod(wait: VirtualWait) -> None:
    wait.changes(0, "pods", pending(), "ADDED")
    about = event("FailedMount", 'secret "token" not found', 3, "train-a", "Pod")
    about["involvedObject"]["uid"] = "uid-train-a"
    wait.cluster.add(about)
    found = wait.run(timeout=5000)
    assert (found.outcome, found.cause) == ("Stuck", "MissingConfig")
    assert wait.now <= 61
    assert 'secret "token" not found' in found.words


@pytest.mark.parametrize(
    ("message", "cause", "after"),
    [
        ('pods "train-" is forbidden: exceeded quota: pods', "Quota", 60),
        ('Pod "train-x" is invalid: spec.containers[0].image: Required value', "PodsRejected", 0),
    ],
)
def test_pods_that_are_rejected_end_it(message: str, cause: str, after: float) -> None:
    wait = VirtualWait(AnsweringCluster(a_job()))
    rejected = event("FailedCreate", f"Error creating: {message}", 3)
    wait.changes(7, "events", rejected, "ADDED")
    found = wait.run()
    assert (found.outcome, found.cause, wait.now) == ("Stuck", cause, 7 + after)


def test_a_rejection_that_is_over_does_not_count() -> None:
    wait = VirtualWait(AnsweringCluster(a_job()))
    wait.changes(7, "events", event("FailedCreate", "Error creating: quota", 3), "ADDED")
    wait.changes(30, "job", a_job(version=2, active=1, ready=1))
    assert wait.run(timeout=500).outcome == "Timeout"


def test_a_suspended_job_is_waited_for_only_on_request_or_in_a_queue() -> None:
    suspended = a_job()
    suspended["spec"] = {**suspended["spec"], "suspend": True}
    wait = VirtualWait(AnsweringCluster(suspended))
    assert (wait.run().cause, wait.now) == ("Suspended", 0)
    wait = VirtualWait(AnsweringCluster(suspended))
    assert wait.run(Bounds(suspended_ok=True), timeout=90).outcome == "Timeout"
    suspended["metadata"]["labels"] = {"kueue.x-k8s.io/queue-name": "team"}
    wait = VirtualWait(AnsweringCluster(suspended))
    assert wait.run(timeout=90).outcome == "Timeout"


def test_a_job_without_an_active_controller_is_stuck() -> None:
    alone = a_job()
    alone["status"] = {}
    alone["spec"] = {**alone["spec"], "managedBy": "example.com/typo"}
    wait = VirtualWait(AnsweringCluster(alone))
    found = wait.run()
    assert (found.cause, wait.now) == ("OtherController", 60)
    assert "for the controller example.com/typo, which spec.managedBy names" in found.words


def test_a_job_without_parallelism_is_stuck_until_it_is_raised() -> None:
    idle = a_job()
    idle["spec"] = {**idle["spec"], "parallelism": 0}
    wait = VirtualWait(AnsweringCluster(idle))
    found = wait.run()
    assert (found.outcome, found.cause, wait.now) == ("Stuck", "NoParallelism", 60)
    assert found.words.startswith("is waiting for a parallelism above 0 (spec.parallelism is 0)")
    wait = VirtualWait(AnsweringCluster(idle))
    wait.changes(30, "job", a_job(version=2))
    wait.changes(500, "job", a_job(version=3, end="Complete"))
    assert wait.run().outcome == "Complete"


def test_a_scheduler_that_does_not_report_ends_it(wait: VirtualWait) -> None:
    unplaced = pending()
    unplaced["spec"] = {"schedulerName": "volcano"}
    wait.changes(5, "pods", unplaced, "ADDED")
    found = wait.run()
    assert (found.outcome, found.cause, wait.now) == ("Stuck", "NoScheduler", 605)


def test_a_container_that_cannot_be_created_ends_it(wait: VirtualWait) -> None:
    wait.changes(5, "pods", pending(**pulls("CreateContainerError")), "ADDED")
    found = wait.run()
    assert (found.outcome, found.cause, wait.now) == ("Stuck", "StartError", 65)


def test_terminating_pods_that_do_not_terminate_end_it() -> None:
    wait = VirtualWait(AnsweringCluster(a_job(terminating=2)))
    found = wait.run()
    assert (found.cause, wait.now) == ("Terminating", 600)


def test_a_job_that_does_not_exist_is_an_error() -> None:
    with pytest.raises(JobNotFound, match='no Job "train" in namespace batch'):
        VirtualWait(AnsweringCluster()).run()


def test_its_creation_is_waited_for_on_request() -> None:
    wait = VirtualWait(AnsweringCluster())
    wait.changes(20, "job", a_job(active=1), "ADDED")
    wait.changes(50, "job", a_job(version=2, end="Complete"))
    assert (wait.run(for_creation=30).outcome, wait.now) == ("Complete", 50)
    wait = VirtualWait(AnsweringCluster())
    found = wait.run(for_creation=30)
    assert (found.outcome, found.cause, found.exists, wait.now) == (
        "Stuck",
        "JobNotCreated",
        False,
        30,
    )


def test_a_job_that_is_deleted_ends_it(wait: VirtualWait) -> None:
    wait.changes(20, "job", a_job(version=2, active=1), "DELETED")
    found = wait.run()
    assert (found.outcome, found.cause, found.exists, wait.now) == (
        "Stuck",
        "JobDeleted",
        False,
        20,
    )


def test_a_job_that_has_ended_and_is_deleted_at_once_has_its_end(wait: VirtualWait) -> None:
    wait.changes(20, "job", a_job(version=2, end="Complete"), "DELETED")
    assert wait.run().outcome == "Complete"


def test_a_job_that_is_created_again_is_followed_on_request(wait: VirtualWait) -> None:
    wait.changes(20, "job", a_job(version=2, active=1), "DELETED")
    wait.changes(25, "job", a_job("other", 3, active=1), "ADDED")
    wait.changes(50, "job", a_job("other", 4, end="Failed"))
    found = wait.run(for_creation=30)
    assert (found.outcome, found.uid, wait.now) == ("Failed", "other", 50)
    assert wait.notes == ["the Job was created again (UID other); it is followed now"]


def test_another_uid_after_a_broken_watch_ends_it(wait: VirtualWait) -> None:
    wait.at(20, lambda: wait.store(a_job("other", 9, end="Complete")))
    wait.ends(21, "job", ApiError(410, "Expired", "too old"))
    found = wait.run()
    assert (found.outcome, found.cause, found.uid) == ("Stuck", "JobDeleted", UID)


@pytest.mark.parametrize("error", [None, ApiError(410, "Expired", "too old"), UNANSWERED])
def test_after_any_end_of_a_watch_the_list_is_read_again(
    wait: VirtualWait, error: ApiError | None
) -> None:
    wait.at(30, lambda: wait.store(a_job(version=5, end="Complete")))
    wait.ends(31, "job", error)
    assert wait.run().outcome == "Complete"
    assert wait.now <= 31.5


def test_an_api_server_that_is_away_is_called_again_until_the_bound(wait: VirtualWait) -> None:
    def refuse(path: str) -> None:
        if wait.now >= 10:
            raise UNANSWERED

    wait.cluster.before = refuse
    wait.ends(10, "job", UNANSWERED)
    with pytest.raises(ClusterError, match="connection refused"):
        wait.run(unreachable_after=120)
    assert 130 <= wait.now <= 140
    assert wait.calls < 40


def test_a_busy_api_server_is_called_again_when_it_asks_for_that(wait: VirtualWait) -> None:
    wait.ends(10, "job", ApiError(429, "TooManyRequests", "busy", retry_after=25))
    wait.at(15, lambda: wait.store(a_job(version=2, end="Complete")))
    assert wait.run().outcome == "Complete"
    assert wait.now >= 35


def test_without_a_first_answer_it_gives_up_soon() -> None:
    wait = VirtualWait(AnsweringCluster())

    def refuse(path: str) -> None:
        raise UNANSWERED

    wait.cluster.before = refuse
    with pytest.raises(ClusterError):
        wait.run()
    assert wait.now <= 16


def test_a_denied_job_is_an_error_and_denied_pods_are_noted(wait: VirtualWait) -> None:
    wait.cluster.denied = {"pods", "events"}
    wait.changes(20, "job", a_job(version=2, end="Complete"))
    assert wait.run().outcome == "Complete"
    assert len(wait.notes) == 2
    assert "so a standstill may go unseen" in wait.notes[0]
    wait = VirtualWait(AnsweringCluster(a_job()))
    wait.cluster.denied = {"jobs"}
    with pytest.raises(ApiError, match="forbidden"):
        wait.run()


def test_progress_is_reported_when_the_status_changes(wait: VirtualWait) -> None:
    wait.changes(10, "job", a_job(version=2, active=1))
    wait.changes(20, "job", a_job(version=3, active=2, failed=1))
    wait.changes(30, "job", a_job(version=4, end="Complete", succeeded=1))
    wait.run()
    assert [(each.active, each.failed, each.succeeded) for each in wait.progress] == [
        (1, 0, 0),
        (2, 1, 0),
        (0, 0, 1),
    ]


@given(
    st.lists(
        st.tuples(
            st.floats(1, 200),
            st.sampled_from(["job", "pods", "events"]),
            st.sampled_from([None, 410, 429, 500, 503, 0]),
        ),
        max_size=12,
    ),
    st.sampled_from(["Complete", "Failed"]),
)
def test_no_end_is_lost_however_the_watches_end(
    faults: list[tuple[float, str, int | None]], end: str
) -> None:
    """The Job ends unseen, in the cluster alone; then every watch ends once more."""
    wait = VirtualWait(AnsweringCluster(a_job(active=1, ready=1)))
    for time, key, code in faults:
        wait.ends(time, key, None if code is None else ApiError(code, "", "broken"))
    wait.at(201, lambda: wait.store(a_job(version=9, end=end)))
    wait.ends(202, "job", UNANSWERED)
    assert wait.run().outcome == {"Complete": "Complete", "Failed": "Failed"}[end]
    assert wait.now <= 202 + 10
    assert wait.calls <= 3 * (len(faults) + 3)


def test_an_error_of_another_library_has_its_status(wait: VirtualWait) -> None:
    def busy(path: str) -> None:
        if wait.now < 3:
            raise Rejected(503, "starting")

    wait.cluster.before = busy
    wait.changes(20, "job", a_job(version=2, end="Complete"))
    assert wait.run().outcome == "Complete"
    assert at(0).startswith("2027")


def test_hours_of_silence_in_a_watch_are_no_outage(wait: VirtualWait) -> None:
    wait.ends(36_000, "job", UNANSWERED)
    wait.changes(36_100, "job", a_job(version=2, end="Complete"))
    assert wait.run(unreachable_after=120).outcome == "Complete"


def test_a_job_that_is_resumed_has_its_time_to_start() -> None:
    suspended = a_job()
    suspended["spec"] = {**suspended["spec"], "suspend": True}
    suspended["status"] = {}
    resumed = {**a_job(version=2), "status": {}}
    wait = VirtualWait(AnsweringCluster(suspended))
    wait.changes(1000, "job", resumed)
    wait.changes(1030, "job", a_job(version=3, active=1, ready=1))
    wait.changes(1100, "job", a_job(version=4, end="Complete"))
    assert wait.run(Bounds(stuck_after=60, suspended_ok=True)).outcome == "Complete"


def test_a_rejection_before_the_wait_that_was_followed_by_a_pod_does_not_count() -> None:
    wait = VirtualWait(AnsweringCluster(a_job()))
    for version, reason in ((3, "FailedCreate"), (5, "SuccessfulCreate")):
        about = event(reason, "Created pod: train-a", version)
        about["metadata"]["resourceVersion"] = str(version)
        about["involvedObject"]["uid"] = UID
        wait.cluster.add(about)
    assert wait.run(timeout=500).outcome == "Timeout"


def test_of_very_many_pending_pods_a_sample_decides() -> None:
    wait = VirtualWait(AnsweringCluster(a_job(active=9000, ready=0)))
    wait.cluster.add(*(pending(f"train-{number}", **pulls()) for number in range(3000)))
    for each in wait.cluster.objects["pods"]:
        each["metadata"]["uid"] = each["metadata"]["name"]
    found = wait.run()
    assert (found.outcome, found.cause, wait.calls) == ("Stuck", "ImagePull", 4)  # two pages
    assert "(9000 active Pods, of which none can start: " in found.words


@pytest.mark.slow
@pytest.mark.parametrize("error", [None, UNANSWERED, ApiError(410, "Expired", "too old")])
def test_watches_that_always_end_at_once_make_no_busy_loop(
    wait: VirtualWait, error: ApiError | None
) -> None:
    """A proxy that cuts every watch off: every list is read again, with pauses."""
    for key in ("job", "pods", "events"):
        for number in range(1200):
            wait.ends(number / 2, key, error)
    wait.changes(600, "job", a_job(version=2, end="Complete"))
    assert wait.run(unreachable_after=1e6).outcome == "Complete"
    assert wait.calls < 3 * 600 / 4


def test_pods_of_an_earlier_job_of_the_name_do_not_count(wait: VirtualWait) -> None:
    other = pending(**pulls())
    other["metadata"]["labels"] |= {LABEL: "other"}
    wait.changes(5, "pods", other, "ADDED")
    assert wait.run(timeout=500).outcome == "Timeout"


def test_a_malformed_job_is_an_error_with_its_field() -> None:
    bad = a_job()
    bad["spec"] = {**bad["spec"], "parallelism": "many"}
    with pytest.raises(MalformedObject, match=r"spec\.parallelism"):
        VirtualWait(AnsweringCluster(bad)).run()


@pytest.mark.parametrize("limit", [0.0, 7.0])
def test_without_an_answer_it_gives_up_at_the_limit(limit: float) -> None:
    wait = VirtualWait(AnsweringCluster())

    def refuse(path: str) -> None:
        raise UNANSWERED

    wait.cluster.before = refuse
    with pytest.raises(ClusterError):
        wait.run(unreachable_after=limit)
    assert wait.now == limit
