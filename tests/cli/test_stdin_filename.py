"""`--stdin-filename`: the file that standard input stands for, as an editor or a hook passes it."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from support.cli.command_runs import Command, CommandResult
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND

NAME = "overlays/production/job.yaml"


@pytest.fixture
def piped(command: Command, monkeypatch: pytest.MonkeyPatch) -> Command:
    def piped(
        text: str, *options: str, name: str = NAME, files: dict[str, str] | None = None
    ) -> CommandResult:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return command("validate", "--stdin-filename", name, *options, "-", files=files)

    return piped


@pytest.mark.parametrize("output", ["text", "concise"])
def test_positions_name_the_file(output: str, piped: Command) -> None:
    done = piped(INVALID, "-o", output)
    assert (done.code, done.out.startswith(f"{NAME}:6:")) == (1, True)


def test_annotations_and_alerts_are_in_the_file(piped: Command) -> None:
    assert piped(INVALID, "-o", "github").out.startswith(f"::error file={NAME},line=6,")
    (result,) = piped(INVALID, "-o", "sarif").loaded["runs"][0]["results"]
    location = result["locations"][0]["physicalLocation"]
    assert location["artifactLocation"] == {"uri": NAME}
    (result,) = piped(INVALID, "-o", "json").loaded["results"]
    assert result["file"] == NAME


def test_the_configuration_is_that_of_the_file(piped: Command) -> None:
    files = {"overlays/.jobsworth.yaml": "ignore: [JW101]\n", "other/a.yaml": SOUND}
    assert "JW101" in piped(SHADOWED, "-o", "concise", name="other/job.yaml", files=files).out
    assert piped(SHADOWED, "-o", "concise").out == ""


def test_ignores_per_file_match_the_path(piped: Command) -> None:
    files = {".jobsworth.yaml": "per-file-ignores:\n  overlays/**: [JW101]\n"}
    assert piped(SHADOWED, "-o", "concise", files=files).out == ""
    assert "JW101" in piped(SHADOWED, "-o", "concise", name="job.yaml").out


def test_an_excluded_file_is_not_validated(piped: Command) -> None:
    done = piped(INVALID, "--exclude", "overlays/")
    assert (done.code, done.out) == (0, "")
    assert "1 file excluded" in done.err


def test_a_patch_of_a_kustomization_is_skipped_as_in_its_file(piped: Command) -> None:
    patch = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: train}\nspec: {backoffLimit: 1}\n"
    files = {"overlays/production/kustomization.yaml": "patches: [{path: job.yaml}]\n"}
    done = piped(patch, files=files)
    assert (done.code, "[JW094 kustomize-patch]" in done.out) == (0, True)


def test_fixed_input_goes_to_standard_output(piped: Command) -> None:
    done = piped(SHADOWED, "--fix", "--unsafe", files={NAME: "untouched"})
    assert done.out.startswith("apiVersion: batch/v1\n")
    assert done.out != SHADOWED
    assert Path(NAME).read_text() == "untouched"
    assert f"fixed: {NAME}:" in done.err


def test_a_diff_names_the_file(piped: Command) -> None:
    assert piped(SHADOWED, "--diff", "--unsafe").out.startswith(f"--- {NAME}\n+++ {NAME}\n")


def test_errors_name_the_file(piped: Command) -> None:
    assert piped("", "-o", "concise").out.startswith(f"{NAME}:1:1: error JW090 nothing came on")
    done = piped("kind: [", "-o", "concise")
    assert (done.code, done.out.startswith(f"{NAME}:1:")) == (2, True)


def test_json_is_distinguished_by_the_extension(piped: Command) -> None:
    text = '{"apiVersion": "batch/v1", "kind": "Job", "kind": "Job"}'
    assert piped(text, "-o", "concise", name="job.json").out.startswith("job.json:1:")


def test_it_requires_standard_input(command: Command) -> None:
    done = command("validate", "--stdin-filename", NAME, "job.yaml", files={"job.yaml": SOUND})
    assert (done.code, "Error: --stdin-filename requires the path -" in done.err) == (2, True)
