"""`jobsworth validate --git-ref`: what a branch changes, in real repositories."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support.cli.command_processes import BAD, GOOD, OTHER, run

if shutil.which("git") is None:
    pytest.skip("there is no git command here", allow_module_level=True)

CHANGED = GOOD.replace("busybox:1.36", "busybox:1.37")
IMMUTABLE = "field is immutable"
ENVIRONMENT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A tester",
    "GIT_AUTHOR_EMAIL": "tester@example.com",
    "GIT_COMMITTER_NAME": "A tester",
    "GIT_COMMITTER_EMAIL": "tester@example.com",
}

Git = Callable[..., None]


def named(name: str, text: str = GOOD) -> str:
    return text.replace("name: train", f"name: {name}")


@pytest.fixture
def git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Git:
    """Runs git in a repository whose branch `main` has three Jobs, and of which `work` is checked out."""
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)

    def command(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(tmp_path), *arguments], check=True, capture_output=True)

    for name in ("one", "two", "three"):
        (tmp_path / "jobs").mkdir(exist_ok=True)
        (tmp_path / "jobs" / f"{name}.yaml").write_text(named(name))
    command("init", "--quiet", "--initial-branch=main")
    command("add", "--all")
    command("commit", "--quiet", "--message=Three Jobs")
    command("checkout", "--quiet", "-b", "work")
    return command


def validated(folder: Path, *arguments: str) -> dict[str, tuple[str, list[str]]]:
    """Return the status and the API server's messages of each validated file."""
    done = run("validate", "--git-ref", "main", "-o", "json", *arguments, folder=folder)
    assert done.returncode in (0, 1), done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return {
        Path(result["file"]).as_posix(): (
            result["status"],
            [finding["message"] for finding in result["findings"] if finding["source"] == "api"],
        )
        for result in report["results"]
    }


