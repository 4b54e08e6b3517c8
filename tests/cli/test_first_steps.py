"""What a user meets first: a forgotten command, an object without a namespace, a wrong type in Python."""

from __future__ import annotations

import pytest

import jobsworth
from support.cli.command_runs import Command, Validate
from support.lint.manifests_with_findings import INVALID, SOUND

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: team}
spec:
  match: [{namespaces: [team-a]}]
  limits: {activeDeadlineSeconds: {maximum: 60}}
"""
FILES = {"job.yaml": SOUND, "policies/team.yaml": POLICY}


def test_a_file_instead_of_a_command_is_understood(command: Command) -> None:
    done = command("job.yaml", files=FILES)
    assert done.code == 2
    assert "Did you mean jobsworth validate job.yaml?" in done.err


def test_an_unknown_command_is_still_one(command: Command) -> None:
    assert "No such command 'validte'" in command("validte").err


def test_policies_of_a_namespace_apply_to_manifests_without_one_on_request(
    validate: Validate,
) -> None:
    arguments = ["--policy", "policies", "job.yaml"]
    done = validate(*arguments, files=FILES)
    assert done.code == 0
    assert done.err.splitlines()[-1] == (
        "1 object without a namespace: policies were evaluated in namespace "
        '"default"; set --namespace'
    )
    done = validate("-n", "team-a", *arguments)
    assert (done.code, "JP002" in done.out) == (1, True)
    assert "without a namespace" not in done.err


def test_the_configuration_names_the_namespace_too(validate: Validate) -> None:
    files = {**FILES, ".jobsworth.yaml": "namespace: team-a\npolicy: [policies]\n"}
    assert validate("job.yaml", files=files).code == 1


def test_nothing_is_said_of_namespaces_without_policies(validate: Validate) -> None:
    assert "namespace" not in validate("job.yaml", files={"job.yaml": INVALID}).err


def test_a_folder_without_a_job_is_noticed(validate: Validate) -> None:
    done = validate("--color", "always", ".", files={"a.yaml": "kind: Service\n"})
    assert done.err == "\x1b[33;1mno Job or CronJob found; 1 other object skipped\x1b[0m\n"


@pytest.mark.parametrize(
    ("variables", "colored"),
    [
        ({"FORCE_COLOR": "1"}, True),
        ({"CLICOLOR_FORCE": "1"}, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ({"FORCE_COLOR": "0"}, False),
        ({}, False),
    ],
)
def test_colors_follow_the_environment(
    validate: Validate, monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], colored: bool
) -> None:
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert ("\x1b[" in validate("a.yaml", files={"a.yaml": INVALID}).out) == colored


def test_an_option_wins_over_the_environment(
    validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" not in validate("--color", "never", "a.yaml", files={"a.yaml": INVALID}).out


def test_python_names_the_type_that_it_wants() -> None:
    with pytest.raises(TypeError, match=r'must be a str such as "1.30", not float 1.34'):
        jobsworth.validate({}, kubernetes_version=1.34)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="decode the text first"):
        jobsworth.validate("kind: Job")  # type: ignore[arg-type]
