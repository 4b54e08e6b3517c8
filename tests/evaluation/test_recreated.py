"""Objects that a release tool deletes and creates again: an update may change what is immutable."""

from __future__ import annotations

from typing import Any

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluation import Evaluation
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.subject import Subject
from jobsworth.lint.neighbors import Neighbors
from support.lint.linted_jobs import job, stored, with_metadata

HELM, HELM_POLICY = "helm.sh/hook", "helm.sh/hook-delete-policy"
ARGO, ARGO_POLICY = "argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy"
OPTIONS, FLUX = "argocd.argoproj.io/sync-options", "kustomize.toolkit.fluxcd.io/force"

RECREATED = [
    ("Helm", {HELM: "pre-upgrade"}),
    ("Helm", {HELM: "pre-install, Post-Upgrade"}),
    ("Helm", {HELM: "test"}),
    ("Helm", {HELM: "pre-upgrade", HELM_POLICY: ""}),
    ("Helm", {HELM: "pre-upgrade", HELM_POLICY: "before-hook-creation"}),
    ("Helm", {HELM: "pre-upgrade", HELM_POLICY: "hook-failed, Before-Hook-Creation"}),
    ("Helm", {HELM: "pre-upgrade", HELM_POLICY: "hook-succeeded"}),
    ("Argo CD", {ARGO: "PreSync"}),
    ("Argo CD", {ARGO: "PreSync,PostSync", ARGO_POLICY: "BeforeHookCreation"}),
    ("Argo CD", {ARGO: "Sync", ARGO_POLICY: "HookFailed,BeforeHookCreation"}),
    ("Argo CD", {ARGO: "Sync", ARGO_POLICY: "HookSucceeded"}),
    ("Argo CD", {ARGO: "Sync", ARGO_POLICY: "beforehookcreation"}),
    ("Argo CD", {ARGO: "Sync", ARGO_POLICY: "HookFailed", HELM_POLICY: "before-hook-creation"}),
    ("Argo CD", {OPTIONS: "Force=true,Replace=true"}),
    ("Argo CD", {OPTIONS: "Replace=true, Force=true, ServerSideApply=true"}),
    ("Argo CD", {OPTIONS: "Force=true"}),
    ("Flux", {FLUX: "enabled"}),
    ("Flux", {FLUX: "Enabled"}),
]
UPDATED = [
    {},
    {HELM: "pre-upgrade", HELM_POLICY: "hook-failed"},
    {HELM: "pre-upgrade", HELM_POLICY: "before-hook-create"},
    {HELM: "pre-upgrade, before-lunch"},
    {HELM: ""},
    {HELM_POLICY: "before-hook-creation"},
    {ARGO: "PreSync", ARGO_POLICY: "HookFailed"},
    {ARGO: "Skip"},
    {ARGO: "presync"},
    {ARGO: "PreSync", HELM_POLICY: "hook-failed"},
    {ARGO_POLICY: "BeforeHookCreation"},
    {OPTIONS: "Replace=true"},
    {OPTIONS: "Force=true,ServerSideApply=true"},
    {OPTIONS: "Force=false"},
    {FLUX: "disabled"},
    {FLUX: ""},
    {"kustomize.toolkit.fluxcd.io/reconcile": "disabled"},
]


def with_image(image: str, **metadata: Any) -> dict[str, Any]:
    value = with_metadata(job(), **metadata)
    value["spec"]["template"]["spec"]["containers"][0]["image"] = image
    return value


def update(
    new: dict[str, Any], old: dict[str, Any] | None = None, beside: tuple[Any, ...] = ()
) -> Evaluation:
    subject = Subject(
        new,
        old=with_image("registry.example/x:1") if old is None else old,
        written=lambda field: None,
        neighbors=Neighbors.of(beside),
    )
    return Evaluator(ApiServer("1.36")).evaluate(subject)


def errors(evaluation: Evaluation) -> list[str]:
    return [each.field for each in evaluation.findings if each.severity == "error"]


