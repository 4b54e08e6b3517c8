"""Words that are no command or option here, because another tool has them, or because of a typo."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from support.cli.command_runs import Command
from support.lint.manifests_with_findings import SOUND


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("validat job.yaml", "jobsworth validate job.yaml"),
        ("Validate job.yaml", "jobsworth validate job.yaml"),
        ("lint job.yaml", "jobsworth validate job.yaml"),
        ("check --fail-on warning job.yaml", "jobsworth validate --fail-on warning job.yaml"),
        ("fix job.yaml", "jobsworth validate --fix job.yaml"),
        ("apply -f job.yaml", "jobsworth validate job.yaml"),
        ("version", "jobsworth --version"),
        ("help", "jobsworth --help"),
        ("help validate", "jobsworth validate --help"),
        ("help policy check", "jobsworth policy check --help"),
        ("rules JW101", "jobsworth rule JW101"),
        ("policy chek team.yaml", "jobsworth policy check team.yaml"),
        ("policy validate team.yaml", "jobsworth policy check team.yaml"),
        ("simulat 'a job.yaml'", "jobsworth simulate 'a job.yaml'"),
    ],
)
def test_a_command_that_does_not_exist_names_the_one_that_was_meant(
    typed: str, meant: str, command: Command
) -> None:
    done = command(*shlex.split(typed))
    assert done.code == 2
    assert done.err.splitlines()[-1].endswith(f". Did you mean {meant}?")


def test_a_word_that_is_near_to_no_command_gets_no_suggestion(command: Command) -> None:
    done = command("nonsense")
    assert (done.code, done.err.splitlines()[-1]) == (2, "Error: No such command 'nonsense'.")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("validate -f job.yaml", "jobsworth validate job.yaml"),
        ("validate -fjob.yaml", "jobsworth validate job.yaml"),
        ("validate --filename job.yaml -q", "jobsworth validate job.yaml -q"),
        ("validate -q --filename=job.yaml", "jobsworth validate -q job.yaml"),
        ("validate -f a.yaml -f b.yaml", "jobsworth validate a.yaml b.yaml"),
        ("explain -f job.yaml", "jobsworth explain job.yaml"),
        ("default -f job.yaml", "jobsworth default job.yaml"),
        ("simulate -f job.yaml", "jobsworth simulate job.yaml"),
        ("policy check -f team.yaml", "jobsworth policy check team.yaml"),
    ],
)
def test_the_option_of_kubectl_for_files_shows_the_command_without_it(
    typed: str, meant: str, command: Command
) -> None:
    done = command(*typed.split())
    assert done.code == 2
    option = "--filename" if "--filename" in typed else "-f"
    assert done.err.splitlines()[-1] == f"Error: Name files without {option}: {meant}"


@pytest.mark.parametrize(
    ("typed", "advice"),
    [
        ("validate -R manifests", "Folders are always searched; omit -R."),
        ("validate --recursive manifests", "Folders are always searched; omit --recursive."),
        ("validate --format json .", "Did you mean '--output'?"),
        ("validate --output-format json .", "Did you mean '--output'?"),
        ("validate --strict .", "Unknown fields are always errors; omit --strict."),
        ("validate --namespce a .", "Did you mean '--namespace'?"),
        ("validate --kube-version 1.31 .", "Did you mean '--kubernetes-version'?"),
    ],
)
def test_an_option_of_another_tool_gets_the_answer(
    typed: str, advice: str, command: Command
) -> None:
    done = command(*typed.split())
    assert done.code == 2
    assert done.err.splitlines()[-1].endswith(advice)


def test_a_command_that_takes_no_file_has_no_advice_about_files(command: Command) -> None:
    done = command("schema", "-f", "job.json")
    assert done.err.splitlines()[-1] == "Error: No such option '-f'."


@pytest.mark.parametrize(
    ("arguments", "answer"),
    [
        (["audit", "manifests/"], "for files: jobsworth validate manifests/"),
        (["serve", "policies/"], "for policies: --policy policies/"),
        (["policy", "init"], "Missing argument"),
        (["lsp", "job.yaml"], "for files: jobsworth validate job.yaml"),
    ],
)
def test_an_argument_of_a_command_without_any_is_answered(
    command: Command, arguments: list[str], answer: str
) -> None:
    done = command(*arguments)
    assert done.code == 2
    assert answer in done.err


def test_kinds_takes_the_name_of_a_kind(command: Command) -> None:
    done = command("kinds", "rayjob")
    assert "RayJob ray.io/*" in done.out
    assert "MPIJob" not in done.out
    assert 'did you mean "RayJob"?' in command("kinds", "RayJb").err


def test_a_path_that_does_not_exist_has_no_position(command: Command) -> None:
    assert command("validate", "nowhere.yaml").out.startswith("nowhere.yaml: error: ")
    assert "Error: nowhere.yaml: no such file or folder" in command("why", "nowhere.yaml").err


def test_a_folder_without_kustomization_is_not_given_to_kustomize(
    command: Command, tmp_path: Path
) -> None:
    done = command("validate", "--kustomize", str(tmp_path))
    assert "it has no kustomization.yaml: name the folder of an overlay" in done.out


def test_every_wrong_key_of_a_configuration_is_named(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".jobsworth.yaml").write_text("kubernetes-versio: '1.30'\nselct: [JW1]\n")
    (tmp_path / "job.yaml").write_text(SOUND)
    done = command("validate", "job.yaml")
    assert 'did you mean "kubernetes-version"?' in done.err
    assert 'did you mean "select"?' in done.err


def test_a_swept_field_at_the_top_is_answered_with_the_one_of_the_spec(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(SOUND)
    done = command("simulate", "job.yaml", "--sweep", "backoffLimit=1,2")
    assert "did you mean spec.backoffLimit" in done.err


def test_a_comparison_with_a_missing_file_explains_nothing(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(SOUND)
    done = command("explain", "job.yaml", "--against", "nowhere.yaml")
    assert (done.code, done.out) == (2, "")
    assert "--against: nowhere.yaml: no such file or folder" in done.err


def test_policies_are_named_for_explain_as_everywhere(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(SOUND)
    command("policy", "init", "team")
    named = command("policy", "explain", "--policy", "team.yaml", "job.yaml")
    assert named.code == 0
    assert named.out == command("policy", "explain", "team.yaml", "job.yaml").out
