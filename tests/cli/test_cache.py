"""The cache: the same reports from less work, whatever has changed, and whoever wrote it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobsworth.cli import file_runs
from jobsworth.cli.caching import cache_file
from jobsworth.cli.caching.stored_results import ResultReader, plain_results
from jobsworth.cli.configuration.resolved_settings import Configurations, Overrides
from jobsworth.cli.file_evaluation import FileEvaluator
from jobsworth.cli.file_runs import FILES_FOR_ONE_PROCESS
from support.cli.command_runs import Command, CommandResult, Validate
from support.cli.evaluated_files import watch_evaluated_files

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").rglob("*.yaml"))
GOOD = (ROOT / "examples/valid/ml-training.yaml").read_text()
BAD = (ROOT / "examples/invalid/max-failed-indexes-alone.yaml").read_text()
ENOUGH = 4
"""Files that need a cache in these tests: fewer than for users, to save time."""
FILES = {f"{number:03}.yaml": GOOD for number in range(ENOUGH)}
MANY = {f"{number:03}.yaml": GOOD for number in range(FILES_FOR_ONE_PROCESS)}


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give each test a user of its own, with a key of its own."""
    home = tmp_path.parent / f"{tmp_path.name}-home"
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    return home


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were evaluated."""
    return watch_evaluated_files(monkeypatch)


@pytest.fixture
def run(
    validate: Validate, evaluated: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Validate:
    """Validate enough good files for a cache, and one with an error."""
    monkeypatch.setattr(file_runs, "FILES_FOR_ONE_PROCESS", ENOUGH)
    folder = tmp_path / "manifests"
    folder.mkdir()
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "job.yaml").write_text(BAD)

    def run(*arguments: str, files: dict[str, str] | None = None) -> CommandResult:
        evaluated.clear()
        return validate("--jobs", "1", *arguments, "manifests", files=files)

    return run


def write_many(folder: Path) -> None:
    """Write files enough for a cache outside of this process, and for several batches."""
    for name, text in MANY.items():
        (folder / name).write_text(text)


def test_unchanged_files_are_not_evaluated_again(run: Validate, evaluated: list[str]) -> None:
    first = run()
    assert len(evaluated) == len(FILES) + 1
    assert run() == first
    assert evaluated == []
    assert first.code == 1


def test_files_without_a_job_are_neither_kept_nor_evaluated_again(
    run: Validate, evaluated: list[str], tmp_path: Path
) -> None:
    (tmp_path / "manifests/api.yaml").write_text("kind: Deployment\napiVersion: apps/v1\n")
    first = run("--mixed")
    assert "api.yaml" in "".join(evaluated)
    (stored,) = (tmp_path / cache_file.FOLDER).glob("*.results")
    assert b"job.yaml" in stored.read_bytes()
    assert b"api.yaml" not in stored.read_bytes()
    assert run("--mixed") == first
    assert evaluated == []
    changed = {"manifests/api.yaml": BAD}
    assert run("--mixed", files=changed).code == 1
    assert evaluated == ["manifests/api.yaml"]


def test_unchanged_files_need_no_evaluator(run: Validate, tmp_path: Path) -> None:
    write_many(tmp_path / "manifests")
    run()
    program = (
        "import sys, jobsworth.cli\n"
        "jobsworth.cli.run(['validate', 'manifests'])\n"
        "print(*(name for name in sys.modules if name.endswith(('.evaluator', '.engine', '.linter'))), file=sys.stderr)"
    )
    command = [sys.executable, "-c", program]
    path = os.pathsep.join(
        [str(ROOT / "webhook"), *sys.path[1:]]
    )  # the same files, or another cache
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
    )
    assert done.stderr.splitlines()[-1] == ""


def test_without_the_cache_all_are_evaluated_and_nothing_is_written(
    run: Validate, evaluated: list[str], tmp_path: Path
) -> None:
    run("--no-cache")
    assert not (tmp_path / cache_file.FOLDER).exists()
    run()
    run("--no-cache")
    assert len(evaluated) == len(FILES) + 1


def test_few_files_need_no_cache(validate: Validate, tmp_path: Path) -> None:
    validate("job.yaml", files={"job.yaml": BAD})
    assert not (tmp_path / cache_file.FOLDER).exists()


def test_a_changed_file_is_evaluated_again(run: Validate, evaluated: list[str]) -> None:
    run()
    done = run(files={"manifests/job.yaml": GOOD})
    assert evaluated == ["manifests/job.yaml"]
    assert done.code == 0


CHANGES = {
    "the configuration": ((), {".jobsworth.yaml": "select: [JW201]\n"}),
    "an ignored code": ((), {".jobsworth.yaml": "per-file-ignores:\n  '*.yaml': [JW201]\n"}),
    "the release": (("--kubernetes-version", "1.28"), {}),
    "a gate": (("--feature-gates", "JobSuccessPolicy=false", "--kubernetes-version", "1.31"), {}),
    "the threshold": (("--fail-on", "warning"), {}),
    "the namespace": (("--namespace", "other"), {}),
    "a profile": (("--profile", "strict"), {}),
    "the format": (("--output", "sarif"), {}),
    "quiet": (("--quiet",), {}),
    "info": (("--info",), {}),
    "mixed": (("--mixed",), {}),
    "a Chainsaw test": ((), {"manifests/chainsaw-test.yaml": "kind: Test\n"}),
    "a kustomization": ((), {"manifests/kustomization.yaml": "patches: [{path: job.yaml}]\n"}),
}


@pytest.mark.parametrize(("options", "files"), CHANGES.values(), ids=CHANGES)
def test_what_else_the_results_depend_on_is_noticed(
    run: Validate, options: tuple[str, ...], files: dict[str, str]
) -> None:
    run()
    changed = run(*options, files=files)
    again = run(*options)
    assert changed == again == run(*options, "--no-cache")


def test_a_changed_policy_is_noticed(run: Validate, evaluated: list[str]) -> None:
    policy = (ROOT / "policies/ml-training.yaml").read_text()
    first = run("--policy", "policy.yaml", files={"policy.yaml": policy})
    assert run("--policy", "policy.yaml") == first
    assert evaluated == []
    run(
        "--policy",
        "policy.yaml",
        files={"policy.yaml": policy.replace("spec:", "spec:\n  priority: 7", 1)},
    )
    assert len(evaluated) == len(FILES) + 1


SLOW = ("concise", "sarif", "junit", "github")
"""Reports whose tests take seconds and show nothing that those of text and JSON do not show."""


@pytest.mark.parametrize(
    "format", ["text", "json", *(pytest.param(name, marks=pytest.mark.slow) for name in SLOW)]
)
def test_every_report_is_the_same(validate: Validate, format: str) -> None:
    paths = [*map(str, EXAMPLES), "."]
    options = ("--output", format, "--info", "--jobs", "1")
    first = validate(*options, *paths, files=MANY)
    assert validate(*options, *paths) == first == validate(*options, "--no-cache", *paths)


def test_several_processes_fill_it_alike(
    run: Validate, evaluated: list[str], validate: Validate, tmp_path: Path
) -> None:
    write_many(tmp_path / "manifests")
    first = validate("--jobs", "2", "manifests")
    evaluated.clear()
    assert run() == first
    assert evaluated == []


def test_stored_results_are_read_back(tmp_path: Path) -> None:
    evaluator = FileEvaluator(Configurations(Overrides()), changes=True)
    for path in EXAMPLES:
        results = evaluator.file(str(path))
        read = ResultReader().results(plain_results(results))
        for one, other in zip(results, read, strict=True):
            for name in one.__slots__:
                assert getattr(one, name) == getattr(other, name) or name in {
                    "withheld",
                    "attempts",
                }
            assert list(one.withheld) == list(other.withheld)


def only_results(tmp_path: Path) -> Path:
    (file,) = (tmp_path / cache_file.FOLDER).glob("*.results")
    return file


def test_a_cache_that_another_user_wrote_is_not_read(
    run: Validate, evaluated: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = run()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path.parent / f"{tmp_path.name}-other"))
    assert run() == first
    assert len(evaluated) == len(FILES) + 1
    run()
    assert evaluated == []


@pytest.mark.parametrize("position", [0, 40, -1])
def test_a_changed_cache_is_not_read(
    run: Validate, evaluated: list[str], tmp_path: Path, position: int
) -> None:
    first = run()
    file = only_results(tmp_path)
    data = bytearray(file.read_bytes())
    data[position] ^= 1
    file.write_bytes(data)
    assert run() == first
    assert len(evaluated) == len(FILES) + 1


@pytest.mark.parametrize("content", [b"", b"x" * 31, b"x" * 500])
def test_garbage_is_not_read(run: Validate, tmp_path: Path, content: bytes) -> None:
    first = run()
    only_results(tmp_path).write_bytes(content)
    assert run() == first


def test_the_results_of_other_options_are_not_taken_for_these(
    run: Validate, tmp_path: Path
) -> None:
    run()
    plain = only_results(tmp_path)
    run("--quiet")
    (quiet,) = set((tmp_path / cache_file.FOLDER).glob("*.results")) - {plain}
    quiet.write_bytes(plain.read_bytes())
    assert run("--quiet") == run("--quiet", "--no-cache")


@pytest.mark.skipif(os.name == "nt", reason="requires symbolic links and pipes")
def test_links_and_pipes_in_its_place_are_left_alone(run: Validate, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    folder = tmp_path / cache_file.FOLDER
    folder.symlink_to(elsewhere)
    first = run()
    assert list(elsewhere.iterdir()) == []
    folder.unlink()
    assert run() == first
    file = only_results(tmp_path)
    file.unlink()
    os.mkfifo(file)
    assert run() == first
    file.unlink()
    target = tmp_path / "precious"
    target.write_text("precious")
    file.symlink_to(target)
    assert run() == first
    assert target.read_text() == "precious"


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_is_no_error(run: Validate, tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        assert run().code == 1
    finally:
        tmp_path.chmod(0o700)


@pytest.mark.skipif(os.name == "nt", reason="access rights of POSIX")
def test_a_key_that_others_can_read_is_replaced(run: Validate, home: Path) -> None:
    run()
    key = home / "jobsworth" / "cache-key"
    before = key.read_bytes()
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    run()
    assert key.read_bytes() != before
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_key_in_the_repository_is_not_used(
    run: Validate, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its authors may know it: a CI job can keep XDG_CACHE_HOME in the checkout."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / ".cache"))
    run()
    assert not (tmp_path / cache_file.FOLDER).exists()


def test_a_home_without_a_place_for_the_key_is_no_error(
    run: Validate, monkeypatch: pytest.MonkeyPatch, evaluated: list[str], tmp_path: Path
) -> None:
    file = tmp_path.parent / f"{tmp_path.name}-file"
    file.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(file))
    first = run()
    assert run() == first
    assert len(evaluated) == len(FILES) + 1


def test_git_and_backups_ignore_it(run: Validate, tmp_path: Path) -> None:
    run()
    folder = tmp_path / cache_file.FOLDER
    assert (folder / ".gitignore").read_text() == "*\n"
    assert (
        (folder / "CACHEDIR.TAG")
        .read_text()
        .startswith("Signature: 8a477f597d28d172789f06886806bc55")
    )


def test_it_is_in_the_root_of_the_repository(
    run: Validate, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, validate: Validate
) -> None:
    (tmp_path / ".git").mkdir()
    run()
    assert (tmp_path / cache_file.FOLDER).is_dir()
    assert not (tmp_path / "manifests" / cache_file.FOLDER).exists()


def test_concurrent_runs_leave_a_readable_cache(
    run: Validate, tmp_path: Path, evaluated: list[str]
) -> None:
    command = [sys.executable, "-m", "jobsworth", "validate", "--jobs", "1", "manifests"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "webhook")}
    write_many(tmp_path / "manifests")
    running = [
        subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=-3, stderr=-3)
        for _ in range(4)
    ]
    assert {each.wait() for each in running} == {1}
    run()
    assert evaluated == []
    assert not list((tmp_path / cache_file.FOLDER).glob("*.results.*"))


def test_clean_deletes_it(run: Validate, command: Command, tmp_path: Path) -> None:
    run()
    assert command("cache", "clean").code == 0
    assert not (tmp_path / cache_file.FOLDER).exists()
    assert command("cache", "clean") == CommandResult(0, "", "nothing to delete\n")


def test_clean_deletes_nothing_else(run: Validate, tmp_path: Path) -> None:
    run()
    precious = tmp_path / cache_file.FOLDER / "precious"
    precious.write_text("")
    with pytest.raises(OSError, match="not empty"):
        cache_file.remove(str(tmp_path / cache_file.FOLDER))
    assert precious.exists()
