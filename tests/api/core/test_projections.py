"""Volumes made of configuration, and the files that several sources make in one directory."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from support.validation.engine_errors import errors_of, server
from support.validation.validated_volumes import Errors, stored_volume, volume_errors

REQUIRED = "Required value"
MODE = "must be a number between 0 and 0777 (octal), both inclusive"
PATHS = (
    'supported values: "metadata.annotations", "metadata.labels", "metadata.name", '
    '"metadata.namespace", "metadata.uid"'
)
NAME = {"fieldPath": "metadata.name"}
CONFLICT = "conflicting duplicate paths"


@pytest.mark.parametrize(
    ("source", "errors"),
    [
        ({"secret": {"secretName": "any name", "defaultMode": 0}}, {}),
        ({"secret": {}}, {"secret.secretName": REQUIRED}),
        ({"configMap": {"name": "a", "defaultMode": 0o777}}, {}),
        (
            {"configMap": {"defaultMode": 512}},
            {"configMap.name": REQUIRED, "configMap.defaultMode": f"Invalid value: 512: {MODE}"},
        ),
        (
            {"configMap": {"name": "a", "items": [{}, {"key": "k", "path": "..a", "mode": -1}]}},
            {
                "configMap.items[0].key": REQUIRED,
                "configMap.items[0].path": REQUIRED,
                "configMap.items[1].path": "Invalid value: \"..a\": must not start with '..'",
                "configMap.items[1].mode": f"Invalid value: -1: {MODE}",
            },
        ),
        # A plain volume may have two files at one path.
        ({"secret": {"secretName": "a", "items": [{"key": "k", "path": "p"}] * 2}}, {}),
        ({"projected": {}}, {}),
        (
            {"projected": {"sources": [{"configMap": {}}]}},
            {"projected.sources[0].configMap.name": REQUIRED},
        ),
        ({"projected": {"sources": [{}]}}, {}),
        (
            {"projected": {"defaultMode": 512}},
            {"projected.defaultMode": f"Invalid value: 512: {MODE}"},
        ),
        (
            {"projected": {"sources": [{"secret": {}, "configMap": {"name": "a"}}]}},
            {
                "projected.sources[0]": "Forbidden: may not specify more than 1 volume type per source",
                "projected.sources[0].secret.name": REQUIRED,
            },
        ),
    ],
)
def test_sources(source: dict[str, Any], errors: Errors) -> None:
    assert volume_errors(source) == errors


@pytest.mark.parametrize(
    ("file", "errors"),
    [
        ({"path": "a", "fieldRef": NAME}, {}),
        ({"path": "a", "fieldRef": {"fieldPath": "metadata.labels['app']"}}, {}),
        (
            {"path": "a", "resourceFieldRef": {"containerName": "main", "resource": "limits.cpu"}},
            {},
        ),
        ({"path": "a"}, {"": f"{REQUIRED}: one of fieldRef and resourceFieldRef is required"}),
        (
            {"fieldRef": NAME, "mode": 512},
            {"path": REQUIRED, "mode": f"Invalid value: 512: {MODE}"},
        ),
        (
            {"path": "/a", "fieldRef": {"fieldPath": "status.podIP"}},
            {
                "path": 'Invalid value: "/a": must be a relative path',
                "fieldRef.fieldPath": f'Unsupported value: "status.podIP": {PATHS}',
            },
        ),
        (
            {"path": "a", "fieldRef": NAME, "resourceFieldRef": {"resource": "unheard of"}},
            {
                "": 'Invalid value: "resource": '
                "fieldRef and resourceFieldRef can not be specified simultaneously"
            },
        ),
        (
            {"path": "a", "resourceFieldRef": {"resource": "limits.cpu"}},
            {"resourceFieldRef.containerName": REQUIRED},
        ),
    ],
)
def test_files_about_the_pod(file: dict[str, Any], errors: Errors) -> None:
    """The server reports the error of one file on the list."""
    sources = [{}, {"downwardAPI": {"items": [file]}}]
    for path, source in (
        ("downwardAPI", {"downwardAPI": {"items": [file]}}),
        ("projected.sources[1].downwardAPI", {"projected": {"sources": sources}}),
    ):
        expected = {f"{path}.{field}" if field else path: errors[field] for field in errors}
        assert volume_errors(source) == expected


@pytest.mark.parametrize(
    ("sources", "blamed"),
    [
        ([{"secret": {"name": "s", "items": [{"key": "k", "path": "a"}]}}, "a/b"], ""),
        ([{"secret": {"name": "s", "items": [{"key": "k", "path": "a"}]}}, "a"], "a"),
        (["a", {"secret": {"name": "s", "items": [{"key": "k", "path": "a"}]}}], "s"),
        (["a", {"configMap": {"name": "c", "items": [{"key": "k", "path": "a"}]}}], "c"),
        (["a", {"serviceAccountToken": {"path": "a"}}], ""),
    ],
    ids=["different", "same", "with-secret", "with-config-map", "tokens-conflict-with-nothing"],
)
def test_no_two_sources_make_the_same_file(sources: list[Any], blamed: str) -> None:
    sources = [
        {"downwardAPI": {"items": [{"path": source, "fieldRef": NAME}]}}
        if isinstance(source, str)
        else source
        for source in sources
    ]
    errors = {"projected": f'Invalid value: "{blamed}": {CONFLICT}'} if blamed else {}
    assert volume_errors({"projected": {"sources": sources}}) == errors


@pytest.mark.parametrize(("release", "ending"), [("1.30", ""), ("1.31", " per source")])
def test_the_message_on_two_sources_in_one_changed_in_1_31(release: str, ending: str) -> None:
    both = {"secret": {"name": "a"}, "configMap": {"name": "a"}}
    found = volume_errors({"projected": {"sources": [both]}}, at=server(release))
    assert found == {
        "projected.sources[0]": f"Forbidden: may not specify more than 1 volume type{ending}"
    }


@pytest.mark.parametrize(
    ("token", "errors"),
    [
        ({"path": "t", "expirationSeconds": 600}, {}),
        ({"path": "t", "expirationSeconds": 2**32}, {}),
        ({}, {"path": REQUIRED}),
        ({"path": "../t"}, {"path": "Invalid value: \"../t\": must not contain '..'"}),
        (
            {"path": "t", "expirationSeconds": 599},
            {
                "sources[0].serviceAccountToken.expirationSeconds": "Invalid value: 599: "
                "may not specify a duration less than 10 minutes"
            },
        ),
        (
            {"path": "t", "expirationSeconds": 2**32 + 1},
            {
                "sources[0].serviceAccountToken.expirationSeconds": "Invalid value: 4294967297: "
                "may not specify a duration larger than 2^32 seconds"
            },
        ),
    ],
)
def test_tokens(token: dict[str, Any], errors: Errors) -> None:
    found = volume_errors({"projected": {"sources": [{"serviceAccountToken": token}]}})
    assert found == {f"projected.{field}": errors[field] for field in errors}


def test_tokens_may_stay_where_they_should_not_have_been() -> None:
    def cron_job(path: str) -> dict[str, Any]:
        pod = {
            "restartPolicy": "Never",
            "containers": [{"name": "main", "image": "busybox"}],
            "volumes": [
                {
                    "name": "token",
                    "projected": {"sources": [{"serviceAccountToken": {"path": path}}]},
                }
            ],
        }
        spec = {"schedule": "@daily", "jobTemplate": {"spec": {"template": {"spec": pod}}}}
        meta = {"name": "nightly"}
        return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": meta, "spec": spec}

    outside = cron_job("/token")
    assert errors_of(outside, at=server("1.29")) == set()
    assert len(errors_of(outside, at=server("1.30"))) == 1
    assert len(errors_of(outside)) == 1
    assert len(errors_of(outside, cron_job("token"))) == 1
    assert errors_of(outside, copy.deepcopy(outside)) == set()


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({"secret": {"secretName": "a"}}, {"secret": {"secretName": "a", "defaultMode": 420}}),
        ({"configMap": {"name": "a"}}, {"configMap": {"name": "a", "defaultMode": 420}}),
        (
            {"downwardAPI": {"items": [{"path": "a", "fieldRef": NAME}]}},
            {
                "downwardAPI": {
                    "items": [{"path": "a", "fieldRef": {**NAME, "apiVersion": "v1"}}],
                    "defaultMode": 420,
                }
            },
        ),
        (
            {"projected": {"sources": [{"serviceAccountToken": {"path": "a"}}]}},
            {
                "projected": {
                    "sources": [{"serviceAccountToken": {"path": "a", "expirationSeconds": 3600}}],
                    "defaultMode": 420,
                }
            },
        ),
        ({"projected": {}}, {"projected": {"sources": None, "defaultMode": 420}}),
    ],
)
def test_defaults(given: dict[str, Any], stored: dict[str, Any]) -> None:
    assert stored_volume({"name": "v", **given}) == {"name": "v", **stored}
