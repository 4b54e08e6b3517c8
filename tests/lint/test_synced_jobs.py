"""Jobs that a GitOps tool creates again after their TTL."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import (
    after_fix,
    fields,
    fields_beside,
    found,
    job,
    stored,
    with_metadata,
)

WAVE = {"argocd.argoproj.io/sync-wave": "1"}
FLUX_GROUP = "kustomize.toolkit.fluxcd.io"
FLUX = {"kustomize.toolkit.fluxcd.io/name": "apps"}
AT = ["ttlSecondsAfterFinished"]


def expiring(**metadata: Any) -> dict[str, Any]:
    return with_metadata(job(ttlSecondsAfterFinished=600), **metadata)


def application(namespace: str | None) -> dict[str, Any]:
    destination = {} if namespace is None else {"namespace": namespace}
    spec = {"destination": destination}
    return stored("Application", version="argoproj.io/v1alpha1", namespace="argocd", spec=spec)


def kustomization(namespace: str | None) -> dict[str, Any]:
    spec = {} if namespace is None else {"targetNamespace": namespace}
    version = "kustomize.toolkit.fluxcd.io/v1"
    return stored("Kustomization", version=version, namespace="flux-system", spec=spec)


@pytest.mark.parametrize(
    ("metadata", "tool"),
    [({"annotations": WAVE}, "Argo CD"), ({"labels": FLUX}, "Flux")],
    ids=["Argo CD", "Flux"],
)
def test_a_tool_creates_a_job_again_that_its_ttl_deletes(metadata: Any, tool: str) -> None:
    (finding,) = found("JW244", expiring(**metadata))
    assert finding.message.startswith(tool)
    assert fields("JW244", with_metadata(job(), **metadata)) == []


@pytest.mark.parametrize(
    "annotations",
    [
        pytest.param({}, id="no tool"),
        pytest.param({**WAVE, "argocd.argoproj.io/hook": "Sync"}, id="a hook"),
        pytest.param({**WAVE, "helm.sh/hook": "post-install"}, id="a hook of Helm"),
        pytest.param({"kustomize.toolkit.fluxcd.io/reconcile": "disabled"}, id="not reconciled"),
    ],
)
def test_other_jobs_may_have_a_ttl(annotations: dict[str, str]) -> None:
    assert fields("JW244", expiring(annotations=annotations)) == []


@pytest.mark.parametrize("beside", [application, kustomization], ids=["Argo CD", "Flux"])
def test_a_tool_beside_the_job_syncs_its_namespace(beside: Any) -> None:
    here = expiring(namespace="shop")
    assert fields_beside("JW244", here, beside("shop")) == AT
    assert fields_beside("JW244", here, beside(None)) == AT
    assert fields_beside("JW244", here, beside("other")) == []
    assert fields_beside("JW244", expiring(), beside("other")) == AT
    assert fields_beside("JW244", here, stored("ConfigMap")) == []


@pytest.mark.parametrize(
    ("options", "reported"),
    [
        ("Replace=true", True),
        ("Prune=false, Replace=true", True),
        ("Replace=true,Force=true", False),
        ("Force=true, Replace=true", False),
        ("Replace=false", False),
    ],
)
def test_argo_cd_replaces_a_job_only_by_force(options: str, reported: bool) -> None:
    value = job()
    value["metadata"]["annotations"] = {"argocd.argoproj.io/sync-options": options}
    at = "metadata.annotations[argocd.argoproj.io/sync-options]"
    assert [each.field for each in found("JW291", value)] == [at] * reported
    if reported:
        assert found("JW291", after_fix("JW291", value)) == []
    value["metadata"]["annotations"]["argocd.argoproj.io/hook"] = "Sync"
    assert found("JW291", value) == []


ARGO = {"argocd.argoproj.io/instance": "shop"}
HELM = {"helm.sh/chart": "shop-1.4.0"}


def migration(name: str, image: str = "shop:1.9.4", **metadata: Any) -> dict[str, Any]:
    pod = {"containers": [{"name": "migrate", "image": image}]}
    return with_metadata(job(pod), name=name, **metadata)


@pytest.mark.parametrize(
    ("labels", "name", "tool"),
    [
        (ARGO, "migrate", "Argo CD"),
        (ARGO, "migrate-1", "Argo CD"),
        (FLUX, "migrate", "Flux"),
        (HELM, "shop-migrate", "Helm"),
    ],
)
def test_a_job_with_one_name_cannot_change(labels: dict[str, str], name: str, tool: str) -> None:
    (finding,) = found("JW257", migration(name, labels=labels))
    assert f"{tool} updates this Job" in finding.message


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("migrate-1-9-4", "shop:1.9.4"),
        ("migrate-v1.9.4", "shop:v1.9.4"),
        ("migrate-5f1c22aa", "shop:1.9.4"),
        ("migrate-20261125", "shop:1.9.4"),
        ("migrate-v13", "shop:1.9.4"),
        ("migrate", "shop:latest"),
        ("migrate", "shop"),
        ("migrate", "shop@sha256:" + "0" * 64),
    ],
)
def test_a_name_with_a_version_is_new_at_each_release(name: str, image: str) -> None:
    assert fields("JW257", migration(name, image, labels=ARGO)) == []
    assert fields("JW257", migration("migrate-3", labels=HELM)) == []  # the revision


@pytest.mark.parametrize(
    "metadata",
    [
        pytest.param({}, id="no tool"),
        pytest.param(
            {"labels": ARGO, "annotations": {"argocd.argoproj.io/hook": "Sync"}}, id="hook"
        ),
        pytest.param(
            {"labels": HELM, "annotations": {"helm.sh/hook": "pre-upgrade"}}, id="of Helm"
        ),
        pytest.param(
            {
                "labels": ARGO,
                "annotations": {"argocd.argoproj.io/sync-options": "Force=true,Replace=true"},
            },
            id="replaced",
        ),
        pytest.param(
            {"labels": FLUX, "annotations": {"kustomize.toolkit.fluxcd.io/force": "enabled"}},
            id="forced",
        ),
        *(
            pytest.param({"labels": FLUX, "annotations": {f"{FLUX_GROUP}/{key}": value}}, id=value)
            for key, value in (
                ("ssa", "IfNotPresent"),
                ("ssa", "Ignore"),
                ("reconcile", "disabled"),
            )
        ),
    ],
)
def test_a_job_that_is_deleted_first_may_keep_its_name(metadata: Any) -> None:
    assert fields("JW257", migration("migrate", **metadata)) == []
    expiring_one = migration("migrate", labels=ARGO)
    expiring_one["spec"]["ttlSecondsAfterFinished"] = 600
    assert fields("JW257", expiring_one) == []
