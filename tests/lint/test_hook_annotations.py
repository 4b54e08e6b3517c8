"""The annotations that make a Job a hook of Helm or Argo CD."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import (
    after_fix,
    cron_job,
    fields,
    fields_beside,
    found,
    job,
    stored,
    with_metadata,
)  # fmt: skip

HOOK, POLICY = "helm.sh/hook", "helm.sh/hook-delete-policy"
PHASE, ARGO_POLICY = "argocd.argoproj.io/hook", "argocd.argoproj.io/hook-delete-policy"


def annotated(annotations: dict[str, str], name: str = "migrate", **spec: Any) -> dict[str, Any]:
    return with_metadata(job(**spec), name=name, annotations=annotations)


def hook(policy: str, name: str = "migrate") -> dict[str, Any]:
    return annotated({HOOK: "pre-upgrade", POLICY: policy}, name)


def annotation(value: dict[str, Any], key: str) -> Any:
    return value["metadata"]["annotations"][key]


def test_a_hook_that_is_only_deleted_on_success_blocks_the_next_release() -> None:
    assert fields("JW242", hook("hook-succeeded")) == [f"metadata.annotations[{POLICY}]"]
    fixed = after_fix("JW242", hook("hook-succeeded"))
    assert annotation(fixed, POLICY) == "before-hook-creation,hook-succeeded"
    assert fields("JW242", fixed) == []


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(hook("before-hook-creation"), id="deleted before the next"),
        pytest.param(hook("hook-succeeded, before-hook-creation"), id="both"),
        pytest.param(hook("hook-succeeded,hook-failed"), id="deleted at each end"),
        pytest.param(annotated({HOOK: "pre-upgrade"}), id="the default of Helm"),
        pytest.param(annotated({POLICY: "hook-succeeded"}), id="no hook"),
        pytest.param(hook("hook-succeeded", "migrate-17"), id="a revision in the name"),
        pytest.param(hook("hook-succeeded", "migrate-v1.4.0"), id="a version in the name"),
        pytest.param(hook("hook-succeeded", "migrate-5f4dcc3b"), id="a hash in the name"),
    ],
)
def test_a_hook_that_makes_room_is_no_finding(value: dict[str, Any]) -> None:
    assert fields("JW242", value) == []


def test_a_failed_hook_keeps_its_log() -> None:
    helm, argo = hook("hook-succeeded,hook-failed"), annotated({ARGO_POLICY: "HookFailed"})
    assert fields("JW243", helm) == [f"metadata.annotations[{POLICY}]"]
    assert annotation(after_fix("JW243", helm), POLICY) == "before-hook-creation,hook-succeeded"
    assert annotation(after_fix("JW243", argo), ARGO_POLICY) == "BeforeHookCreation"
    assert fields("JW243", hook("hook-succeeded")) == []


def test_a_ttl_has_no_effect_on_a_hook_that_is_deleted_when_it_fails() -> None:
    value = annotated({HOOK: "pre-upgrade", POLICY: "hook-failed"}, ttlSecondsAfterFinished=3600)
    (finding,) = found("JW243", value)
    assert "ttlSecondsAfterFinished has no effect" in finding.message


@pytest.mark.parametrize(
    ("key", "written", "fixed"),
    [
        pytest.param(HOOK, "pre-instal,pre-upgrade", "pre-install,pre-upgrade", id="event"),
        pytest.param(POLICY, "hook-suceeded", "hook-succeeded", id="policy"),
        pytest.param(PHASE, "Presync", "PreSync", id="phase"),
        pytest.param(ARGO_POLICY, "hookSucceeded", "HookSucceeded", id="policy of Argo CD"),
    ],
)
def test_a_mistyped_hook_is_corrected(key: str, written: str, fixed: str) -> None:
    value = annotated({key: written})
    assert fields("JW246", value) == [f"metadata.annotations[{key}]"]
    assert annotation(after_fix("JW246", value), key) == fixed
    assert fields("JW246", annotated({key: fixed})) == []


def test_a_value_that_resembles_none_is_reported_without_a_fix() -> None:
    (finding,) = found("JW246", annotated({HOOK: "nightly"}))
    assert finding.fix is None
    assert "pre-install" in finding.message
    assert fields("JW246", annotated({HOOK: "{{ .Values.hook }}"})) == []


@pytest.mark.parametrize("value", [job(), cron_job(job())], ids=["Job", "CronJob"])
def test_hooks_belong_on_the_object_that_the_tool_creates(value: dict[str, Any]) -> None:
    template = value["spec"].get("jobTemplate", value)["spec"]["template"]
    template["metadata"] = {"annotations": {PHASE: "PreSync", "prometheus.io/scrape": "true"}}
    (field,) = fields("JW247", value)
    assert field.endswith(f"template.metadata.annotations[{PHASE}]")
    assert annotation(after_fix("JW247", value), PHASE) == "PreSync"
    assert fields("JW247", with_metadata(value, annotations={PHASE: "PreSync"})) == []


def test_the_objects_of_a_hook_make_room_too() -> None:
    value = with_metadata(job({"serviceAccountName": "migrate"}), annotations={HOOK: "pre-upgrade"})
    for policy, expected in (
        ("hook-succeeded", ["template.spec.serviceAccountName"]),
        ("before-hook-creation,hook-succeeded", []),
    ):
        annotations = {HOOK: "pre-upgrade", POLICY: policy}
        account = stored("ServiceAccount", "migrate", annotations=annotations)
        assert fields_beside("JW242", value, account) == expected
    account = stored("ServiceAccount", "migrate", annotations={POLICY: "hook-succeeded"})
    assert fields_beside("JW242", value, account) == []
