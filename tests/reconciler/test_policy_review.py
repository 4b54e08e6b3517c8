"""Jobs that are admitted although a policy would deny them: reported, held, corrected, and never stopped."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import jobs_path
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.policy.admitted_jobs import HELD_BY, HELD_BY_POLICIES
from jobsworth.policy.reader import read
from jobsworth.reconciler.policy_review import ActivePolicies
from support.api_server.fake_job_api import Call
from support.controller.simulated_reconciler import NAMESPACE, SimulatedReconciler, job


@pytest.fixture
def simulation() -> SimulatedReconciler:
    return SimulatedReconciler()


def active(**spec: Any) -> ActivePolicies:
    document = {
        "apiVersion": "jobsworth.dev/v1alpha1",
        "kind": "JobPolicy",
        "metadata": {"name": "retries"},
        "spec": {"limits": {"backoffLimit": {"maximum": 3}}, **spec},
    }
    return ActivePolicies(
        Evaluator(ApiServer("1.36"), policies=read([document]), api=False, lint=False)
    )


def events(simulation: SimulatedReconciler, reason: str) -> list[str]:
    return [event.message for event in simulation.sink.events if event.reason == reason]


def patches(simulation: SimulatedReconciler) -> int:
    return simulation.made("PATCH", "jobs")


def test_a_job_that_a_policy_denies_runs_and_is_reported_before_its_first_pod(
    simulation: SimulatedReconciler,
) -> None:
    simulation.reconciler.activate(active())
    simulation.create(backoffLimit=9)
    simulation.run(2)
    assert simulation.sink.reasons() == ["PolicyViolation", "SuccessfulCreate"]
    (message,) = events(simulation, "PolicyViolation")
    assert message.startswith("Admitted, although JobPolicy retries denies it: spec.backoffLimit: ")
    assert "[JP" in message
    assert simulation.sink.counts["policy_violations_total", "retries", "deny"] == 1


@pytest.mark.parametrize(("enforcement", "reported"), [("warn", 1), ("audit", 0)])
def test_a_policy_that_does_not_deny_only_reports(
    simulation: SimulatedReconciler, enforcement: str, reported: int
) -> None:
    simulation.reconciler.activate(active(enforcement=enforcement, onAdmitted="suspend"))
    simulation.create(backoffLimit=9)
    simulation.run(2)
    assert len(events(simulation, "PolicyViolation")) == reported
    assert simulation.sink.counts["policy_violations_total", "retries", enforcement] == 1
    assert len(simulation.running()) == 1
    assert patches(simulation) == 0


def test_a_held_job_has_no_pod_until_it_is_corrected(simulation: SimulatedReconciler) -> None:
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.create(backoffLimit=9)
    simulation.run(600)
    held = simulation.job()
    assert simulation.pods() == []
    assert held["spec"]["suspend"] is True
    assert held["metadata"]["annotations"] == {HELD_BY: "retries"}
    assert simulation.conditions() == {
        "Suspended": "JobSuspended",
        HELD_BY_POLICIES: "PolicyViolation",
    }
    (message,) = events(simulation, "PolicyViolation")
    assert message.startswith("Held until it satisfies JobPolicy retries or is exempt from it")
    assert patches(simulation) == 1
    simulation.patch(backoffLimit=2)
    simulation.run(2)
    assert len(simulation.running()) == 1
    assert simulation.job()["spec"]["suspend"] is False
    assert HELD_BY not in (simulation.job()["metadata"].get("annotations") or {})
    assert events(simulation, "PolicySatisfied")
    assert simulation.sink.counts["policy_holds_total", "retries", "suspended"] == 1
    assert simulation.sink.counts["policy_holds_total", "retries", "resumed"] == 1


def test_an_annotation_that_a_client_wrote_resumes_no_job(simulation: SimulatedReconciler) -> None:
    made = job(backoffLimit=2, suspend=True)
    made["metadata"]["annotations"] = {HELD_BY: "retries"}
    # The API server drops the status of a Job that is created.
    made["status"] = {"conditions": [{"type": HELD_BY_POLICIES, "status": "True"}]}
    simulation.api.request("POST", jobs_path(NAMESPACE), made)
    for policies in (None, active(onAdmitted="suspend")):
        simulation.reconciler.activate(policies)
        simulation.run(600)
        simulation.start()
        simulation.run(600)
    assert simulation.job()["spec"]["suspend"] is True
    assert patches(simulation) == 0
    assert simulation.pods() == []


def test_a_job_that_has_that_annotation_is_held_and_resumed_like_any_other(
    simulation: SimulatedReconciler,
) -> None:
    made = job(backoffLimit=9)
    made["metadata"]["annotations"] = {HELD_BY: "other", "team": "x"}
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.api.request("POST", jobs_path(NAMESPACE), made)
    simulation.run(10)
    assert simulation.job()["spec"]["suspend"] is True
    assert simulation.job()["metadata"]["annotations"] == {HELD_BY: "retries", "team": "x"}
    simulation.patch(backoffLimit=2)
    simulation.run(10)
    assert len(simulation.running()) == 1
    assert simulation.job()["metadata"]["annotations"] == {"team": "x"}


@pytest.mark.parametrize("annotated", [False, True], ids=["", "annotated before"])
def test_a_job_that_another_client_suspends_before_the_hold_does_stays_suspended(
    simulation: SimulatedReconciler, annotated: bool
) -> None:
    made = job(backoffLimit=9)
    if annotated:
        made["metadata"]["annotations"] = {HELD_BY: "retries"}
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.api.request("POST", jobs_path(NAMESPACE), made)

    def suspend_first(call: Call) -> None:
        if (call.method, call.resource) == ("PATCH", "jobs"):
            simulation.api.before = lambda call: None
            simulation.patch(suspend=True)

    simulation.api.before = suspend_first
    simulation.run(10)
    assert HELD_BY_POLICIES in simulation.conditions()
    simulation.patch(backoffLimit=2)
    simulation.run(600)
    assert simulation.job()["spec"]["suspend"] is True
    assert simulation.pods() == []
    assert HELD_BY_POLICIES not in simulation.conditions()
    simulation.patch(suspend=False)
    simulation.run(2)
    assert len(simulation.running()) == 1


class Died(BaseException):
    """The process has died."""


@pytest.mark.parametrize("answered", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("number", range(1, 8))
def test_a_process_that_dies_at_any_call_leaves_a_hold_that_the_next_one_finishes(
    simulation: SimulatedReconciler, number: int, answered: bool
) -> None:
    left = number

    def die(call: Call) -> None:
        nonlocal left
        left -= call.method != "GET"
        if not left:
            left = -1
            raise Died

    def run() -> None:
        setattr(simulation.api, "after" if answered else "before", die)
        try:
            simulation.run(30)
        except Died:
            simulation.start()
            simulation.reconciler.activate(active(onAdmitted="suspend"))
            simulation.run(30)
        simulation.api.before = simulation.api.after = lambda call: None

    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.create(backoffLimit=9)
    run()
    assert simulation.pods() == []
    assert simulation.job()["spec"]["suspend"] is True
    assert simulation.job()["metadata"]["annotations"] == {HELD_BY: "retries"}
    simulation.patch(backoffLimit=2)
    run()
    assert left < 0
    assert len(simulation.running()) == 1
    assert simulation.job()["spec"]["suspend"] is False
    assert HELD_BY_POLICIES not in simulation.conditions()


def test_a_client_that_resumes_a_held_job_gets_no_pod_and_no_contest(
    simulation: SimulatedReconciler,
) -> None:
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.create(backoffLimit=9)
    simulation.run(2)
    before = patches(simulation)
    simulation.patch(suspend=False)
    simulation.run(600)
    assert simulation.pods() == []
    assert patches(simulation) == before + 1  # the client's own
    simulation.patch(backoffLimit=2)
    simulation.run(2)
    assert len(simulation.running()) == 1


def test_a_policy_that_is_removed_lets_its_jobs_start(simulation: SimulatedReconciler) -> None:
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.create(backoffLimit=9)
    simulation.run(2)
    simulation.reconciler.activate(None)
    simulation.run(2)
    assert len(simulation.running()) == 1


def test_a_restarted_reconciler_without_policies_releases_what_was_held(
    simulation: SimulatedReconciler,
) -> None:
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.create(backoffLimit=9)
    simulation.run(2)
    simulation.start()
    simulation.run(2)
    assert len(simulation.running()) == 1


def test_a_started_job_is_reported_when_a_policy_appears_and_runs_on(
    simulation: SimulatedReconciler,
) -> None:
    simulation.create(backoffLimit=9)
    simulation.run(2)
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.run(2)
    assert len(simulation.running()) == 1
    (message,) = events(simulation, "PolicyViolation")
    assert message.startswith("Not stopped because it has started")
    simulation.end(simulation.running()[0])
    simulation.run(5)
    assert "Complete" in simulation.conditions()


def test_a_job_suspended_by_its_user_stays_as_it_is_and_is_held_once_resumed(
    simulation: SimulatedReconciler,
) -> None:
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.create(backoffLimit=9, suspend=True)
    simulation.run(2)
    assert patches(simulation) == 0
    simulation.patch(suspend=False)
    simulation.run(2)
    assert simulation.pods() == []
    assert simulation.job()["spec"]["suspend"] is True


def test_a_job_of_a_cron_job_is_held_only_if_the_policy_is_enforced_for_such_jobs(
    simulation: SimulatedReconciler,
) -> None:
    owner = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "nightly", "uid": "1"}
    made = job(backoffLimit=9)
    made["metadata"]["ownerReferences"] = [{**owner, "controller": True}]
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.api.request("POST", jobs_path(NAMESPACE), made)
    simulation.run(2)
    assert len(simulation.running()) == 1
    assert events(simulation, "PolicyViolation") == []
    assert simulation.sink.counts["policy_violations_total", "retries", "audit"] == 1
    made["metadata"]["name"] = "next"
    simulation.reconciler.activate(active(onAdmitted="suspend", cronJobJobs="enforce"))
    simulation.api.request("POST", jobs_path(NAMESPACE), made)
    simulation.run(2)
    assert simulation.job("next")["spec"]["suspend"] is True


@pytest.mark.parametrize(("method", "resource"), [("PATCH", "jobs"), ("PUT", "jobs/status")])
def test_a_hold_that_cannot_be_written_creates_no_pod_and_is_retried(
    simulation: SimulatedReconciler, method: str, resource: str
) -> None:
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.create(backoffLimit=9)
    simulation.reject(method, resource, ApiError(403, "Forbidden", "no"), times=3)
    simulation.run(30)
    assert simulation.pods() == []
    assert simulation.job()["spec"]["suspend"] is True
    assert len(events(simulation, "PolicyViolation")) == 1


def test_a_job_is_evaluated_once_for_each_version_of_itself_and_of_the_policies(
    simulation: SimulatedReconciler, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluated = []
    evaluate = Evaluator.evaluate

    def counted(self: Evaluator, subject: Subject) -> Any:
        evaluated.append(subject)
        return evaluate(self, subject)

    monkeypatch.setattr(Evaluator, "evaluate", counted)
    simulation.reconciler.activate(active())
    simulation.create(parallelism=3, completions=5, backoffLimit=2)
    simulation.run(2)
    for pod in simulation.running():
        simulation.end(pod)
    simulation.run(5)
    assert len(evaluated) == 1
    simulation.api.request(
        "PATCH", jobs_path(NAMESPACE, "train"), {"metadata": {"labels": {"team": "a"}}}
    )
    simulation.run(5)
    assert len(evaluated) == 2
    simulation.reconciler.activate(active())
    simulation.run(5)
    assert len(evaluated) == 3


def test_a_bug_in_the_evaluation_does_not_keep_jobs_from_running(
    simulation: SimulatedReconciler, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(self: Evaluator, subject: Subject) -> Any:
        raise ZeroDivisionError

    monkeypatch.setattr(Evaluator, "evaluate", broken)
    simulation.reconciler.activate(active(onAdmitted="suspend"))
    simulation.create(backoffLimit=9)
    simulation.run(2)
    assert len(simulation.running()) == 1
