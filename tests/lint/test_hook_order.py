"""Hooks of release tools and the objects that they need."""

from __future__ import annotations

from typing import Any

import pytest

from support.lint.linted_jobs import (
    cron_job,
    fields_beside,
    found_beside,
    job,
    server,
    stored,
    with_metadata,
)

ACCOUNT = {"serviceAccountName": "migrator"}
FIELD = ["template.spec.serviceAccountName"]


def hooked(
    hook: str | None, weight: int | None = None, policy: str | None = None
) -> dict[str, str]:
    given = {
        "helm.sh/hook": hook,
        "helm.sh/hook-weight": None if weight is None else str(weight),
        "helm.sh/hook-delete-policy": policy,
    }
    return {key: value for key, value in given.items() if value is not None}


def phased(phase: str | None, wave: int | None = None, policy: str | None = None) -> dict[str, str]:
    given = {
        "argocd.argoproj.io/hook": phase,
        "argocd.argoproj.io/sync-wave": None if wave is None else str(wave),
        "argocd.argoproj.io/hook-delete-policy": policy,
    }
    return {key: value for key, value in given.items() if value is not None}


def before(own: dict[str, str], *needed: dict[str, str]) -> list[str]:
    """The fields with which a Job names an account that is created too late."""
    beside = [stored("ServiceAccount", "migrator", annotations=each) for each in needed]
    return fields_beside("JW240", with_metadata(job(ACCOUNT), annotations=own), *beside)


INSTALL = hooked("pre-install,pre-upgrade", 0)


@pytest.mark.parametrize(
    ("own", "needed"),
    [
        pytest.param(INSTALL, {}, id="an object of the release"),
        pytest.param(INSTALL, hooked("pre-upgrade"), id="a hook of upgrades only"),
        pytest.param(INSTALL, hooked("pre-install,pre-upgrade", 1), id="a greater weight"),
        pytest.param(hooked("post-install", -1), hooked("post-install"), id="after the install"),
        pytest.param(hooked("post-delete"), {}, id="an object that is deleted"),
        pytest.param(phased("PreSync"), {}, id="an object of the sync"),
        pytest.param(phased("PreSync", 1), phased("PreSync", 2), id="a later wave of the phase"),
        pytest.param(phased(None, -1), {}, id="a wave before that of objects without one"),
        pytest.param(phased("Sync"), phased("PostSync"), id="a later phase"),
    ],
)
def test_a_hook_needs_objects_that_exist_before_it(own: Any, needed: Any) -> None:
    assert before(own, needed) == FIELD


@pytest.mark.parametrize(
    ("own", "needed"),
    [
        pytest.param({}, {}, id="no hook"),
        pytest.param(INSTALL, INSTALL, id="the same weight, in which Helm orders by kind"),
        pytest.param(INSTALL, hooked("pre-install", -5), id="a smaller weight"),
        pytest.param(hooked("pre-upgrade"), {}, id="an upgrade finds the objects of the install"),
        pytest.param(hooked("post-install"), {}, id="after the install"),
        pytest.param(hooked("post-install"), hooked("pre-install", 3), id="an earlier event"),
        pytest.param(hooked("pre-delete"), {}, id="before the deletion"),
        pytest.param(hooked("post-delete"), hooked("pre-install"), id="Helm deletes no hook"),
        pytest.param(hooked("post-delete"), {"helm.sh/resource-policy": "keep"}, id="kept"),
        pytest.param(phased("PreSync", 2), phased("PreSync", 1), id="an earlier wave"),
        pytest.param(phased("PostSync"), {}, id="after the sync"),
        pytest.param(phased("SyncFail"), {}, id="after a failure"),
        pytest.param(phased(None, 1), {}, id="a later wave"),
        pytest.param(phased("PreSync"), hooked("pre-install"), id="a hook of both tools"),
        pytest.param(phased("PreSync", 0), phased("PreSync"), id="the same wave"),
    ],
)
def test_an_object_that_exists_before_a_hook_is_no_finding(own: Any, needed: Any) -> None:
    assert before(own, needed) == []


