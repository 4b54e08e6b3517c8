"""Questions add to a scenario; named causes keep Pods from starting."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.reports.timelines.timeline_lines import timeline
from jobsworth.reports.timelines.timeline_text import outcome_lines, suggestion_lines
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.simulation.questions import BadQuestion, Questions, with_questions
from jobsworth.runs.simulation.scenario_reader import BadScenario, read_scenario
from support.simulation.simulated_runs import (
    indexed,
    job,
    outcome,
    run,
    scenario,
    scenario_document,
)

SECOND, MINUTE = 1000, 60_000


def ask(manifest: Any, questions: Questions, *cases: Any, **spec: Any) -> RunRecord:
    document = with_questions(scenario_document(*cases, **spec), questions)
    return run(manifest, read_scenario(document))


def causes(record: RunRecord) -> list[str]:
    return sorted(pod.cause for pod in record.job.pods if pod.cause)


def test_a_drain_evicts_so_many_running_pods_at_a_time() -> None:
    record = ask(indexed(size=4), Questions(drain=("5m:2", "8m")))
    assert causes(record) == ["EvictionAPI"] * 3
    assert record.scenario == "test, drain 5m:2, drain 8m"


def test_spot_nodes_are_reclaimed_after_a_time_that_each_pod_runs() -> None:
    record = ask(indexed(size=20), Questions(spot="10m"))
    assert set(causes(record)) == {"SpotReclaim"}


def test_a_lost_node_keeps_a_job_from_completing() -> None:
    record = ask(job(), Questions(node_lost=("5m",)), until="4h")
    assert causes(record) == ["NodeLost"]
    assert record.job.outcome == "Unfinished"


def test_a_restart_of_the_controllers_takes_as_long_as_their_lease() -> None:
    record = ask(job(), Questions(controller_restart=("5m",)))
    times = [line.at // SECOND for line in timeline(record) if line.kind == "scenario"]
    assert times == [300, 315]


def test_a_typo_in_the_image_keeps_every_pod_pending() -> None:
    failing = {"exitCode": 1, "startup": "1s"}
    record = ask(indexed(size=2), Questions(image_typo=True), failing, until="1h")
    assert [pod.started for pod in record.job.pods] == [None, None]
    assert "image that can be pulled" in record.job.reason


@pytest.mark.parametrize(
    ("questions", "message"),
    [
        (Questions(drain=("soon",)), 'drain: "soon" is not a duration such as 30m or 1h30m'),
        (Questions(drain=("1h:0",)), 'drain: "0" is not a number of Pods from 1 to 1,000,000.'),
        (Questions(node_lost=("1h:many",)), 'node_lost: "many" is not a number of Pods'),
        (Questions(spot="never"), 'spot: "never" is not a duration'),
        (Questions(controller_restart=("",)), 'controller_restart: "" is not a duration'),
        (Questions(duration="2"), 'duration: "2" is not a duration'),
        (
            Questions(duration="even:min=1h"),
            'duration: "even:min=1h" is not a duration such as 2h, or a',
        ),
        (
            Questions(duration="uniform:1h,2h"),
            'duration: "uniform:1h,2h" is not a duration such as 2h',
        ),
        (
            Questions(spot="8h:Eviction"),
            'spot: "Eviction" is not a cause of a disruption: did you mean',
        ),
        (Questions(webhook_away=("1h",)), 'webhook_away: "" is not a duration'),
        (Questions(delete_job=("now",)), 'delete_job: "now" is not a duration'),
    ],
)
def test_a_wrong_value_is_named_with_its_question(questions: Questions, message: str) -> None:
    with pytest.raises(BadQuestion) as raised:
        with_questions(scenario_document(), questions)
    assert str(raised.value).startswith(message)


@pytest.mark.parametrize(
    ("cause", "words", "scheduled"),
    [
        ("ImagePull", "its image cannot be pulled (ImagePullBackOff)", True),
        ("Unschedulable", "no node has room for it (Unschedulable)", False),
        ("MissingConfig", "a ConfigMap or Secret that it refers to does not exist", True),
    ],
)
def test_a_named_cause_keeps_pods_pending_and_is_a_line(
    cause: str, words: str, *, scheduled: bool
) -> None:
    record = run(job(), scenario({"cause": cause}, until="1h"))
    (pod,) = record.job.pods
    assert (pod.started, pod.scheduled is not None) == (None, scheduled)
    assert any(f"train-1 stays Pending: {words}" in line.text for line in timeline(record))


@pytest.mark.parametrize("cause", ["ImagePull", "Unschedulable", "MissingConfig"])
def test_a_cause_with_a_startup_ends_by_itself(cause: str) -> None:
    record = run(job(), scenario({"attempts": 1, "cause": cause, "startup": "20m"}))
    assert record.job.pods[0].started == 20 * MINUTE
    assert outcome(record) == ("Complete", "CompletionsReached")


def test_an_unschedulable_pod_takes_no_place_of_another() -> None:
    record = run(
        indexed(size=2),
        scenario(
            {"indexes": 0, "cause": "Unschedulable"}, capacity=[{"at": "0s", "pods": 1}], until="1h"
        ),
    )
    assert [pod.started is not None for pod in record.job.pods] == [False, True]


def test_a_quota_rejects_pods_in_the_period_of_its_case() -> None:
    record = run(job(), scenario({"cause": "Quota", "until": "10m"}))
    assert any(event.reason == "FailedCreate" for event in record.job.events)
    assert record.job.pods[0].created >= 10 * MINUTE


def test_a_quota_rejects_all_pods_of_a_run() -> None:
    document = scenario_document(until="1h")
    document["spec"]["pods"] = {"cause": "Quota"}
    record = run(job(), read_scenario(document))
    assert record.job.pods == []
    assert record.job.reason == "waiting for the API server to accept its Pods"


def test_a_quota_for_some_pods_is_refused() -> None:
    with pytest.raises(BadScenario) as raised:
        scenario({"cause": "Quota", "indexes": 3})
    assert "spec.pods.cases[0].indexes" in str(raised.value)


def test_a_run_without_a_disruption_suggests_questions_with_times_that_hit() -> None:
    undisturbed = run(job(), scenario())
    hint = " ".join(suggestion_lines(undisturbed))
    assert hint.startswith(" No disruption hit a Pod in this run. Ask what if: --drain 5m")
    assert causes(ask(job(), Questions(drain=("5m",)))) == ["EvictionAPI"]
    assert list(suggestion_lines(ask(job(), Questions(drain=("5m",))))) == []


def test_a_question_that_hits_nothing_is_answered_with_a_hint() -> None:
    late = ask(job(), Questions(drain=("4h",)))
    assert "No disruption hit a Pod" in " ".join(suggestion_lines(late))
    assert next(iter(outcome_lines(late))).startswith("Complete")


def test_pods_run_for_as_long_as_asked() -> None:
    record = ask(job(), Questions(duration="1d2h"), until="7d")
    assert record.job.pods[0].used(record.end) == 26 * 60 * MINUTE
    assert record.scenario == "test, duration 1d2h"


def test_their_duration_can_be_a_distribution() -> None:
    for spread in (
        "uniform:min=1h,max=3h",
        "weibull:scale=2h,shape=1.5",
        "logNormal:median=2h,p95=3h",
    ):
        record = ask(indexed(size=9), Questions(duration=spread))
        assert len({pod.used(record.end) for pod in record.job.pods}) == 9
    with pytest.raises(BadScenario, match=r"spec\.pods\.duration\.logNormal\.p95: must be set"):
        ask(job(), Questions(duration="logNormal:median=2h"))


def test_the_end_of_a_reclaimed_pod_can_be_an_eviction() -> None:
    record = ask(indexed(size=20), Questions(spot="10m:EvictionAPI"))
    assert set(causes(record)) == {"EvictionAPI"}


def test_a_user_deletes_a_job() -> None:
    record = ask(job(), Questions(delete_job=("5m",)))
    assert next(iter(outcome_lines(record))) == "Deleted after 5 min: a user deleted it"
    assert (300, "Job deleted by a user") in [
        (line.at // SECOND, line.text) for line in timeline(record)
    ]
    assert record.job.pods[0].counted == "uncounted"