def notes(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    return [
        (each.severity, each.field, each.message)
        for each in evaluation.findings
        if each.code == "JW098"
    ]


@pytest.mark.parametrize(("tool", "annotations"), RECREATED)
def test_the_update_of_an_object_that_its_tool_deletes_is_a_note(
    tool: str, annotations: dict[str, str]
) -> None:
    evaluation = update(with_image("registry.example/x:2", annotations=annotations))
    assert errors(evaluation) == []
    ((severity, field, message),) = notes(evaluation)
    assert (severity, field) == ("info", "spec.template")
    assert message.startswith(f"{tool} deletes this Job ")
    assert message.endswith(" and creates it again, so the change of immutable fields is applied.")


@pytest.mark.parametrize("annotations", UPDATED)
def test_the_update_of_another_object_is_an_error(annotations: dict[str, str]) -> None:
    evaluation = update(with_image("registry.example/x:2", annotations=annotations))
    assert errors(evaluation) == ["spec.template"]
    assert notes(evaluation) == []


def test_flux_also_reads_the_label() -> None:
    assert notes(update(with_image("registry.example/x:2", labels={FLUX: "enabled"})))


def test_the_annotations_of_the_new_object_count() -> None:
    old = with_image("registry.example/x:1", annotations={HELM: "pre-upgrade"})
    assert errors(update(with_image("registry.example/x:2"), old)) == ["spec.template"]


def test_without_a_change_that_an_update_may_not_make_there_is_no_note() -> None:
    evaluation = update(with_image("registry.example/x:1", annotations={HELM: "pre-upgrade"}))
    assert (errors(evaluation), notes(evaluation)) == ([], [])


def test_errors_of_the_new_object_stay() -> None:
    new = with_image("registry.example/x:2", annotations={ARGO: "PreSync"})
    new["spec"]["backoffLimit"] = -1
    evaluation = update(new)
    assert errors(evaluation) == ["spec.backoffLimit"]
    assert notes(evaluation)
    same = with_image("registry.example/x:1", annotations={ARGO: "PreSync"})
    same["spec"]["backoffLimit"] = -1
    assert (errors(update(same)), notes(update(same))) == (["spec.backoffLimit"], [])


def test_other_limits_of_an_update_do_not_apply_either() -> None:
    new, old = (with_image("registry.example/x:1", annotations={ARGO: "PreSync"}) for _ in range(2))
    old["spec"] |= {"completionMode": "Indexed", "completions": 3, "parallelism": 3}
    new["spec"] |= {"completionMode": "Indexed", "completions": 5, "parallelism": 2}
    assert errors(update(new, old)) == []
    del new["metadata"]["annotations"]
    assert errors(update(new, old)) == ["spec.completions"]


@pytest.mark.parametrize(
    ("spec", "namespace", "recreated"),
    [
        ({"force": True}, "ml", True),
        ({"force": True, "targetNamespace": "ml"}, "ml", True),
        ({"force": True, "targetNamespace": "ml"}, None, True),
        ({"force": True, "targetNamespace": "other"}, "ml", False),
        ({"force": False}, "ml", False),
        ({}, "ml", False),
        ({"force": "true"}, "ml", False),
    ],
)
def test_a_kustomization_of_flux_beside_it_may_force_it(
    spec: dict[str, Any], namespace: str | None, recreated: bool
) -> None:
    version = "kustomize.toolkit.fluxcd.io/v1"
    beside = stored("Kustomization", version=version, namespace="flux-system", spec=spec)
    metadata = {} if namespace is None else {"namespace": namespace}
    new = with_image("registry.example/x:2", **metadata)
    old = with_image("registry.example/x:1", **metadata)
    evaluation = update(new, old, (beside,))
    assert bool(notes(evaluation)) is recreated
    assert bool(errors(evaluation)) is not recreated


def test_a_job_set_is_recreated_too() -> None:
    def job_set(image: str, **metadata: Any) -> dict[str, Any]:
        pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": image}]}
        replicated = [{"name": "w", "template": {"spec": {"template": {"spec": pod}}}}]
        return {
            "apiVersion": "jobset.x-k8s.io/v1alpha2",
            "kind": "JobSet",
            "metadata": {"name": "a", **metadata},
            "spec": {"replicatedJobs": replicated},
        }

    old = job_set("registry.example/x:1")
    assert errors(update(job_set("registry.example/x:2"), old))
    evaluation = update(job_set("registry.example/x:2", annotations={ARGO: "Sync"}), old)
    assert errors(evaluation) == []
    assert notes(evaluation)[0][2].startswith("Argo CD deletes this JobSet ")


@pytest.mark.parametrize(
    "metadata",
    [{"annotations": 7}, {"annotations": {HELM: 7}}, {"labels": [], "annotations": {FLUX: None}}],
)
def test_metadata_of_a_wrong_type_is_no_sign(metadata: dict[str, Any]) -> None:
    new = with_image("registry.example/x:2")
    new["metadata"] |= metadata
    assert errors(update(new))
    assert notes(update(new)) == []


def test_a_request_to_the_api_server_is_an_update() -> None:
    new = with_image("registry.example/x:2", annotations={ARGO: "PreSync"})
    old = with_image("registry.example/x:1", annotations={ARGO: "PreSync"})
    subject = Subject(new, "request", old=old, kind="Job", namespace="ml")
    evaluation = Evaluator(ApiServer("1.36")).evaluate(subject)
    assert notes(evaluation) == []


def titles(evaluation: Evaluation) -> list[str]:
    return [each.fix.title for each in evaluation.findings if each.fix is not None]


INDEXED = "Set completionMode: Indexed"
PER_INDEX = {"completions": 3, "backoffLimitPerIndex": 2}


def test_a_fix_that_the_update_rejects_is_not_offered() -> None:
    new = job(**PER_INDEX)
    assert INDEXED not in titles(update(new, job(completions=3)))
    created = Evaluator(ApiServer("1.36")).evaluate(Subject(new, written=lambda field: None))
    assert INDEXED in titles(created)
    assert INDEXED in titles(update(with_metadata(new, annotations={ARGO: "Sync"}), job()))


def test_a_fix_that_the_update_allows_is_offered() -> None:
    assert "Set restartPolicy: Never" in titles(update(job({"restartPolicy": "never"}), job()))
    wrong = job({"restartPolicy": "never"}, completionMode="indexed", completions=2)
    right = job(completionMode="Indexed", completions=2)
    assert {INDEXED, "Set restartPolicy: Never"} <= {*titles(update(wrong, right))}
