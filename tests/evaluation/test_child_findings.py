"""Findings about the Pods that a valid Job would create.

That the server decides as stated here is tested against real ones: tests/cluster/test_created_pods.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.edits import edited
from jobsworth.findings.finding import Finding
from support.evaluation.jobs_of_rejected_pods import ACCEPTED, REJECTED_PODS, container
from support.validation.engine_errors import job_with

IMAGE = "spec.template.spec.containers[0].image"


def child(value: dict[str, Any], release: str = "1.36", **options: Any) -> list[Finding]:
    evaluation = Evaluator(ApiServer(release), **options).evaluate(Subject(value))
    return [finding for finding in evaluation.findings if finding.source == "child"]


@pytest.mark.parametrize("job", REJECTED_PODS.values(), ids=REJECTED_PODS)
def test_the_pods_are_rejected(job: dict[str, Any]) -> None:
    found = child(job)
    assert {(each.code, each.severity) for each in found} == {("JW024", "warning")}
    assert found[0].message.startswith("The API server accepts the Job but rejects its Pods: ")


@pytest.mark.parametrize("job", ACCEPTED.values(), ids=ACCEPTED)
def test_the_pods_are_not_rejected(job: dict[str, Any]) -> None:
    assert "JW024" not in {each.code for each in child(job)}


def test_blanks_around_an_image_have_a_safe_fix() -> None:
    job = container(image="\tregistry.example.com/tool:1.2\n")
    (finding,) = child(job)
    assert finding.message == (
        "The API server accepts the Job but rejects its Pods: Invalid value: "
        '"\\tregistry.example.com/tool:1.2\\n": must not have leading or trailing whitespace'
    )
    assert finding.fix is not None
    assert finding.fix.safe
    fixed = edited(job, *finding.fix.edits)
    assert (
        fixed["spec"]["template"]["spec"]["containers"][0]["image"]
        == "registry.example.com/tool:1.2"
    )
    assert child(fixed) == []


def test_the_pods_of_a_cron_job_are_those_of_its_jobs() -> None:
    cron = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "nightly"},
        "spec": {"schedule": "@daily", "jobTemplate": {"spec": container(image="a:1 ")["spec"]}},
    }
    (finding,) = child(cron)
    assert finding.field == "spec.jobTemplate.spec.template.spec.containers[0].image"
    assert finding.message.startswith(
        "The API server accepts the CronJob but rejects the Pods of its Jobs: Invalid value"
    )


def test_a_priority_without_class_has_a_hint() -> None:
    (finding,) = child(REJECTED_PODS["a priority without its class"])
    assert finding.message.endswith(
        "Forbidden: the integer value of priority (1000) must not be provided in pod spec; "
        "priority admission controller computed 0 from the given PriorityClass name"
    )
    assert finding.hint.startswith("set priorityClassName instead")
    assert finding.fix is not None
    assert not finding.fix.safe


def test_a_class_of_the_cluster_may_have_any_priority() -> None:
    assert child(job_with({"priority": 7, "priorityClassName": "batch"})) == []
    assert child(job_with({"overhead": {"cpu": "1m"}, "runtimeClassName": "kata"})) == []


def test_since_1_37_a_negative_grace_period_is_rejected_and_named_once() -> None:
    job = job_with({"terminationGracePeriodSeconds": -1})
    codes = {
        release: [
            finding.code
            for finding in Evaluator(ApiServer(release)).evaluate(Subject(job)).findings
            if finding.field.endswith("terminationGracePeriodSeconds")
            and finding.code.startswith("JW0")
        ]
        for release in ("1.36", "1.37")
    }
    assert codes == {"1.36": ["JW023"], "1.37": ["JW024"]}


UNREADABLE = {
    "https://registry.example.com/tool:1": '"https://" is not part of an image reference',
    "registry.example.com/Tool:1": 'the repository "Tool" is not in lower case',
    "Tool": 'the repository "Tool" is not in lower case',
    "registry.example.com/tool:": 'the tag after ":" is empty',
    ":1.2": "the name of the repository is missing",
    "tool:1.2+3": 'the tag "1.2+3" contains "+"',
    "tool:v1:v1": '"v1:v1" is more than one tag',
    "tool:-1": 'the tag "-1" begins with "-"',
    "registry.example.com//tool:1": "a part of the repository between slashes is empty",
    "tool@sha256:abc": 'the digest "sha256:abc" is not "sha256:" and 64 hexadecimal digits',
    "to ol:1": '"to ol" is not part of a repository',
    "a" * 64: "64 hexadecimal digits are the ID of an image, not its name",
    "tool:" + "1" * 129: "the tag has more than 128 characters",
}


@pytest.mark.parametrize(("image", "why"), UNREADABLE.items())
def test_no_kubelet_can_parse(image: str, why: str) -> None:
    (finding,) = child(container(image=image))
    assert (finding.code, finding.severity, finding.field) == ("JW025", "warning", IMAGE)
    assert why in finding.message
    assert "The Pods wait in InvalidImageName forever" in finding.message


def with_medium(medium: str, **mounts: Any) -> dict[str, Any]:
    main = {"name": "a", "image": "a:1", **mounts}
    volume = {"name": "data", "emptyDir": {"medium": medium}}
    return job_with({"containers": [main], "volumes": [volume]})


MOUNTED = {"volumeMounts": [{"name": "data", "mountPath": "/data"}]}


@pytest.mark.parametrize(
    ("medium", "meant"),
    [
        ("memory", "Memory"),
        ("memory-", "Memory"),
        ("Memroy", "Memory"),
        ("hugepages", "HugePages"),
        ("Hugepages-2Mi", "HugePages-2Mi"),
        ("tmpfs", ""),
    ],
)
def test_no_kubelet_knows_another_medium(medium: str, meant: str) -> None:
    (finding,) = child(with_medium(medium, **MOUNTED))
    assert (finding.code, finding.severity) == ("JW025", "warning")
    assert finding.field == "spec.template.spec.volumes[0].emptyDir.medium"
    assert f'No kubelet knows the storage medium "{medium}"' in finding.message
    assert (finding.fix.title if finding.fix else "") == (f"Set medium: {meant}" if meant else "")


@pytest.mark.parametrize("medium", ["", "Memory", "HugePages", "HugePages-2Mi", "${MEDIUM}"])
def test_a_known_medium_is_not_reported(medium: str) -> None:
    assert child(with_medium(medium, **MOUNTED)) == []


def test_the_medium_of_a_volume_that_is_not_mounted_is_not_read() -> None:
    assert child(with_medium("memory")) == []


@pytest.mark.parametrize(
    "image",
    [
        "tool",
        "tool:1",
        "team/tool",
        "localhost/tool",
        "Registry/tool:1",
        "registry:5000/team/tool:1.2_3-rc.1",
        "[2001:db8::1]:5000/tool",
        "tool@sha256:" + "0" * 64,
        "tool:1@sha256:" + "0" * 64,
        "a__b/c--d.e/f_g:A",
    ],
)
def test_other_references_can_be_parsed(image: str) -> None:
    assert child(container(image=image)) == []


@pytest.mark.parametrize(
    ("image", "origin"),
    [
        ("<no value>:1", "a Go template prints it for a value that is not set"),
        ("None:None", '"None" stands where a value is missing: programs print it for none'),
        ("tool:2.4e+06", '"2.4e+06" is a number that was not quoted'),
        ("tool:%!s(int=5)", "Go prints it for a wrong format"),
    ],
)
def test_what_a_template_engine_left_is_named_and_not_fixed(image: str, origin: str) -> None:
    (finding,) = child(container(image=image))
    assert finding.code == "JW025"
    assert finding.message.endswith("no retry and no backoffLimit ends that.")
    assert origin in finding.hint
    assert finding.fix is None


@pytest.mark.parametrize(
    ("image", "origin"),
    [
        ("${REGISTRY}/tool:1", '"${REGISTRY}" is a placeholder: render the template first'),
        ("gcr.io/<<PROJECT>>/tool", '"<<" is a placeholder'),
        ("<your-alias>/tool:1", '"<your-alias>" is a placeholder'),
        ("YOUR_REGISTRY/tool:1", '"YOUR_REGISTRY" is a placeholder'),
        ("gcr.io/PROJECT_ID/tool:1", '"PROJECT_ID" is a placeholder'),
        ("IMAGE", '"IMAGE" looks like a placeholder'),
        ("tool:$TAG", '"$TAG" is a placeholder'),
        ("@IMAGE@", '"@IMAGE@" is a placeholder'),
        ("registry.example/#{image}#", '"#{" is a placeholder'),
        ("<...>", '"<...>" is a placeholder'),
        ("ko://example.com/cmd/tool", "validate the output of ko resolve"),
        ("tool: {{ .Chart.AppVersion }}", '"{{" is a placeholder: render the template first'),
    ],
)
def test_an_image_of_a_template_is_no_mistake_of_the_job(image: str, origin: str) -> None:
    (finding,) = child(container(image=image))
    assert (finding.code, finding.severity, finding.fix) == ("JW025", "info", None)
    assert finding.message.endswith("stands for another one.")
    assert origin in finding.hint


def test_a_template_is_reported_once() -> None:
    containers = [{"name": f"c{number}", "image": f"$IMAGE_{number}"} for number in range(3)]
    (finding,) = child(job_with({"containers": containers}))
    assert finding.field == IMAGE


@pytest.mark.parametrize("image", ["registry.example.com/tool:null", "undefined", "tool:nil"])
def test_a_missing_value_that_can_be_parsed_is_named_too(image: str) -> None:
    (finding,) = child(container(image=image))
    assert "is probably not the one that was meant" in finding.message


@pytest.mark.parametrize(
    ("image", "fixed"),
    [
        ("https://registry.example.com/tool:1", "registry.example.com/tool:1"),
        ("registry.example.com/team/My-Tool:V1", "registry.example.com/team/my-tool:V1"),
        ("https://registry.example.com/Tool", None),
        ("tool:", None),
    ],
)
def test_a_fix_is_offered_where_there_is_one_answer(image: str, fixed: str | None) -> None:
    (finding,) = child(container(image=image))
    edit = None if finding.fix is None else finding.fix.edits[0].value
    assert edit == fixed
    assert finding.fix is None or not finding.fix.safe


def test_the_image_of_a_volume_is_pulled_like_that_of_a_container() -> None:
    pod = {"volumes": [{"name": "model", "image": {"reference": "Models/LLM:1"}}]}
    (finding,) = child(job_with(pod))
    assert finding.field == "spec.template.spec.volumes[0].image.reference"


def test_nothing_is_said_about_the_pods_of_a_rejected_job() -> None:
    assert child(container(image="Tool:1 ", name="-")) == []


def test_nothing_is_said_where_only_the_verdict_is_asked_for() -> None:
    assert child(container(image="tool:1 "), lint=False) == []


def test_a_stored_job_is_judged_as_well() -> None:
    subject = Subject(container(image="tool:1 "), "stored")
    found = Evaluator(ApiServer("1.36")).evaluate(subject).findings
    assert [finding.code for finding in found if finding.source == "child"] == ["JW024"]
