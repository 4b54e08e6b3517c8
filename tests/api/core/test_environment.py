"""Environment variables."""

from __future__ import annotations

from typing import Any

import pytest

from support.validation.engine_errors import pod_errors, server
from support.validation.validated_containers import MAIN, Errors, container_errors, stored_container

STRICT = (
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', "
    "or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or "
    "'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')"
)
RELAXED = (
    "a valid environment variable name must consist only of printable ASCII characters other "
    "than '='"
)
KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
    "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')"
)
ONE_SOURCE = (
    'Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, '
    "`secretKeyRef` or `fileKeyRef`"
)
FROM_SECRET = {"secretKeyRef": {"name": "login", "key": "password"}}
FROM_FIELD = {"fieldRef": {"fieldPath": "metadata.name"}}


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("PATH", ""),
        ("1: so be it", ""),
        ("..", ""),
        ("", "Required value"),
        ("A=B", f'Invalid value: "A=B": {RELAXED}'),
        ("é", f'Invalid value: "é": {RELAXED}'),
        ("a\tb", f'Invalid value: "a\\tb": {RELAXED}'),
    ],
)
def test_names_are_printable_since_1_32(name: str, message: str) -> None:
    errors = {"env[0].name": message} if message else {}
    assert container_errors({"env": [{"name": name}]}) == errors


@pytest.mark.parametrize(
    ("name", "details"),
    [
        ("a.b-c_D", []),
        ("1A", [STRICT]),
        ("A B", [STRICT]),
        (".", ["must not be '.'"]),
        ("..a", ["must not start with '..'"]),
        ("..=", [STRICT, "must not start with '..'"]),
    ],
)
def test_names_were_words_before(name: str, details: list[str]) -> None:
    message = "; ".join(sorted(f'Invalid value: "{name}": {detail}' for detail in details))
    container = {
        "env": [{"name": name}],
        "envFrom": [{"prefix": name, "secretRef": {"name": "login"}}],
    }
    errors = {"env[0].name": message, "envFrom[0].prefix": message} if details else {}
    assert container_errors(container, at=server("1.31")) == errors


def test_names_of_stored_variables_are_kept() -> None:
    at = server("1.32", {"RelaxedEnvironmentVariableValidation": False})
    pod = {"containers": [{**MAIN, "env": [{"name": "1A"}]}]}
    assert pod_errors(pod, at=at)
    assert pod_errors(pod, old=pod, at=at) == set()


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        ({"value": ""}, ""),
        ({"valueFrom": FROM_FIELD, "value": ""}, ""),
        ({"valueFrom": {}}, ONE_SOURCE),
        ({"valueFrom": {}, "value": "x"}, ONE_SOURCE),
        (
            {"valueFrom": FROM_FIELD, "value": "x"},
            'Invalid value: "": may not be specified when `value` is not empty',
        ),
        (
            {"valueFrom": {**FROM_FIELD, **FROM_SECRET}},
            'Invalid value: "": may not have more than one field specified at a time',
        ),
    ],
)
def test_a_variable_has_a_value_or_one_source(variable: dict[str, Any], message: str) -> None:
    errors = {"env[0].valueFrom": message} if message else {}
    assert container_errors({"env": [{"name": "A", **variable}]}) == errors


def test_sources_are_named_as_the_release_knows_them() -> None:
    container = {"env": [{"name": "A", "valueFrom": {"fileKeyRef": {}}}]}
    at = server("1.34")  # drops it: EnvFiles is off by default
    assert container_errors(container, at=at) == {
        "env[0].valueFrom": 'Invalid value: "": must specify one of: `fieldRef`, '
        "`resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`"
    }


@pytest.mark.parametrize("source", ["configMapKeyRef", "secretKeyRef"])
@pytest.mark.parametrize(
    ("key", "errors"),
    [
        ({"name": "login", "key": "pass.word"}, {}),
        ({"name": "login", "key": "k" * 253, "optional": True}, {}),
        ({"name": "login"}, {"key": "Required value"}),
        ({"name": "login", "key": ".."}, {"key": "Invalid value: \"..\": must not be '..'"}),
        ({"name": "login", "key": "a/b"}, {"key": f'Invalid value: "a/b": {KEY}'}),
    ],
)
def test_keys_of_config_maps_and_secrets(source: str, key: dict[str, Any], errors: Errors) -> None:
    expected = {f"env[0].valueFrom.{source}.{field}": errors[field] for field in errors}
    assert container_errors({"env": [{"name": "A", "valueFrom": {source: key}}]}) == expected