def test_one_of_two_objects_of_a_name_is_enough() -> None:
    assert before(INSTALL, {}, hooked("pre-install", -1)) == []


def test_an_optional_object_may_come_later() -> None:
    sources = [
        {"configMapRef": {"name": "settings", "optional": optional}} for optional in (True, False)
    ]
    for source, expected in zip(
        sources, ([], ["template.spec.containers[0].envFrom[0].configMapRef.name"]), strict=True
    ):
        pod = {"containers": [{"name": "main", "image": "a:1", "envFrom": [source]}]}
        value = with_metadata(job(pod), annotations=INSTALL)
        assert fields_beside("JW240", value, stored("ConfigMap", "settings")) == expected


def test_every_namespace_has_the_default_account() -> None:
    value = with_metadata(job({"serviceAccountName": "default"}), annotations=INSTALL)
    assert fields_beside("JW240", value, stored("ServiceAccount", "default")) == []


def test_the_message_names_the_file_and_the_weights() -> None:
    value = with_metadata(job(ACCOUNT), annotations=INSTALL)
    beside = stored("ServiceAccount", "migrator", annotations=hooked("pre-install", 5))
    (finding,) = found_beside("JW240", value, beside)
    assert "weight 5" in finding.message
    assert "weight 0" in finding.message


PHASE = "argocd.argoproj.io/hook"
DELETED = hooked("pre-install", policy="hook-succeeded,before-hook-creation")


@pytest.mark.parametrize(
    ("own", "needed"),
    [
        pytest.param({}, DELETED, id="a Job of the release"),
        pytest.param(hooked("post-install"), DELETED, id="a later event"),
        pytest.param({}, phased("PreSync", policy="HookSucceeded"), id="Argo CD"),
    ],
)
def test_a_job_needs_objects_that_are_not_deleted(own: Any, needed: Any) -> None:
    beside = stored("ServiceAccount", "migrator", annotations=needed)
    assert fields_beside("JW241", with_metadata(job(ACCOUNT), annotations=own), beside) == FIELD


@pytest.mark.parametrize(
    ("own", "needed"),
    [
        pytest.param(
            hooked("pre-install"), DELETED, id="Helm deletes the hooks of an event together"
        ),
        pytest.param({}, hooked("pre-install", policy="before-hook-creation"), id="kept"),
        pytest.param({}, hooked(None, policy="hook-succeeded"), id="a policy without a hook"),
        pytest.param(phased("PreSync"), phased("PreSync", policy="HookSucceeded"), id="one phase"),
    ],
)
def test_an_object_that_lasts_is_no_finding(own: Any, needed: Any) -> None:
    beside = stored("ServiceAccount", "migrator", annotations=needed)
    assert fields_beside("JW241", with_metadata(job(ACCOUNT), annotations=own), beside) == []


def test_a_cron_job_needs_objects_that_last_too() -> None:
    beside = stored("ServiceAccount", "migrator", annotations=DELETED)
    assert fields_beside("JW241", cron_job(job(ACCOUNT)), beside) == FIELD


MIGRATION = with_metadata(job(), name="migrate", annotations=hooked("post-install,post-upgrade"))


