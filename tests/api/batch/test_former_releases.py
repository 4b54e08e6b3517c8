"""What API servers before 1.32, and 1.37, treat otherwise than 1.36.

Most of it is in the recorded answers of the servers too (tests/recorded), but for 1.37.
"""

from __future__ import annotations

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.validation.engine import engine_for
from support.api_server.stored_objects import manifest, stored
from support.validation.engine_errors import defaulted, errors_of, pod_errors, server
from support.validation.validated_jobs import cron_job, job, job_errors

RULE = {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [1]}}
TRACKING = "batch.kubernetes.io/job-tracking"


@pytest.mark.parametrize("release", ["1.26", "1.27"])
def test_fail_index_is_unknown_until_1_27(release: str) -> None:
    found = job_errors(job(podFailurePolicy={"rules": [RULE]}), at=server(release))
    assert found == {
        "podFailurePolicy.rules[0].action": (
            'Unsupported value: "FailIndex": supported values: "Count", "FailJob", "Ignore"'
        )
    }
    nameless = job(podFailurePolicy={"rules": [{**RULE, "action": ""}]})
    assert job_errors(nameless, at=server(release)) == {
        "podFailurePolicy.rules[0].action": (
            'Required value: valid values: ["Count" "FailJob" "Ignore"]'
        )
    }


def test_fail_index_needs_limits_per_index_from_1_29() -> None:
    found = job_errors(job(podFailurePolicy={"rules": [RULE]}), at=server("1.29"))
    assert list(found) == ["podFailurePolicy.rules[0].action"]


@pytest.mark.parametrize("prefix", ["TZ", "CRON_TZ"])
def test_a_schedule_may_name_a_time_zone_until_1_28(prefix: str) -> None:
    zoned = cron_job(schedule=f"{prefix}=Europe/Berlin 0 3 * * *")
    assert errors_of(zoned, at=server("1.28")) == set()
    assert {field for field, _ in errors_of(zoned, at=server("1.29"))} == {"spec.schedule"}


def test_a_schedule_may_not_name_a_time_zone_beside_the_field() -> None:
    both = cron_job(schedule="TZ=UTC 0 3 * * *", timeZone="Europe/Berlin")
    assert errors_of(both, at=server("1.28")) == {
        (
            "spec.schedule",
            'Invalid value: "TZ=UTC 0 3 * * *": '
            "cannot use both timeZone field and TZ or CRON_TZ in schedule",
        )
    }


@pytest.mark.parametrize(("release", "filled_in"), [("1.28", False), ("1.29", True)])
def test_the_manual_selector_is_filled_in_from_1_29(release: str, filled_in: bool) -> None:
    spec = defaulted(job(), at=server(release))["spec"]
    assert ("manualSelector" in spec) == filled_in


def test_addresses_are_worded_otherwise_until_1_29() -> None:
    pod = {
        "hostAliases": [{"ip": "nowhere", "hostnames": ["-bad-"]}],
        "dnsConfig": {"nameservers": ["nowhere"]},
    }
    fields = dict(pod_errors(pod, at=server("1.29")))
    assert fields["hostAliases.ip"] == 'Invalid value: "nowhere": must be valid IP address'
    assert fields["dnsConfig.nameservers[0]"] == fields["hostAliases.ip"]
    assert "hostAliases.hostnames" in fields
    later = {field for field, _ in pod_errors(pod, at=server("1.30"))}
    assert {"hostAliases[0].ip", "hostAliases[0].hostnames[0]"} < later


@pytest.mark.parametrize("release", ["1.25", "1.26", "1.27"])
def test_an_update_cannot_add_the_tracking_annotation_until_1_27(release: str) -> None:
    """Source: validationOptionsForJob in pkg/registry/batch/job of 1.25, 1.26.15 and 1.27.16."""
    tracked = stored(manifest(), release=release)
    tracked["metadata"]["annotations"] = {TRACKING: ""}
    bare = {**tracked, "metadata": {**tracked["metadata"], "annotations": {}}}
    added = (f"metadata.annotations[{TRACKING}]", "Forbidden: cannot add this annotation")
    assert errors_of(tracked, bare, at=server(release)) == {added}
    assert errors_of(tracked, tracked, at=server(release)) == set()
    # The server adds it itself to a new Job.
    again = manifest()
    again["metadata"]["annotations"] = {TRACKING: ""}
    assert errors_of(again, manifest(), at=server(release)) == set()


