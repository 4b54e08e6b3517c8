"""`.ci/release.py`: cut a release in a copy of the files, and look at what it wrote."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from jobsworth.cli.click_application import COMMANDS
from support.artifacts.release_script import release

ROOT = Path(__file__).parents[2]
SHA = "0123456789abcdef0123456789abcdef01234567"


FILES = {release.PACKAGE, release.CHART, release.CHANGELOG, *release.DOCUMENTED}
CHANGELOG = """\
# Changelog

## Unreleased

### Added

- `jobsworth new`: a command.

### Upgrade notes

Set `new: true`.
"""


@pytest.fixture
def project(tmp_path: Path) -> release.Project:
    """The files in which a release is named, before the first release."""
    for path in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    project = release.Project(tmp_path)
    for path in release.DOCUMENTED:
        text = release.ACTION.sub(
            rf"\g<1>{SHA}", release.HOOK.sub(rf"\g<1>{SHA}", project.read(path))
        )
        project.write(path, text)
    project.write(release.CHANGELOG, CHANGELOG)
    project.document()
    return project


def test_the_documentation_of_this_clone_shows_its_newest_release_or_a_commit() -> None:
    here = release.Project(ROOT)
    for path in release.DOCUMENTED:
        assert here.documented(path) == here.read(path), "renew it: .ci/release.py commit SHA"


def test_the_changelog_of_this_clone_is_ready_for_a_release(project: release.Project) -> None:
    project.write(release.CHANGELOG, (ROOT / release.CHANGELOG).read_text())
    release.prepare(project, "99.0.0", "2027-01-31")
    release.check(project, "v99.0.0")


@pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="this is not a clone"
)
def test_the_commit_that_is_shown_has_the_hook_and_the_action() -> None:
    commit = release.Project(ROOT).commit
    if commit is None:
        pytest.skip("a release exists")
    known = ["git", "cat-file", "-e", f"{commit}^{{commit}}"]
    if subprocess.run(known, cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("this clone is shallow")
    for path in (".pre-commit-hooks.yaml", "action.yml", "pyproject.toml", "Containerfile"):
        subprocess.run(["git", "cat-file", "-e", f"{commit}:{path}"], cwd=ROOT, check=True)


COMMAND = re.compile(r"(?:^|[|&;] |\$ |uvx .*@\S+ )jobsworth ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?")
"""A command in a shell block, with its first two words."""
BLOCK = re.compile(r"^```(.*?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SHELLS = ("", "bash", "console", "sh", "shell")


def documented_commands() -> list[str]:
    """Return the commands in the shell blocks of the README and of ``docs``: ``validate``, ``policy check``."""
    found = set()
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for language, block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines() if language in SHELLS else ():
                for first, second in COMMAND.findall(line):
                    is_group = any(name.startswith(f"{first} ") for name in COMMANDS)
                    found.add(f"{first} {second}" if is_group else first)
    return sorted(found)


def test_the_commands_of_the_documentation_are_found() -> None:
    assert {"validate", "simulate", "why", "policy check", "serve"} <= set(documented_commands())


@pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="this is not a clone"
)
@pytest.mark.slow
def test_the_commit_that_is_shown_has_every_documented_command(tmp_path: Path) -> None:
    commit = release.Project(ROOT).commit
    if commit is None:
        pytest.skip("a release exists")
    archive = tmp_path / "commit.tar"
    command = ["git", "archive", "--output", str(archive), commit, "webhook"]
    if subprocess.run(command, cwd=ROOT, capture_output=True, check=False).returncode:
        pytest.skip("this clone is shallow")
    shutil.unpack_archive(archive, tmp_path)

    def has(words: str) -> bool:
        command = [sys.executable, "-m", "jobsworth", *words.split(), "--help"]
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / "webhook")}
        shown = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, check=False
        )
        return shown.returncode == 0

    missing = [words for words in documented_commands() if not has(words)]
    assert missing == [], "the documentation names an older commit: .ci/release.py commit SHA"


def test_before_the_first_release_nothing_names_what_is_not_there(project: release.Project) -> None:
    text = "".join(project.read(path) for path in release.DOCUMENTED)
    assert f"uvx --from git+{release.REPOSITORY}@{SHA}" in text
    assert f"jobsworth/jobsworth@{SHA}" in text
    assert f"    - pip install 'jobsworth[policy] @ git+{release.REPOSITORY}@{SHA}'" in text
    assert "No release exists yet" in text
    assert not re.search(r"jobsworth@v\d|rev: v\d|ghcr\.io|oci://", text)


def test_a_release_is_the_same_in_every_file(project: release.Project) -> None:
    release.prepare(project, "0.2.0", "2027-01-31")
    assert project.version == "0.2.0"
    assert project.newest_release == "0.2.0"
    assert "version: 0.2.0\nappVersion: 0.2.0\n" in project.read(release.CHART)
    release.check(project, "v0.2.0")


def test_a_release_switches_the_documentation_to_the_tag(project: release.Project) -> None:
    release.prepare(project, "0.2.0", "2027-01-31")
    text = "".join(project.read(path) for path in release.DOCUMENTED)
    for shown in (
        "rev: v0.2.0", "jobsworth/jobsworth@v0.2.0", "uvx jobsworth@0.2.0", "    - pip install 'jobsworth[policy]==0.2.0'", "ghcr.io/jobsworth/jobsworth:0.2.0",
        "oci://ghcr.io/jobsworth/charts/jobsworth --version 0.2.0",
    ):  # fmt: skip
        assert shown in text
    assert SHA not in text
    assert "No release exists yet" not in text


def test_the_changelog_gets_a_dated_heading_and_a_new_empty_one(project: release.Project) -> None:
    release.prepare(project, "0.2.0", "2027-01-31")
    text = project.read(release.CHANGELOG)
    assert text.startswith(
        "# Changelog\n\n## Unreleased\n\n### Upgrade notes\n\nNone.\n\n## 0.2.0 - 2027-01-31\n\n### Added\n"
    )


def test_the_notes_of_a_release_begin_with_what_users_must_do(project: release.Project) -> None:
    release.prepare(project, "0.2.0", "2027-01-31")
    release.prepare(project, "0.3.0", "2027-02-28")
    assert release.notes(project, "0.3.0") == "### Upgrade notes\n\nNone.\n"
    assert release.notes(project, "0.2.0") == (
        "### Upgrade notes\n\nSet `new: true`.\n\n### Added\n\n- `jobsworth new`: a command.\n"
    )


def test_between_releases_the_documentation_shows_the_newest_one(project: release.Project) -> None:
    release.prepare(project, "0.2.0", "2027-01-31")
    released = [project.read(path) for path in release.DOCUMENTED]
    release.develop(project, "0.3.0")
    project.document()
    assert project.version == "0.3.0.dev0"
    assert "version: 0.3.0-dev.0\n" in project.read(release.CHART)
    assert [project.read(path) for path in release.DOCUMENTED] == released


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("v0.2.0", '"v0.2.0" is not a version'),
        ("0.2", '"0.2" is not a version'),
        ("0.1.0", "not newer than 0.1.0"),
        ("0.0.9", "not newer than 0.1.0"),
    ],
)
def test_a_version_that_is_not_newer_is_refused(
    project: release.Project, version: str, why: str
) -> None:
    release.prepare(project, "0.1.0", "2027-01-31")
    with pytest.raises(release.Refused, match=re.escape(why)):
        release.prepare(project, version, "2027-02-28")


def test_a_changelog_without_upgrade_notes_is_refused(project: release.Project) -> None:
    project.write(release.CHANGELOG, CHANGELOG.replace("### Upgrade notes", "### Changed"))
    with pytest.raises(release.Refused, match="what users must do"):
        release.prepare(project, "0.2.0", "2027-01-31")


def test_a_tag_that_names_another_version_is_refused(project: release.Project) -> None:
    release.prepare(project, "0.2.0", "2027-01-31")
    with pytest.raises(
        release.Refused, match=re.escape("tag v0.3.0: webhook/jobsworth/__init__.py has 0.2.0")
    ):
        release.check(project, "v0.3.0")
    project.write(
        release.CHART, project.read(release.CHART).replace("appVersion: 0.2.0", "appVersion: 0.1.0")
    )
    with pytest.raises(release.Refused, match=re.escape("Chart.yaml (appVersion) has 0.1.0")):
        release.check(project, "v0.2.0")