def waiting(name: str = "wait", **container: Any) -> dict[str, Any]:
    return server({"initContainers": [{"name": name, "image": "a:1", **container}]})


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param(waiting(args=["job", "migrate"]), id="by the name of the Job"),
        pytest.param(
            waiting(command=["sh", "-c", "kubectl wait job/migrate --for=condition=complete"]),
            id="in a script",
        ),
        pytest.param(waiting("wait-for-migrations"), id="by its own name"),
        pytest.param(waiting("check_db_migrations"), id="with another verb"),
        pytest.param(
            waiting(
                command=["sh", "-c", "until python manage.py migrate --check; do sleep 5; done"]
            ),
            id="by the check of a framework",
        ),
    ],
)
def test_servers_do_not_wait_for_a_hook_that_waits_for_them(beside: dict[str, Any]) -> None:
    assert fields_beside("JW245", MIGRATION, beside) == ["metadata.annotations[helm.sh/hook]"]
    argo = with_metadata(job(), name="migrate", annotations=phased("PostSync"))
    assert fields_beside("JW245", argo, beside) == [f"metadata.annotations[{PHASE}]"]
    for own in ({}, hooked("pre-install,post-upgrade"), phased("Sync")):
        value = with_metadata(job(), name="migrate", annotations=own)
        assert fields_beside("JW245", value, beside) == []


@pytest.mark.parametrize(
    "beside",
    [
        pytest.param(waiting(args=["db", "5432"]), id="for something else"),
        pytest.param(waiting(args=["migrate"]), id="without waiting"),
        pytest.param(waiting(args=["manage.py", "migrate", "--check"]), id="with a check once"),
        pytest.param(server(), id="not at all"),
    ],
)
def test_servers_may_have_other_init_containers(beside: dict[str, Any]) -> None:
    assert fields_beside("JW245", MIGRATION, beside) == []


def calling(text: str, own: dict[str, str]) -> dict[str, Any]:
    pod = {"containers": [{"name": "a", "image": "a:1", "env": [{"name": "URL", "value": text}]}]}
    return with_metadata(job(pod), annotations=own)


DATABASE = [
    stored("Service", "shop-db", spec={"selector": {"app": "db"}}),
    server(kind="StatefulSet", name="db", app="db"),
]


def test_a_hook_before_the_install_finds_no_server_of_the_release() -> None:
    for own, key in ((INSTALL, "helm.sh/hook"), (phased("PreSync"), PHASE)):
        value = calling("postgres://shop-db:5432/shop", own)
        assert fields_beside("JW240", value, *DATABASE) == [f"metadata.annotations[{key}]"]
        assert fields_beside("JW240", calling("postgres://other:5432/shop", own), *DATABASE) == []
        assert fields_beside("JW240", value, DATABASE[0]) == []
    for own in (hooked("pre-upgrade"), hooked("post-install"), phased("PostSync"), {}):
        assert fields_beside("JW240", calling("shop-db", own), *DATABASE) == []


def test_a_claim_that_is_a_hook_loses_its_data() -> None:
    pod = {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]}
    field = ["template.spec.volumes[0].persistentVolumeClaim.claimName"]
    for given in (
        hooked("pre-install"),
        phased("PreSync"),
        phased("PreSync", policy="BeforeHookCreation"),
    ):
        beside = stored("PersistentVolumeClaim", "data", annotations=given)
        assert fields_beside("JW241", job(pod), beside) == field
    every = stored("PersistentVolumeClaim", "data", annotations=hooked("pre-install,pre-upgrade"))
    value = with_metadata(job(pod), annotations=hooked("pre-install,pre-upgrade"))
    assert fields_beside("JW241", value, every) == field
    for own, given in (
        (hooked("pre-install"), hooked("pre-install")),
        (
            hooked("pre-upgrade"),
            hooked("pre-install,pre-upgrade", policy="before-hook-creation,hook-succeeded"),
        ),
        ({}, hooked("pre-install", policy="hook-failed")),
        ({}, {}),
    ):
        beside = stored("PersistentVolumeClaim", "data", annotations=given)
        assert fields_beside("JW241", with_metadata(job(pod), annotations=own), beside) == []


def test_a_name_for_a_certificate_is_no_server_that_a_hook_calls() -> None:
    pod = {
        "containers": [{"name": "a", "image": "a:1", "args": ["--host=shop-db,shop-db.shop.svc"]}]
    }
    assert fields_beside("JW240", with_metadata(job(pod), annotations=INSTALL), *DATABASE) == []