def test_an_update_can_add_the_tracking_annotation_from_1_28() -> None:
    tracked = stored(manifest(), release="1.28")
    tracked["metadata"]["annotations"] = {TRACKING: ""}
    bare = {**tracked, "metadata": {**tracked["metadata"], "annotations": {}}}
    assert errors_of(tracked, bare, at=server("1.28")) == set()


def test_labels_with_a_prefix_are_generated_from_1_27() -> None:
    other = job()
    other["spec"]["template"]["metadata"]["labels"] = {
        "batch.kubernetes.io/job-name": "other",
        "job-name": "other",
    }
    wrong = {field for field, _ in errors_of(other, at=server("1.26"))}
    assert wrong == {"spec.template.metadata.labels[job-name]"}
    wrong = {field for field, _ in errors_of(other, at=server("1.27"))}
    assert "spec.template.metadata.labels[batch.kubernetes.io/job-name]" in wrong


@pytest.mark.parametrize(
    ("release", "field"),
    [("1.36", "securityContext.shareProcessNamespace"), ("1.37", "shareProcessNamespace")],
)
def test_sharing_processes_with_the_host_is_reported_at(release: str, field: str) -> None:
    found = pod_errors({"hostPID": True, "shareProcessNamespace": True}, at=server(release))
    assert {at for at, _ in found} == {field}


def test_an_unchanged_stored_object_has_no_dropped_fields() -> None:
    """Source: the server drops a field of a gate only if the stored object does not have it."""
    old = stored(manifest(managedBy="acme.io/jobs"), release="1.32")
    engine = engine_for(ApiServer("1.32", {"JobManagedBy": False}))
    assert engine.validate(old, old) == []


@pytest.mark.parametrize("gate", [True, False])
def test_a_limit_per_index_decides_the_backoff_limit_even_where_it_is_dropped(gate: bool) -> None:
    limited = job(completionMode="Indexed", completions=1, backoffLimitPerIndex=1)
    at = server("1.29", {"JobBackoffLimitPerIndex": gate})
    spec = defaulted(limited, at=at)["spec"]
    assert spec["backoffLimit"] == 2**31 - 1
    assert ("backoffLimitPerIndex" in spec) is gate
    limited["spec"]["backoffLimit"] = 3
    assert defaulted(limited, at=at)["spec"]["backoffLimit"] == 3


def test_completions_of_an_indexed_job_are_immutable_until_it_is_elastic() -> None:
    old = job(completionMode="Indexed", completions=2, parallelism=2)
    new = job(completionMode="Indexed", completions=3, parallelism=3)
    was_2 = ("spec.completions", "Invalid value: 3: field is immutable")
    assert errors_of(new, old, at=server("1.26")) == {was_2}
    assert errors_of(new, old, at=server("1.27")) == set()
    assert errors_of(new, old, at=server("1.28", {"ElasticIndexedJob": False})) == {was_2}


