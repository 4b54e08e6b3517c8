"""File names that look like options, such as those of a pull request that a script passes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from jobsworth.cli.click_application import COMMANDS
from support.cli.command_runs import Command

BAD = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  backoffLimit: -1
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "registry.example.com/train:1.4"}]
"""
EXCLUDING = "--exclude=*.yaml"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.yaml").write_text(BAD)
    (tmp_path / EXCLUDING).write_text("x: 1\n")
    return tmp_path


@pytest.mark.parametrize("words", COMMANDS)
def test_every_command_rejects_a_file_name_that_would_be_read_as_an_option(
    words: str, command: Command
) -> None:
    done = command(*words.split(), "job.yaml", EXCLUDING)
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"Error: the argument {EXCLUDING} is both an option and the name of an existing file. "
        f"For the file, write ./{EXCLUDING}, or put -- before the file names. "
        "For the option, rename the file.\n"
    )


@pytest.mark.parametrize("arguments", [("-o", "json"), ("--mixed",), ("--strict",), ()], ids=str)
def test_options_before_it_make_no_difference(arguments: tuple[str, ...], command: Command) -> None:
    done = command("validate", *arguments, EXCLUDING, "job.yaml")
    assert done.code == 2
    assert f"the argument {EXCLUDING} is both" in done.err


def test_a_folder_an_option_with_a_value_and_a_dangling_link_count_as_well(
    folder: Path, command: Command
) -> None:
    (folder / "--output-file=..").mkdir()
    (folder / "--output-file=../report.yaml").write_text("x: 1\n")
    (folder / "--baseline").write_text("{}")
    (folder / "-q").symlink_to("nowhere")
    for arguments in (["--output-file=../report.yaml"], ["--baseline", "b.json"], ["-q"]):
        done = command("validate", "job.yaml", *arguments)
        assert (done.code, done.out) == (2, ""), arguments
        assert f"the argument {arguments[0]} is both" in done.err
    assert not (folder.parent / "report.yaml").exists()


def test_behind_two_dashes_it_is_a_file(command: Command) -> None:
    done = command("validate", "--mixed", "--", EXCLUDING, "job.yaml")
    assert done.code == 1
    assert "spec.backoffLimit" in done.out


def test_with_its_folder_it_is_a_file(command: Command) -> None:
    done = command("validate", "--mixed", f"./{EXCLUDING}", "job.yaml")
    assert done.code == 1
    assert "spec.backoffLimit" in done.out


def test_an_option_without_a_file_of_its_name_is_an_option(command: Command) -> None:
    assert command("validate", "--exclude=job.yaml", "job.yaml").code == 0


def test_one_dash_is_standard_input_although_a_file_has_that_name(
    folder: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "-").write_text(BAD)
    assert "is both" not in command("policy", "check", "-").err


@pytest.mark.parametrize("name", ["--\x1b[31m", "--\u202e", "--::error::forged\n::error::x"])
def test_the_name_is_escaped(name: str, folder: Path, command: Command) -> None:
    (folder / name).write_text("x: 1\n")
    done = command("validate", "job.yaml", name)
    assert done.code == 2
    assert len(done.err.splitlines()) == 1
    assert not {"\x1b", "\u202e"} & set(done.err)


def test_names_that_cannot_exist_are_no_files(command: Command) -> None:
    for name in ("--" + "x" * 5000, "--exclude=\0"):
        assert "is both" not in command("validate", "job.yaml", name).err
