"""Which files and streams are read, and what a user learns about those that are not."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from jobsworth.manifests.parsing import manifest_files
from support.cli.command_runs import Validate
from support.lint.manifests_with_findings import INVALID, SHADOWED, SOUND


def give(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))


@pytest.mark.parametrize("text", ["", "\n\n", "# Source: chart\n---\n", "---\n"])
def test_empty_standard_input_is_an_error(
    validate: Validate, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    give(monkeypatch, text)
    done = validate("-")
    assert done.code == 2
    assert "nothing came on standard input: check that the command before it succeeds" in done.out
    give(monkeypatch, text)
    assert validate("--allow-empty", "-").code == 0


def test_standard_input_with_other_objects_only_is_no_error(
    validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(monkeypatch, "---\n# a\nkind: ConfigMap\n")
    assert validate("-").code == 0


def test_standard_input_has_the_limit_of_files(
    validate: Validate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        manifest_files.read_bytes, "__kwdefaults__", {"name": None, "most": 3 << 20}
    )
    give(monkeypatch, SOUND + "#" * (4 << 20))
    done = validate("-o", "concise", "-")
    assert done.code == 2
    assert "standard input is too large: the limit is 3 MiB" in done.out


def test_hidden_folders_are_counted_and_read_on_request(validate: Validate) -> None:
    files = {
        "a.yaml": SOUND,
        ".chainsaw-test/b.yaml": INVALID,
        "c/.d/e.yaml": SOUND,
        ".git/f.yaml": INVALID,
    }
    done = validate(".", files=files)
    assert done.code == 0
    assert "2 hidden folders skipped (read with --hidden)" in done.err
    done = validate("--hidden", ".")
    assert done.code == 1
    assert done.err.startswith("3 objects in 3 files; 2 valid, 1 invalid")
    assert "hidden" not in done.err


def test_files_are_excluded_on_the_command_line_too(validate: Validate) -> None:
    files = {"a.yaml": SOUND, "vendor/b.yaml": INVALID, "c.tpl.yaml": INVALID}
    done = validate("--exclude", "vendor,*.tpl.yaml", ".", files=files)
    assert done.err == "1 object in 1 file; 1 valid, 0 invalid; 2 files excluded\n"
    assert validate("--exclude", "vendor", "vendor/b.yaml").code == 0


def test_verbose_shows_what_was_validated_and_what_was_not(validate: Validate) -> None:
    files = {
        "a.yaml": SOUND,
        "b.yaml": f"{INVALID}---\nkind: ConfigMap\nmetadata: {{name: settings}}\n",
        "vendor/c.yaml": SOUND,
        ".hidden/d.yaml": SOUND,
    }
    done = validate("-v", "--exclude", "vendor", ".", files=files)
    lines = [line for line in done.out.splitlines() if "yaml: " in line or "hidden" in line]
    assert lines == [
        "a.yaml: valid: Job sound",
        "b.yaml: invalid: Job invalid",
        "b.yaml: skipped: ConfigMap settings",
        ".hidden: hidden folder, not read (read with --hidden)",
        "vendor/c.yaml: excluded",
    ]


def test_a_run_without_a_path_validates_the_current_folder(validate: Validate) -> None:
    done = validate(files={"a.yaml": SOUND, "b.yaml": SHADOWED})
    assert done.err.startswith("2 objects in 2 files")


def test_several_reports_are_written_in_one_run(validate: Validate, tmp_path: Path) -> None:
    arguments = ["-o", "text", "-o", "sarif=report.sarif", "-o", "json=report.json", "a.yaml"]
    done = validate(*arguments, files={"a.yaml": INVALID})
    assert "JW004" in done.out
    assert '"version": "2.1.0"' in (tmp_path / "report.sarif").read_text()
    assert '"status": "invalid"' in (tmp_path / "report.json").read_text()


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["-o", "text", "-o", "json"], "text and json would both go to standard output: write json=FILE"),
        (["-o", "json=a", "-o", "sarif=a"], "two reports would go to the same file"),
        (["-o", "json="], "json= names no file: write json=FILE"),
        (["-o", "jsn"], 'unknown format "jsn": did you mean "json"?'),
        (["-o", "json=a", "--output-file", "b"], "--output-file requires one --output without =FILE"),
        (["-v", "-q"], "--verbose and --quiet exclude each other"),
    ],
)  # fmt: skip
def test_reports_that_exclude_each_other_are_an_error(
    validate: Validate, arguments: list[str], complaint: str
) -> None:
    done = validate(*arguments, "a.yaml", files={"a.yaml": SOUND})
    assert (done.code, complaint in done.err) == (2, True)


@pytest.mark.parametrize("paths", [["a.yaml", "a.yaml"], ["a.yaml", "./a.yaml"], [".", "a.yaml"]])
def test_a_file_that_is_named_twice_is_read_once(paths: list[str], validate: Validate) -> None:
    done = validate(*paths, files={"a.yaml": SOUND})
    assert done.err.startswith("1 object in 1 file; 1 valid, 0 invalid")


def test_an_address_instead_of_a_path_is_answered_with_a_command(validate: Validate) -> None:
    done = validate("https://example.com/job.yaml")
    assert done.code == 2
    assert "download it: curl -fsSL ADDRESS | jobsworth validate -" in done.out
