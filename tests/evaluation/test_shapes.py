"""Values of another shape: the fix where there is one answer, an example where there are several."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.edits import at, edited, locate
from support.cli.command_runs import Validate
from support.lint.linted_jobs import job, on_codes, with_policy

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
MAIN = "spec.template.spec.containers[0]"


def evaluated(value: dict[str, Any]) -> Evaluation:
    def written(path: str) -> str | None:
        place = locate(value, path)
        return None if place.missing else str(at(value, place.steps))

    return Evaluator(ApiServer(), lint=False).evaluate(Subject(value, written=written))


def pod_with(**parts: Any) -> dict[str, Any]:
    return job(parts)


def container_with(**parts: Any) -> dict[str, Any]:
    return job({"containers": [{"name": "main", "image": "a:1", **parts}]})


@pytest.mark.parametrize(
    ("value", "field", "fixed", "safe"),
    [
        (container_with(command="python run.py"), f"{MAIN}.command", ["python", "run.py"], False),
        (
            container_with(command=["sh", "-c", "-e"], args="a | b"),
            f"{MAIN}.args",
            ["a | b"],
            True,
        ),
        (container_with(command="a | b"), f"{MAIN}.command", ["/bin/sh", "-c", "a | b"], False),
        (
            container_with(command=["bash", "-ec"], args="a | b"),
            f"{MAIN}.args",
            ["a | b"],
            True,
        ),
        (
            container_with(env={"MODE": "fast", "LEVEL": 3}),
            f"{MAIN}.env",
            [{"name": "MODE", "value": "fast"}, {"name": "LEVEL", "value": "3"}],
            True,
        ),
        (container_with(env=["A=b=c"]), f"{MAIN}.env[0]", {"name": "A", "value": "b=c"}, True),
        (container_with(ports="8080"), f"{MAIN}.ports", [{"containerPort": 8080}], True),
        (
            pod_with(containers={"web": {"image": "a:1"}}),
            "spec.template.spec.containers",
            [{"name": "web", "image": "a:1"}],
            True,
        ),
        (
            pod_with(volumes=[{"name": "a", "secret": "keys"}]),
            "spec.template.spec.volumes[0].secret",
            {"secretName": "keys"},
            True,
        ),
        (
            container_with(resources={"limits": [{"cpu": 1}, {"memory": "1Gi"}]}),
            f"{MAIN}.resources.limits",
            {"cpu": 1, "memory": "1Gi"},
            True,
        ),
        (
            job(podFailurePolicy=[on_codes("FailJob", "In", 3), on_codes("Ignore", "In", 4)]),
            "spec.podFailurePolicy",
            {"rules": [on_codes("FailJob", "In", 3), on_codes("Ignore", "In", 4)]},
            True,
        ),
        (
            job(successPolicy=[{"succeededCount": 2}]),
            "spec.successPolicy",
            {"rules": [{"succeededCount": 2}]},
            True,
        ),
        (
            job(selector=[{"key": "a", "operator": "Exists"}]),
            "spec.selector",
            {"matchExpressions": [{"key": "a", "operator": "Exists"}]},
            True,
        ),
        (
            pod_with(affinity={"nodeAffinity": {REQUIRED: [{"matchExpressions": []}]}}),
            f"spec.template.spec.affinity.nodeAffinity.{REQUIRED}",
            {"nodeSelectorTerms": [{"matchExpressions": []}]},
            True,
        ),
        (container_with(args=[{"a b": "c"}]), f"{MAIN}.args[0]", "a b: c", True),
        (container_with(image=["a:1"]), f"{MAIN}.image", "a:1", True),
        (pod_with(hostNetwork=1), "spec.template.spec.hostNetwork", True, False),
        (pod_with(hostNetwork="off"), "spec.template.spec.hostNetwork", False, True),
    ],
)
def test_a_shape_with_one_meaning_has_a_fix(
    value: dict[str, Any], field: str, fixed: Any, safe: bool
) -> None:
    (finding,) = (each for each in evaluated(value).api if each.field == field)
    assert finding.code == "JW002"
    assert finding.fix is not None
    assert finding.fix.safe is safe
    changed = edited(value, *finding.fix.edits)
    assert at(changed, locate(changed, field).steps) == fixed


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (container_with(env="MODE"), "write a list, such as `- {name: MODE, value: fast}`"),
        (container_with(env=["MODE"]), "write an object, such as `{name: MODE, value: fast}`"),
        (container_with(args="a | b"), "write a list, such as `[a, b]`"),
        (container_with(ports=["80:8080"]), "write an object, such as `containerPort: 8080`"),
        (pod_with(tolerations=["spot"]), "`{key: spot, operator: Exists}`"),
        (pod_with(nodeSelector="spot"), "an object of names and values, such as `{a: b}`"),
        (container_with(volumeMounts=["./a:/b:ro"]), "`{name: data, mountPath: /data}`"),
        (container_with(image={"name": "a"}), "put text in quotes"),
        (
            container_with(livenessProbe={"exec": [{"comand": ["a"]}]}),
            "{command: [cat, /tmp/ready]}",
        ),
        (container_with(resources={"limits": {"cpu": ""}}), "the quantity is empty"),
        (container_with(resources={"limits": {"cpu": "two"}}), "a quantity is a number, alone or"),
        (container_with(resources={"limits": {"cpu": "2 cores"}}), "such as 500m or 2Gi"),
    ],
)
def test_another_shape_has_an_example(value: dict[str, Any], hint: str) -> None:
    (finding,) = evaluated(value).api
    assert finding.fix is None
    assert hint in finding.hint


@pytest.mark.parametrize(
    "value",
    [
        {**with_policy(on_codes("FailJob", "In", 1, "one", 2)), "metadata": {"name": "A"}},
        {**container_with(env=["DEBUG", {"name": "A", "value": "b"}]), "metadata": {"name": "A"}},
    ],
)
def test_a_list_item_of_another_shape_hides_no_other_error(value: dict[str, Any]) -> None:
    found = evaluated(value)
    assert [each.code for each in found.api] == ["JW002"]
    assert [each.field for each in found.further] == ["metadata.name"]


def test_errors_behind_a_list_item_are_at_their_own_index() -> None:
    value = container_with(env=["DEBUG", {"name": "A", "valueFrom": {}}, {"name": ""}])
    fields = [each.field for each in evaluated(value).further]
    assert fields == [f"{MAIN}.env[1].valueFrom", f"{MAIN}.env[2].name"]


HOSTS = """\
apiVersion: batch/v1
kind: Job
metadata: {name: etl}
spec:
  template:
    spec:
      restartPolicy: Never
      hostAliases: [{ip: 10.0.0.1, hostnames: [%s]}]
      containers: [{name: main, image: "a:1"}]
"""


@pytest.mark.parametrize(
    ("items", "fixed"),
    [("[db]", True), ("[5]", False), (", ".join(f"[a{n}]" for n in range(21)), False)],
)
def test_only_a_short_list_of_texts_in_lists_is_fixed(
    items: str, fixed: bool, validate: Validate
) -> None:
    loaded = validate("-o", "json", "a.yaml", files={"a.yaml": HOSTS % items}).loaded
    first = loaded["results"][0]["findings"][0]
    assert ("fix" in first) is fixed


def test_a_value_that_only_a_gate_allows_is_not_replaced_by_itself(validate: Validate) -> None:
    text = HOSTS.replace(
        "hostAliases: [{ip: 10.0.0.1, hostnames: [%s]}]",
        "tolerations: [{key: a, operator: Gt, value: '5'}]",
    )
    (found,) = [
        each
        for each in validate("-o", "json", "a.yaml", files={"a.yaml": text}).loaded["results"][0][
            "findings"
        ]
        if each["severity"] == "error"
    ]
    assert "fix" not in found
