"""A repository under review reads, prints and obeys no file outside of itself."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jobsworth.files.configuration.path_patterns import matches
from support.cli.command_runs import Command

JOB = (Path(__file__).parent.parent.parent / "examples" / "valid" / "ml-training.yaml").read_text()
POLICY = """apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {name: house}
spec: {limits: {backoffLimit: {maximum: 0}}}
"""
SECRET = "root:$6$hash:20228:0:99999:7:::"


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command) -> Path:
    """A repository, the current folder, beside a secret; `command` has changed the folder before."""
    (tmp_path / "secret").write_text(SECRET)
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "job.yaml").write_text(JOB)
    monkeypatch.chdir(repository)
    return repository


def test_the_search_for_a_configuration_ends_at_the_repository(
    repository: Path, command: Command
) -> None:
    (repository.parent / ".jobsworth.yaml").write_text("exclude: ['*']\n")
    (repository / "jobs").mkdir()
    (repository / "jobs" / "job.yaml").write_text(JOB)
    done = command("validate", ".", "jobs/job.yaml")
    assert done.err == "2 objects in 2 files; 2 valid, 0 invalid\n"
    (repository / ".git").rmdir()
    assert "2 files excluded" in command("validate", ".", "jobs/job.yaml").err


def test_the_search_for_a_configuration_ends_at_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: Command
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / ".jobsworth.yaml").write_text("exclude: ['*']\n")
    done = command("validate", "home/jobs/job.yaml", files={"home/jobs/job.yaml": JOB})
    assert done.err == "1 object in 1 file; 1 valid, 0 invalid\n"
    (tmp_path / "home" / ".jobsworth.yaml").write_text("exclude: ['*']\n")
    assert "1 file excluded" in command("validate", "home/jobs/job.yaml").err


@pytest.mark.parametrize("name", [".jobsworth.yaml", "pyproject.toml"])
@pytest.mark.parametrize("git", [True, False])
def test_a_configuration_that_is_a_link_out_of_the_repository_is_not_read(
    name: str, git: bool, repository: Path, command: Command
) -> None:
    if not git:
        (repository / ".git").rmdir()
    (repository.parent / "secret").write_text(f"{SECRET} # tool.jobsworth")
    (repository / name).symlink_to("../secret")
    done = command("validate", "job.yaml")
    assert done.code == 2
    assert f"Error: {name}: is a symbolic link out of {repository}" in done.err
    assert "hash" not in done.out + done.err


def test_a_configuration_that_is_a_link_within_the_repository_is_read(
    repository: Path, command: Command
) -> None:
    (repository / "shared.yaml").write_text("exclude: ['*']\n")
    (repository / ".jobsworth.yaml").symlink_to("shared.yaml")
    assert "1 file excluded" in command("validate", "job.yaml").err


@pytest.mark.parametrize(
    "arguments",
    [["validate", "link.yaml"], ["validate", "."], ["validate", "--fix", "."], ["default", "link.yaml"],
     ["policy", "check", "."], ["validate", "--against", ".", "job.yaml"],
     ["validate", "--policy", "link.yaml", "job.yaml"]],
    ids=" ".join,
)  # fmt: skip
@pytest.mark.parametrize("target", ["../secret", "../secrets"])
def test_a_manifest_that_is_a_link_out_of_the_repository_is_an_error_without_its_text(
    arguments: list[str], target: str, repository: Path, command: Command
) -> None:
    (repository.parent / "secrets").mkdir()
    (repository.parent / "secrets" / "a.yaml").write_text(SECRET)
    (repository / "link.yaml").symlink_to(target)
    done = command(*arguments)
    assert done.code == (1 if arguments[0] == "policy" else 2)
    assert "link.yaml:1:1" in done.out + done.err
    assert "this is a symbolic link out of the repository" in done.out + done.err
    assert "hash" not in done.out + done.err


def test_a_repository_that_is_reached_by_a_link_has_links_within(
    repository: Path, command: Command
) -> None:
    (repository / "link.yaml").symlink_to("job.yaml")
    (repository.parent / "elsewhere").symlink_to(repository)
    done = command("validate", str(repository.parent / "elsewhere"), str(repository / "link.yaml"))
    assert done.code == 0


def test_outside_of_a_repository_links_are_followed(repository: Path, command: Command) -> None:
    (repository / ".git").rmdir()
    (repository.parent / "other.yaml").write_text(JOB)
    (repository / "link.yaml").symlink_to("../other.yaml")
    assert command("validate", ".").code == 0


@pytest.mark.parametrize("git", [True, False])
@pytest.mark.parametrize("path", ["../policies", "/etc", "link", "a/../../policies"])
def test_a_configuration_names_no_policies_outside_of_the_repository(
    path: str, git: bool, repository: Path, command: Command
) -> None:
    if not git:
        (repository / ".git").rmdir()
    (repository.parent / "policies").mkdir()
    (repository / "link").symlink_to("../policies")
    (repository / ".jobsworth.yaml").write_text(f"policy: [{path}]\n")
    done = command("validate", "job.yaml")
    assert done.code == 2
    assert f'.jobsworth.yaml:1: policy: "{path}" is outside of {repository}' in done.err
    (repository.parent / "policies" / "house.yaml").write_text(POLICY)
    (repository / ".jobsworth.yaml").unlink()
    assert command("validate", "--policy", "../policies", "job.yaml").code == 1


def test_a_configuration_names_policies_of_its_repository(
    repository: Path, command: Command
) -> None:
    (repository / "house.yaml").write_text(POLICY)
    (repository / "jobs").mkdir()
    (repository / "jobs" / "job.yaml").write_text(JOB)
    for path in ("../house.yaml", str(repository / "house.yaml")):
        (repository / "jobs" / ".jobsworth.yaml").write_text(f"policy: [{path}]\n")
        done = command("validate", "jobs/job.yaml")
        assert (done.code, "JP" in done.out) == (1, True)


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("policies: [../secret], cases: [{name: a, manifest: job.yaml, expect: allow}]", "policies[0]"),
        ("cases: [{name: a, manifest: ../secret, expect: allow}]", "cases[0].manifest"),
        ("cases: [{name: a, manifest: job.yaml, oldManifest: /etc/passwd, expect: allow}]",
         "cases[0].oldManifest"),
    ],
)  # fmt: skip
def test_policy_tests_read_no_file_outside_of_the_repository(
    spec: str, field: str, repository: Path, command: Command
) -> None:
    (repository / "a_test.yaml").write_text(
        f"apiVersion: jobsworth.dev/v1alpha1\nkind: JobPolicyTest\nspec: {{{spec}}}\n"
    )
    done = command("policy", "test", "a_test.yaml")
    assert done.code == 2
    assert f"spec.{field}: must be in the repository of this file" in done.err


def leads(steps: list[str], parts: list[str]) -> bool:
    """The definition of a pattern's meaning, which takes exponential time."""
    if not steps:
        return True
    if steps[0] == "**":
        if len(steps) == 1:
            return bool(parts)
        return any(leads(steps[1:], parts[start:]) for start in range(len(parts)))
    return bool(parts) and steps[0] in ("*", parts[0]) and leads(steps[1:], parts[1:])


@given(
    steps=st.lists(st.sampled_from(["**", "*", "a", "b"]), min_size=2, max_size=6),
    parts=st.lists(st.sampled_from("abc"), min_size=1, max_size=6),
)
def test_patterns_keep_their_meaning(steps: list[str], parts: list[str]) -> None:
    assert matches("/".join(steps), "/".join(parts)) == leads(steps, parts)


@pytest.mark.parametrize("pattern", ["**/" * 14 + "zzz/x", "**/a/" * 200 + "x", "*a" * 30 + "/x"])
def test_no_pattern_takes_long(pattern: str) -> None:
    start = time.process_time()
    assert not matches(pattern, "/".join(["a" * 30] + ["a"] * 100))
    assert time.process_time() - start < 1


def test_a_loop_of_links_is_no_root(tmp_path: Path, command: Command) -> None:
    (tmp_path / ".jobsworth.yaml").symlink_to(".jobsworth.yaml")
    done = command("validate", "job.yaml", files={"job.yaml": JOB})
    assert done.code == 2
    assert "Error: .jobsworth.yaml: cannot read this" in done.err
    assert os.path.islink(tmp_path / ".jobsworth.yaml")
