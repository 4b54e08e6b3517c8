"""Claims that Pods of a Job share with others."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import cron_job, fields_beside, job, server, stored, with_metadata

VOLUMES = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
FIELD = ["template.spec.volumes[0].persistentVolumeClaim.claimName"]
HOST = "kubernetes.io/hostname"


def claim(mode: str = "ReadWriteOnce", **spec: Any) -> dict[str, Any]:
    return stored("PersistentVolumeClaim", "data", spec={"accessModes": [mode], **spec})


USED = server(VOLUMES)


@pytest.mark.parametrize("value", [job(VOLUMES), cron_job(job(VOLUMES))], ids=["Job", "CronJob"])
def test_a_server_and_a_job_need_a_claim_that_both_can_use(value: dict[str, Any]) -> None:
    for mode in ("ReadWriteOnce", "ReadWriteOncePod"):
        assert fields_beside("JW715", value, claim(mode), USED) == FIELD
    assert fields_beside("JW715", value, claim("ReadWriteMany"), USED) == []
    assert fields_beside("JW715", value, claim()) == []
    assert fields_beside("JW715", value, USED) == []


def test_several_pods_of_a_job_need_a_claim_that_all_can_use() -> None:
    assert fields_beside("JW715", job(VOLUMES, parallelism=2), claim()) == FIELD
    assert fields_beside("JW715", job(VOLUMES, parallelism=1), claim()) == []


def test_the_claim_of_a_stateful_set_is_used() -> None:
    templates = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]
    beside = server(kind="StatefulSet", name="db")
    beside["spec"]["volumeClaimTemplates"] = templates
    for name, expected in (("data-db-0", FIELD), ("data-db-x", []), ("data-0", [])):
        volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]
        assert fields_beside("JW715", job({"volumes": volumes}), beside) == expected


@pytest.mark.parametrize(
    "spec",
    [
        {"storageClassName": "local-path"},
        {"storageClassName": "nfs-client"},
        {"volumeName": "pv-1"},
    ],
)
def test_a_volume_that_binds_or_serves_all_pods_is_no_finding(spec: dict[str, Any]) -> None:
    assert fields_beside("JW715", job(VOLUMES), claim(**spec), USED) == []


@pytest.mark.parametrize(
    "pod",
    [
        {"nodeName": "node-1"},
        {"nodeSelector": {HOST: "node-1"}},
        {"affinity": {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": []}}},
    ],
)
def test_a_pod_on_the_node_of_the_server_is_no_finding(pod: dict[str, Any]) -> None:
    assert fields_beside("JW715", job({**VOLUMES, **pod}), claim(), USED) == []


def test_a_server_that_is_scaled_to_zero_holds_no_claim() -> None:
    stopped = server(VOLUMES)
    stopped["spec"]["replicas"] = 0
    assert fields_beside("JW715", job(VOLUMES), claim(), stopped) == []
    assert fields_beside("JW715", with_metadata(job(VOLUMES), namespace="a"), claim(), USED) == []


def test_a_job_that_prepares_the_volume_of_a_server_is_no_finding() -> None:
    for name, expected in (("model-download", []), ("backup", FIELD)):
        assert (
            fields_beside("JW715", with_metadata(job(VOLUMES), name=name), claim(), USED)
            == expected
        )
    named = with_metadata(cron_job(job(VOLUMES)), name="download")
    assert fields_beside("JW715", named, claim(), USED) == FIELD