def test_1_25_does_not_validate_the_values_of_selectors() -> None:
    terms = {"key": "a", "operator": "In", "values": ["a b"]}
    term = {"labelSelector": {"matchExpressions": [terms]}, "topologyKey": "zone"}
    pod = {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    assert pod_errors(pod, at=server("1.25")) == set()
    assert len(pod_errors(pod, at=server("1.26"))) == 1


def test_a_resize_policy_depends_on_the_restart_policy_from_1_29() -> None:
    policy = {"resourceName": "cpu", "restartPolicy": "RestartContainer"}
    pod = {"containers": [{"name": "a", "image": "b", "resizePolicy": [policy]}]}
    gate = {"InPlacePodVerticalScaling": True}
    assert pod_errors(pod, at=server("1.28", gate)) == set()
    assert len(pod_errors(pod, at=server("1.29", gate))) == 1


def test_label_keys_need_a_selector_from_1_27() -> None:
    constraint = {
        "maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "matchLabelKeys": ["a"]
    }  # fmt: skip
    pod = {"topologySpreadConstraints": [constraint]}
    gate = {"MatchLabelKeysInPodTopologySpread": True}
    assert pod_errors(pod, at=server("1.26", gate)) == set()
    assert len(pod_errors(pod, at=server("1.27", gate))) == 1


def test_1_31_does_not_see_the_stored_image_of_a_volume_without_the_gate() -> None:
    image = {"reference": "example.com/data:1", "pullPolicy": "Always"}
    old = job({"volumes": [{"name": "data", "image": image}]})
    at = engine_for(ApiServer("1.31"))
    found = {(each.field, each.message) for each in at.validate(old, stored(old, release="1.36"))}
    assert ("spec.template.spec.volumes[0]", "Required value: must specify a volume type") in found


def test_a_pod_with_its_own_user_namespace_keeps_no_state_until_1_27() -> None:
    volumes = [{"name": "a", "emptyDir": {}}, {"name": "b", "hostPath": {"path": "/b"}}]
    pod = {"hostUsers": False, "volumes": volumes}
    assert pod_errors(pod, at=server("1.27", {"UserNamespacesStatelessPodsSupport": True})) == {
        (
            "volumes[1]",
            "Forbidden: volume type not supported when `pod.Spec.HostUsers` is false",
        )
    }
    assert pod_errors(pod, at=server("1.28", {"UserNamespacesSupport": True})) == set()


def test_a_failure_policy_decides_the_replacement_even_where_it_is_dropped() -> None:
    policy = {"rules": [{**RULE, "action": "FailJob"}]}
    for gate in (True, False):
        at = server("1.29", {"JobPodFailurePolicy": gate})
        spec = defaulted(job(podFailurePolicy=policy), at=at)["spec"]
        assert (spec["podReplacementPolicy"], "podFailurePolicy" in spec) == ("Failed", gate)
    at = server("1.28", {"JobPodFailurePolicy": False})
    assert "podReplacementPolicy" not in defaulted(job(podFailurePolicy=policy), at=at)["spec"]


def test_1_29_keeps_the_hook_whose_only_action_it_drops() -> None:
    hook = {"preStop": {"sleep": {"seconds": 1}}}
    pod = {"containers": [{"name": "a", "image": "b", "lifecycle": hook}]}
    missing = ("containers[0].lifecycle.preStop", "Required value: must specify a handler type")
    assert missing in pod_errors(pod, at=server("1.29"))
    assert pod_errors(pod, at=server("1.30", {"PodLifecycleSleepAction": False})) == set()


def test_1_26_only_wants_a_name_of_a_scheduling_gate() -> None:
    gate = {"PodSchedulingReadiness": True}
    pod = {"schedulingGates": [{"name": "a b"}]}
    assert pod_errors(pod, at=server("1.26", gate)) == set()
    assert len(pod_errors(pod, at=server("1.27", gate))) == 1
    assert pod_errors({"schedulingGates": [{"name": ""}]}, at=server("1.26", gate)) == {
        ("schedulingGates[0]", "Required value: must not be empty")
    }


def test_errors_of_a_trust_bundle_name_the_pem_until_1_30() -> None:
    source = {"clusterTrustBundle": {"path": "ca.pem"}}
    pod = {"volumes": [{"name": "a", "projected": {"sources": [source]}}]}
    gate = {"ClusterTrustBundleProjection": True}
    at = "volumes[0].projected.sources[0]"
    (until,) = {field for field, _ in pod_errors(pod, at=server("1.30", gate))}
    (since,) = {field for field, _ in pod_errors(pod, at=server("1.31", gate))}
    assert until == f"{at}.clusterTrustBundlePEM"
    assert since == f"{at}.clusterTrustBundle"
