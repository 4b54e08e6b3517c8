"""The Jobs that a JobSet creates."""

from __future__ import annotations

from typing import Any

from jobsworth.kinds.child import Child
from jobsworth.kinds.job_set_children import children
from jobsworth.validation.engine import engine_for
from jobsworth.validation.job_sets import ApiServer, verdict
from support.validation.job_sets import JsonObject, job_set, replicated

PREFIX = "jobset.sigs.k8s.io/"


def created(value: JsonObject) -> list[Child]:
    defaulted = verdict(value).defaulted
    assert defaulted is not None
    return children(defaulted)


def only_child(value: JsonObject) -> Child:
    [child] = created(value)
    return child


def labels(child: Child, *names: str) -> list[str]:
    return [child.value["metadata"]["labels"][PREFIX + name] for name in names]


def errors(child: Child) -> list[tuple[str | None, str]]:
    found = engine_for(ApiServer()).validate(child.value)
    return [(child.origin(each.place), each.message) for each in found if each.severity == "error"]


def test_one_job_stands_for_all_replicas_with_the_longest_name() -> None:
    value = job_set(
        replicated("leader"), replicated("workers", replicas=12), replicated("none", replicas=0)
    )
    assert [child.value["metadata"]["name"] for child in created(value)] == [
        "train-leader-0",
        "train-workers-11",
    ]


def test_labels_count_jobs_of_the_replicated_job_the_group_and_the_jobset() -> None:
    value = job_set(
        replicated("a", replicas=2, groupName="g"),
        replicated("b", replicas=3),
        replicated("c", replicas=4, groupName="g"),
    )
    last = created(value)[-1]
    names = ("replicatedjob-replicas", "global-replicas", "job-index", "job-global-index")
    assert labels(last, *names) == ["4", "9", "3", "8"]
    assert labels(last, "group-name", "group-replicas", "job-group-index") == ["g", "6", "5"]
    assert last.value["spec"]["template"]["metadata"]["labels"] == last.value["metadata"]["labels"]


def test_the_subdomain_overwrites_what_the_template_says() -> None:
    job = replicated(pod={"subdomain": "mine"})
    by_name = only_child(job_set(job))
    assert by_name.value["spec"]["template"]["spec"]["subdomain"] == "train"
    assert by_name.origin("spec.template.spec.subdomain") == "metadata.name"
    named = only_child(job_set(job, network={"subdomain": "net"}))
    assert named.value["spec"]["template"]["spec"]["subdomain"] == "net"
    assert named.origin("spec.template.spec.subdomain") == "spec.network.subdomain"


def test_suspend_is_that_of_the_jobset() -> None:
    child = only_child(job_set(replicated(job={"suspend": True})))
    assert child.value["spec"]["suspend"] is False
    assert child.origin("spec.suspend") == "spec.suspend"


def test_mounted_claims_become_volumes() -> None:
    claim = {"metadata": {"name": "cache"}, "spec": {"accessModes": ["ReadWriteOnce"]}}
    mount: dict[str, Any] = {
        "name": "main",
        "image": "busybox",
        "volumeMounts": [{"name": "cache", "mountPath": "/cache"}],
    }
    value = job_set(
        replicated("a", pod={"containers": [mount], "volumes": [{"name": "x", "emptyDir": {}}]}),
        replicated("b"),
        volumeClaimPolicies=[{"templates": [claim]}],
    )
    first, second = created(value)
    assert first.value["spec"]["template"]["spec"]["volumes"][1] == {
        "name": "cache",
        "persistentVolumeClaim": {"claimName": "cache-train"},
    }
    assert first.origin("spec.template.spec.volumes[1].name") == (
        "spec.volumeClaimPolicies[0].templates[0]"
    )
    assert "volumes" not in second.value["spec"]["template"]["spec"]


def test_exclusive_placement_by_node_selector_adds_one_and_a_toleration() -> None:
    value = job_set(replicated())
    value["metadata"]["annotations"] = {
        "alpha.jobset.sigs.k8s.io/exclusive-topology": "zone",
        "alpha.jobset.sigs.k8s.io/node-selector": "true",
    }
    pod = only_child(value).value["spec"]["template"]["spec"]
    assert pod["nodeSelector"] == {
        "alpha.jobset.sigs.k8s.io/namespaced-job": "default_train-workers-0"
    }
    assert [each["key"] for each in pod["tolerations"]] == ["alpha.jobset.sigs.k8s.io/no-schedule"]


def test_errors_of_a_job_lead_to_the_field_of_the_jobset() -> None:
    value = job_set(replicated("a"), replicated("b", pod={"restartPolicy": "Always"}))
    first, second = created(value)
    assert errors(first) == []
    assert errors(second) == [
        (
            "spec.replicatedJobs[1].template.spec.template.spec.restartPolicy",
            'Required value: valid values: "OnFailure", "Never"',
        )
    ]


def test_the_default_mode_of_completion_needs_completions_beside_parallelism() -> None:
    child = only_child(job_set(replicated(job={"parallelism": 2})))
    assert errors(child) == [
        (
            "spec.replicatedJobs[0].template.spec.completions",
            "Required value: when completion mode is Indexed",
        )
    ]
