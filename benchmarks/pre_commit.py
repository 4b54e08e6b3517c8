"""Measure a commit of one manifest with jobsworth as a pre-commit hook, after its environment is built.

    python benchmarks/pre_commit.py [--runs 21]

This requires git, and a package index for the environment; pre-commit is that of this interpreter. The
commands take turns, so that other load on the machine affects all of them. The output is the median of each
in milliseconds:

- `git commit`, no hook: only the commit;
- `git commit`, an empty hook: pre-commit itself, with a hook that does nothing;
- `git commit`: the same with jobsworth-validate as the hook;
- `pre-commit run`: on the staged manifest, without the commit;
- the hook's own run: the command that pre-commit starts, on the manifest.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
EMPTY = """\
repo: local
    hooks:
      - {id: empty, name: empty, entry: "true", language: system, types: [yaml]}"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--file", default=str(ROOT / "examples/valid/ml-training.yaml"))
    parser.add_argument("--runs", type=int, default=21)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), Path(options.file).read_text(), options.runs)


def measure(folder: Path, manifest: str, runs: int) -> None:
    who = {"NAME": "Somebody", "EMAIL": "somebody@example.com"}
    os.environ |= {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in who.items()
    }
    os.environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "PRE_COMMIT_HOME": str(folder / "home")}
    tool = folder / "tool"
    for part in (
        ".pre-commit-hooks.yaml",
        "LICENSE",
        "README.md",
        "pyproject.toml",
        "schemas",
        "webhook",
    ):
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        tool.mkdir(exist_ok=True)
        copy(ROOT / part, tool / part)
    revision = commit_all(tool)
    jobsworth = f"repo: {tool}\n    rev: {revision}\n    hooks:\n      - id: jobsworth-validate"
    repositories = {
        name: repository(folder / name, manifest, hook)
        for name, hook in {"none": "", "empty": EMPTY, "jobsworth": jobsworth}.items()
    }
    (command,) = (folder / "home").glob("repo*/py_env-*/bin/jobsworth")
    times: dict[str, list[float]] = {}
    for number in range(runs):
        for name, place in repositories.items():
            (place / "job.yaml").write_text(f"{manifest}# {number}\n")
            run(place, "git", "add", "job.yaml")
            if name == "jobsworth":
                taken(
                    times,
                    "the hook's own run",
                    place,
                    str(command),
                    "validate",
                    "--mixed",
                    "job.yaml",
                )
                taken(times, "pre-commit run", place, sys.executable, "-m", "pre_commit", "run")
            label = {"none": ", no hook", "empty": ", an empty hook"}.get(name, "")
            taken(
                times,
                f"git commit{label}",
                place,
                "git",
                "commit",
                "--quiet",
                "-m",
                f"Change {number}",
            )
    for name, each in times.items():
        print(f"{name:26} {statistics.median(each):7.1f} ms  (slowest {max(each):.1f})")


def repository(place: Path, manifest: str, hook: str) -> Path:
    place.mkdir()
    (place / "job.yaml").write_text(manifest)
    (place / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - {hook}\n" if hook else "repos: []\n"
    )
    commit_all(place)
    if hook:
        run(place, sys.executable, "-m", "pre_commit", "install", "--install-hooks")
    return place


def commit_all(place: Path) -> str:
    run(place, "git", "init", "--quiet")
    run(place, "git", "add", "--all")
    run(place, "git", "commit", "--quiet", "-m", "Initial commit")
    return run(place, "git", "rev-parse", "HEAD").strip()


def taken(times: dict[str, list[float]], label: str, place: Path, *command: str) -> None:
    began = time.perf_counter()
    run(place, *command)
    times.setdefault(label, []).append((time.perf_counter() - began) * 1000)


def run(place: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