def test_without_a_change_nothing_is_validated(git: Git, tmp_path: Path) -> None:
    done = run("validate", "--git-ref", "main", folder=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "no manifest differs from main: nothing was validated\n"
    (tmp_path / "values.yaml").write_text("a: 1\n")
    done = run("validate", "--git-ref", "main", folder=tmp_path)
    sentence = "no Job or CronJob found in what differs from main; 1 other object skipped\n"
    assert (done.returncode, done.stderr) == (0, sentence)


@pytest.mark.parametrize("how", ["committed", "staged", "in the working tree"])
def test_a_change_is_validated_as_an_update(git: Git, tmp_path: Path, how: str) -> None:
    (tmp_path / "jobs/one.yaml").write_text(named("one", CHANGED))
    if how != "in the working tree":
        git("add", "--all")
    if how == "committed":
        git("commit", "--quiet", "--message=A newer image")
    ((file, (status, messages)),) = validated(tmp_path).items()
    assert (file, status) == ("jobs/one.yaml", "invalid")
    assert messages[0].endswith(IMMUTABLE)


@pytest.mark.slow
@pytest.mark.parametrize("report", ["text", "concise", "github", "junit"])
def test_reports_for_people_leave_out_the_value_of_an_immutable_field(
    report: str, git: Git, tmp_path: Path
) -> None:
    (tmp_path / "jobs" / "one.yaml").write_text(named("one", CHANGED))
    out = run("validate", "--git-ref", "main", "-o", report, folder=tmp_path).stdout
    assert "Invalid value: {…}: field is immutable" in out
    assert "terminationMessagePolicy" not in out


def test_a_change_that_an_update_may_make_is_valid(git: Git, tmp_path: Path) -> None:
    mutable = named("one").replace("spec:\n", "spec:\n  activeDeadlineSeconds: 60\n", 1)
    (tmp_path / "jobs/one.yaml").write_text(mutable)
    assert validated(tmp_path) == {"jobs/one.yaml": ("valid", [])}


@pytest.mark.slow
def test_new_files_are_validated_as_new_whether_git_knows_them_or_not(
    git: Git, tmp_path: Path
) -> None:
    (tmp_path / "jobs/four.yaml").write_text(named("four"))
    git("add", "--all")
    (tmp_path / "jobs/five.yaml").write_text(named("five", BAD))
    (tmp_path / "notes.txt").write_text("kind: Job")
    (tmp_path / ".gitignore").write_text("*.generated.yaml\n")
    (tmp_path / "six.generated.yaml").write_text(BAD)
    found = validated(tmp_path)
    assert {file: status for file, (status, _) in found.items()} == {
        "jobs/five.yaml": "invalid",
        "jobs/four.yaml": "valid",
    }


@pytest.mark.slow
def test_a_moved_manifest_is_an_update_of_what_it_was(git: Git, tmp_path: Path) -> None:
    git("mv", "jobs/one.yaml", "first.yaml")
    (tmp_path / "first.yaml").write_text(named("one", CHANGED))
    found = validated(tmp_path)
    assert list(found) == ["first.yaml"]
    assert found["first.yaml"][1][0].endswith(IMMUTABLE)


@pytest.mark.slow
def test_a_manifest_moved_into_another_file_is_an_update_of_what_it_was(
    git: Git, tmp_path: Path
) -> None:
    git("rm", "--quiet", "jobs/one.yaml")
    (tmp_path / "jobs/two.yaml").write_text(f"{named('two')}---\n{named('one', CHANGED)}")
    done = run("validate", "--git-ref", "main", "-o", "json", folder=tmp_path)
    statuses = {result["name"]: result["status"] for result in json.loads(done.stdout)["results"]}
    assert statuses == {"two": "valid", "one": "invalid"}


@pytest.mark.slow
def test_a_moved_manifest_with_two_earlier_versions_has_a_note(git: Git, tmp_path: Path) -> None:
    for name, text in (("copy", GOOD), ("other", GOOD.replace("1.36", "1.30"))):
        (tmp_path / f"{name}.yaml").write_text(named("one", text))
    git("add", "--all")
    git("commit", "--quiet", "--message=Copies")
    git("branch", "--force", "main")
    git("mv", "jobs/one.yaml", "first.yaml")
    (tmp_path / "first.yaml").write_text(named("one", CHANGED))
    note = "Job one: several files of main had a different object of this name"
    git("rm", "--quiet", "copy.yaml")  # it is the same
    done = run("validate", "--git-ref", "main", folder=tmp_path)
    assert done.returncode == 1
    assert note not in done.stderr
    git("rm", "--quiet", "other.yaml")
    done = run("validate", "--git-ref", "main", folder=tmp_path)
    assert done.returncode == 0
    assert note in " ".join(done.stderr.split())


@pytest.mark.slow
def test_a_deleted_manifest_is_not_validated(git: Git, tmp_path: Path) -> None:
    git("rm", "--quiet", "jobs/one.yaml")
    assert validated(tmp_path) == {}
    assert validated(tmp_path, "jobs/one.yaml") == {}


@pytest.mark.slow
def test_overlays_with_one_name_are_not_taken_for_each_other(git: Git, tmp_path: Path) -> None:
    for place in ("test", "live"):
        (tmp_path / place).mkdir()
    (tmp_path / "test/one.yaml").write_text(named("one", CHANGED))
    (tmp_path / "live/one.yaml").write_text(named("one", CHANGED.replace("1.37", "1.38")))
    assert {status for status, _ in validated(tmp_path).values()} == {"valid"}
    git("add", "--all")
    git("commit", "--quiet", "--message=Overlays")
    git("branch", "--force", "main")
    (tmp_path / "test/one.yaml").write_text(
        named("one", CHANGED).replace("spec:\n", "spec:\n  activeDeadlineSeconds: 60\n", 1)
    )
    (tmp_path / "jobs/one.yaml").write_text(named("one", CHANGED))
    assert {file: status for file, (status, _) in validated(tmp_path).items()} == {
        "jobs/one.yaml": "invalid",
        "test/one.yaml": "valid",
    }


@pytest.mark.slow
def test_an_object_invalid_before_is_fixed_as_if_it_were_new(git: Git, tmp_path: Path) -> None:
    (tmp_path / "jobs/one.yaml").write_text(named("one").replace("Never", "Always"))
    git("commit", "--quiet", "--all", "--message=Broken")
    git("branch", "--force", "main")
    (tmp_path / "jobs/one.yaml").write_text(named("one"))
    assert validated(tmp_path) == {"jobs/one.yaml": ("valid", [])}


@pytest.mark.slow
def test_changes_of_others_meanwhile_are_not_changes_of_the_branch(
    git: Git, tmp_path: Path
) -> None:
    git("checkout", "--quiet", "main")
    (tmp_path / "jobs/two.yaml").write_text(named("two", CHANGED))
    (tmp_path / "jobs/three.yaml").write_text(named("three", CHANGED))
    git("commit", "--quiet", "--all", "--message=Others")
    git("checkout", "--quiet", "work")
    (tmp_path / "jobs/one.yaml").write_text(named("one", CHANGED))
    (tmp_path / "jobs/three.yaml").write_text(named("three", CHANGED))
    git("commit", "--quiet", "--all", "--message=Ours")
    assert list(validated(tmp_path)) == ["jobs/one.yaml"]


@pytest.mark.slow
def test_a_history_with_nothing_in_common_is_compared_as_it_is(git: Git, tmp_path: Path) -> None:
    git("checkout", "--quiet", "--orphan", "other")
    (tmp_path / "jobs/one.yaml").write_text(named("one", CHANGED))
    git("commit", "--quiet", "--all", "--message=A shallow clone")
    assert list(validated(tmp_path)) == ["jobs/one.yaml"]


@pytest.mark.slow
def test_paths_narrow_it_and_are_found_from_any_folder(git: Git, tmp_path: Path) -> None:
    (tmp_path / "deep/er").mkdir(parents=True)
    for file in ("jobs/one.yaml", "jobs/two.yaml", "deep/er/four.yaml", "deep/.five/five.yaml"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text(
            named(Path(file).stem).replace("spec:\n", "spec:\n  suspend: true\n", 1)
        )
    (tmp_path / "deep/job").write_text(named("six"))
    assert list(validated(tmp_path)) == ["deep/er/four.yaml", "jobs/one.yaml", "jobs/two.yaml"]
    assert list(validated(tmp_path, "deep", "jobs/two.yaml")) == [
        "deep/er/four.yaml",
        "jobs/two.yaml",
    ]
    assert list(validated(tmp_path, "deep/.five", "deep/job")) == [
        "deep/.five/five.yaml",
        "deep/job",
    ]
    assert list(validated(tmp_path / "deep")) == [
        "er/four.yaml",
        "../jobs/one.yaml",
        "../jobs/two.yaml",
    ]
    assert list(validated(tmp_path / "deep", ".")) == ["er/four.yaml"]
    assert list(validated(tmp_path / "deep", "../jobs")) == ["../jobs/one.yaml", "../jobs/two.yaml"]
    assert list(validated(tmp_path / "deep", str(tmp_path / "jobs"))) == [
        "../jobs/one.yaml",
        "../jobs/two.yaml",
    ]


@pytest.mark.slow
def test_names_may_have_spaces_and_any_letters(git: Git, tmp_path: Path) -> None:
    for name in ("a job.yaml", "tägliche Arbeit.yaml", "-.yaml", "a\tb.yaml"):
        (tmp_path / name).write_text(named("one", CHANGED))
    git("add", "--all")
    assert set(validated(tmp_path)) == {"a job.yaml", "tägliche Arbeit.yaml", "-.yaml", "a\tb.yaml"}


@pytest.mark.slow
def test_an_old_text_that_cannot_be_read_is_no_matter(git: Git, tmp_path: Path) -> None:
    (tmp_path / "jobs/one.yaml").write_text("{{ if .Values.x }}\nkind: Job\n{{ end }}\n")
    (tmp_path / "jobs/two.yaml").write_bytes(b"kind: Job \xff")
    git("commit", "--quiet", "--all", "--message=Broken")
    git("branch", "--force", "main")
    for name in ("one", "two"):
        (tmp_path / f"jobs/{name}.yaml").write_text(named(name, CHANGED))
    assert {status for status, _ in validated(tmp_path).values()} == {"valid"}


@pytest.mark.slow
def test_other_kinds_are_skipped(git: Git, tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text(OTHER)
    assert validated(tmp_path) == {"settings.yaml": ("skipped", [])}


@pytest.mark.slow
def test_links_and_repositories_within_are_no_manifests(git: Git, tmp_path: Path) -> None:
    (tmp_path / "link.yaml").symlink_to("jobs/one.yaml")
    git("add", "--all")
    assert validated(tmp_path) == {"link.yaml": ("valid", [])}


@pytest.mark.slow
def test_a_missing_path_is_reported(git: Git, tmp_path: Path) -> None:
    done = run("validate", "--git-ref", "main", "missing.yaml", folder=tmp_path)
    assert done.returncode == 2
    assert "missing.yaml: error" in done.stdout
    assert "no such file or folder; check the path" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nonsense"], 'this repository has no commit "nonsense"; fetch it first'),
        (["--output=x"], 'this repository has no commit "--output=x"'),
        (["main", "--against", "jobs"], "--git-ref and --against exclude each other"),
        (["main", "-"], "cannot be used with - (standard input)"),
        (["main", ".."], "--git-ref: .. is not in the repository"),
    ],
)
def test_a_ref_that_cannot_be_compared_is_reported(
    git: Git, tmp_path: Path, arguments: list[str], complaint: str
) -> None:
    done = run("validate", "--git-ref", *arguments, folder=tmp_path)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr


def test_running_outside_of_a_repository_is_reported(tmp_path: Path) -> None:
    done = run(
        "validate",
        "--git-ref",
        "main",
        folder=tmp_path,
        GIT_CEILING_DIRECTORIES=str(tmp_path.parent),
    )
    assert done.returncode == 2
    assert "--git-ref: this folder is not in a git repository" in done.stderr


def test_a_missing_git_command_is_reported(tmp_path: Path) -> None:
    done = run("validate", "--git-ref", "main", folder=tmp_path, PATH=str(tmp_path))
    assert done.returncode == 2
    assert "requires the git command, which is not on the PATH; install git" in done.stderr


def test_without_it_and_without_paths_the_current_folder_is_validated(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(named("job"))
    assert run("validate", folder=tmp_path).stderr.startswith("1 object in 1 file; 1 valid")


@pytest.mark.slow
def test_many_files_are_compared_in_other_processes_too(git: Git, tmp_path: Path) -> None:
    for number in range(70):
        (tmp_path / f"{number:02}.yaml").write_text(named(f"job-{number}"))
    git("add", "--all")
    git("commit", "--quiet", "--message=Many")
    git("branch", "--force", "main")
    for number in range(70):
        (tmp_path / f"{number:02}.yaml").write_text(named(f"job-{number}", CHANGED))
    found = validated(tmp_path, "--jobs", "2")
    assert len(found) == 70
    assert {status for status, _ in found.values()} == {"invalid"}


@pytest.mark.slow
@pytest.mark.parametrize("ref", ["^HEAD", "^main", "HEAD@{2000-01-01}", "--all"])
def test_a_ref_that_is_no_commit_is_an_error(git: Git, tmp_path: Path, ref: str) -> None:
    done = run("validate", "--git-ref", ref, folder=tmp_path)
    assert done.returncode == 2
    assert f'this repository has no commit "{ref}"' in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {"core.fsmonitor": "touch ran;"},
        {"filter.evil.clean": "touch ran; cat"},
        {"filter.evil.clean": "touch ran; cat", "filter.evil.required": "true"},
        {"filter.evil.process": "touch ran; cat"},
        {"include.path": "../included"},
    ],
    ids=" ".join,
)
def test_no_program_of_the_repositorys_configuration_is_run(
    git: Git, tmp_path: Path, settings: dict[str, str]
) -> None:
    (tmp_path / "included").write_text('[filter "evil"]\n\tclean = "touch ran; cat"\n')
    (tmp_path / ".gitattributes").write_text("*.yaml filter=evil\n")
    for name, value in settings.items():
        git("config", name, value)
    for hook in ("post-index-change", "post-checkout"):
        (tmp_path / ".git" / "hooks").mkdir(exist_ok=True)
        (tmp_path / ".git" / "hooks" / hook).write_text("#!/bin/sh\ntouch ran\n")
        (tmp_path / ".git" / "hooks" / hook).chmod(0o755)
    (tmp_path / "jobs" / "one.yaml").write_text(named("one", CHANGED))
    assert [message for _, (_, all_of) in validated(tmp_path).items() for message in all_of]
    assert not list(tmp_path.rglob("ran"))


@pytest.mark.slow
def test_a_filter_of_the_user_is_kept(
    git: Git, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "own"
    own.write_text('[filter "upper"]\n\tclean = "sed s/1.37/1.36/"\n')
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    (tmp_path / ".gitattributes").write_text("*.yaml filter=upper\n")
    (tmp_path / "jobs" / "one.yaml").write_text(named("one", CHANGED))
    assert validated(tmp_path) == {}
