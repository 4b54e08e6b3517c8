"""The marks by which queues and gang schedulers find Jobs."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for
from support.lint.linted_jobs import (
    RULE_OF,
    after_fix,
    cron_job,
    fields,
    fields_beside,
    job,
    lint,
    stored,
    with_labels,
    with_metadata,
)  # fmt: skip

QUEUE = {"kueue.x-k8s.io/queue-name": "research"}
GROUP = "scheduling.k8s.io/group-name"


def in_template(value: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    value["spec"]["jobTemplate"]["metadata"] = metadata
    return value


def grouped(pod: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    value = job(pod, **spec)
    value["spec"]["template"]["metadata"] = {"annotations": {GROUP: "train"}}
    return value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(with_metadata(cron_job(job()), labels=QUEUE), id="on a CronJob"),
        pytest.param(with_labels(job(), **QUEUE), id="on the template of a Job"),
        pytest.param(with_labels(cron_job(job()), **QUEUE), id="on the template in a CronJob"),
    ],
)
def test_the_label_of_a_queue_belongs_on_the_job(value: dict[str, Any]) -> None:
    assert len(fields("JW248", value)) == 1
    fixed = after_fix("JW248", value)
    holder = fixed["spec"].get("jobTemplate", fixed)
    assert holder["metadata"]["labels"] == QUEUE
    assert fields("JW248", fixed) == []


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(with_metadata(job(), labels=QUEUE), id="on the Job"),
        pytest.param(with_labels(with_metadata(job(), labels=QUEUE), **QUEUE), id="on both"),
        pytest.param(
            with_metadata(in_template(cron_job(job()), labels=QUEUE), labels=QUEUE), id="CronJob"
        ),
        pytest.param(with_labels(job(), app="train"), id="no queue"),
    ],
)
def test_a_job_with_its_queue_is_no_finding(value: dict[str, Any]) -> None:
    assert fields("JW248", value) == []


VOLCANO_QUEUE = {"scheduling.volcano.sh/queue-name": "research"}
YUNIKORN_QUEUE = {"yunikorn.apache.org/queue": "root.research"}


@pytest.mark.parametrize(
    ("value", "part"),
    [
        pytest.param(
            with_metadata(job(), annotations=VOLCANO_QUEUE), "annotations", id="on the Job"
        ),
        pytest.param(
            with_metadata(cron_job(job()), annotations=VOLCANO_QUEUE),
            "annotations",
            id="on a CronJob",
        ),
        pytest.param(
            in_template(cron_job(job()), annotations=VOLCANO_QUEUE),
            "annotations",
            id="on its template",
        ),
        pytest.param(with_labels(job(), **VOLCANO_QUEUE), "annotations", id="as a label of Pods"),
        pytest.param(with_metadata(job(), labels=YUNIKORN_QUEUE), "labels", id="YuniKorn"),
    ],
)
def test_a_scheduler_reads_its_queue_on_pods(value: dict[str, Any], part: str) -> None:
    assert len(fields("JW248", value)) == 1
    fixed = after_fix("JW248", value)
    spec = fixed["spec"].get("jobTemplate", fixed)["spec"]
    assert spec["template"]["metadata"][part] in (VOLCANO_QUEUE, YUNIKORN_QUEUE)
    assert fields("JW248", fixed) == []


def test_a_queue_on_the_pods_of_a_scheduler_is_no_finding() -> None:
    assert fields("JW248", with_labels(job(), **YUNIKORN_QUEUE)) == []
    both = with_metadata(with_labels(job(), **YUNIKORN_QUEUE), labels=YUNIKORN_QUEUE)
    assert fields("JW248", both) == []


@pytest.mark.parametrize("value", [job(), cron_job(job())], ids=["Job", "CronJob"])
def test_a_job_waits_in_one_queue(value: dict[str, Any]) -> None:
    def queued(value: dict[str, Any]) -> dict[str, Any]:
        if value["kind"] == "Job":
            return with_metadata(value, labels=QUEUE)
        return in_template(value, labels=QUEUE)

    both = queued(with_labels(value, **YUNIKORN_QUEUE))
    assert fields("JW234", both) == ["template.metadata.labels[yunikorn.apache.org/queue]"]
    assert fields("JW234", queued(with_labels(value, app="a"))) == []
    assert fields("JW234", with_labels(value, **YUNIKORN_QUEUE)) == []


def test_the_priority_of_a_queue_belongs_on_the_job_too() -> None:
    value = with_labels(job(), **QUEUE, **{"kueue.x-k8s.io/priority-class": "high"})
    assert len(fields("JW248", value)) == 2


def test_a_group_needs_its_scheduler() -> None:
    assert fields("JW249", grouped()) == [f"template.metadata.annotations[{GROUP}]"]
    assert fields("JW249", after_fix("JW249", grouped())) == []
    assert fields("JW249", grouped({"schedulerName": "volcano"})) == []
    assert fields("JW249", with_labels(job(), app="train")) == []


@pytest.mark.parametrize(
    ("manager", "reported"),
    [("jobsworth.dev/job-controller", True), ("kubernetes.io/job-controller", False)],
)
def test_a_gang_needs_a_controller_that_creates_its_pod_group(manager: str, reported: bool) -> None:
    value = job()
    value["spec"] |= {"managedBy": manager, "scheduling": {"schedulingPolicy": {"gang": {}}}}
    engine = engine_for(ApiServer("1.37", {"WorkloadWithJob": True, "GenericWorkload": True}))
    reports = [each.field for each in lint(value, engine, [RULE_OF["JW249"]])]
    assert reports == (["spec.scheduling"] if reported else [])


@pytest.mark.parametrize(
    ("spec", "members", "reported"),
    [
        ({"parallelism": 4}, 4, False),
        ({"parallelism": 4}, 5, True),
        ({"parallelism": 4, "completions": 2}, 3, True),
        ({}, 2, True),
        ({"parallelism": 0}, 2, False),
        ({"parallelism": 4}, "5", False),
    ],
)
def test_a_group_is_no_larger_than_the_job(spec: Any, members: Any, reported: bool) -> None:
    version = "scheduling.volcano.sh/v1beta1"
    group = stored("PodGroup", "train", version=version, spec={"minMember": members})
    assert bool(fields_beside("JW710", grouped(**spec), group)) is reported
    other = stored("PodGroup", "other", version=version, spec={"minMember": members})
    assert fields_beside("JW710", grouped(**spec), other) == []