@pytest.mark.parametrize("source", ["configMapKeyRef", "secretKeyRef"])
@pytest.mark.parametrize("name", ["", "A", "a-"])
def test_a_key_is_one_of_an_object_with_a_name(source: str, name: str) -> None:
    container = {"env": [{"name": "A", "valueFrom": {source: {"name": name, "key": "k"}}}]}
    assert set(container_errors(container)) == {f"env[0].valueFrom.{source}.name"}


FILE = {"volumeName": "env", "path": "a/b.env", "key": "A"}
EMPTY = {"name": "env", "emptyDir": {}}


@pytest.mark.parametrize(
    ("volumes", "errors"),
    [
        ([EMPTY], {}),
        ([{"name": "env"}], {}),
        ([], {"volumeName": 'Not found: "env"'}),
        (
            [{"name": "env", "configMap": {"name": "x"}}],
            {"volumeName": 'Invalid value: "env": referenced volume must be of type emptyDir'},
        ),
    ],
)
def test_files_of_variables_are_in_an_empty_dir(
    volumes: list[dict[str, Any]], errors: Errors
) -> None:
    expected = {f"env[0].valueFrom.fileKeyRef.{field}": errors[field] for field in errors}
    container = {"env": [{"name": "A", "valueFrom": {"fileKeyRef": FILE}}]}
    assert container_errors(container, volumes=volumes) == expected


@pytest.mark.parametrize(
    ("change", "errors"),
    [
        ({"path": "..a"}, {}),
        ({"path": "a/../b"}, {"path": "Invalid value: \"a/../b\": must not contain '..'"}),
        ({"path": ""}, {"path": "Required value"}),
        ({"key": ""}, {"key": "Required value"}),
        ({"key": "a="}, {"key": f'Invalid value: "a=": {RELAXED}'}),
        ({"volumeName": ""}, {"volumeName": 'Not found: ""; Required value'}),
    ],
)
def test_a_file_of_variables_is_named_by_volume_path_and_key(
    change: dict[str, Any], errors: Errors
) -> None:
    expected = {f"env[0].valueFrom.fileKeyRef.{field}": errors[field] for field in errors}
    container = {"env": [{"name": "A", "valueFrom": {"fileKeyRef": {**FILE, **change}}}]}
    assert container_errors(container, volumes=[EMPTY]) == expected


@pytest.mark.parametrize(
    ("source", "errors"),
    [
        ({"configMapRef": {"name": "settings"}}, {}),
        ({"secretRef": {"name": "login-"}, "prefix": "DB_"}, {}),
        ({"secretRef": {}}, {"envFrom[0].secretRef.name": "Required value"}),
        (
            {"prefix": "A="},
            {
                "envFrom[0].prefix": f'Invalid value: "A=": {RELAXED}',
                "envFrom": 'Invalid value: "": must specify one of: `configMapRef` or `secretRef`',
            },
        ),
        (
            {"configMapRef": {"name": "a"}, "secretRef": {"name": "b"}},
            {"envFrom": 'Invalid value: "": may not have more than one field specified at a time'},
        ),
    ],
)
def test_whole_config_maps_and_secrets(source: dict[str, Any], errors: Errors) -> None:
    assert container_errors({"envFrom": [source]}) == errors


def test_defaults_of_variables() -> None:
    sources = [
        {"fieldRef": {"fieldPath": "metadata.name"}},
        {"resourceFieldRef": {"resource": "limits.cpu"}},
        {"fileKeyRef": FILE},
    ]
    env = [{"name": "A", "valueFrom": source} for source in sources]
    assert [variable["valueFrom"] for variable in stored_container({"env": env})["env"]] == [
        {"fieldRef": {"fieldPath": "metadata.name", "apiVersion": "v1"}},
        {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "0"}},
        {"fileKeyRef": {**FILE, "optional": False}},
    ]
