#!/usr/bin/env python3
"""Cut a release: version, changelog, chart, and the commands that the documentation shows.

    .ci/release.py prepare 0.1.0     # edit the files for the release, and print the commands that publish it
    .ci/release.py develop 0.2.0     # after it: the next version, in development
    .ci/release.py check v0.1.0      # in the release workflow: the tag names the version of every file
    .ci/release.py notes 0.1.0       # the release's part of the changelog, upgrade notes first
    .ci/release.py commit SHA        # before the first release: the commit that the documentation names

The version stands in webhook/jobsworth/__init__.py; this script copies it to the chart. The newest release is the
first one of CHANGELOG.md. Until there is one, the documentation shows what works without: a commit, and an image of
one's own.
"""

from __future__ import annotations

import argparse
import datetime
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "webhook/jobsworth/__init__.py"
CHART = "charts/jobsworth/Chart.yaml"
CHANGELOG = "CHANGELOG.md"
DOCUMENTED = ("README.md", "charts/jobsworth/README.md", "docs/ci.md", "docs/policy.md")
HOOK_PAGE = "docs/ci.md"
REPOSITORY = "https://github.com/jobsworth/jobsworth"
IMAGE = "ghcr.io/jobsworth/jobsworth"
CHART_IMAGE = "ghcr.io/jobsworth/charts/jobsworth"
WORKFLOW = rf"^{REPOSITORY}/\.github/workflows/release\.yml@refs/tags/v"

RELEASE = re.compile(r"\d+\.\d+\.\d+")
COMMIT = re.compile(r"[0-9a-f]{40}")
UNRELEASED = "## Unreleased\n"
UPGRADE_NOTES = "### Upgrade notes\n"
HEADING = re.compile(r"^## (\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)
VERSION = re.compile(r'^__version__ = "(.+)"$', re.MULTILINE)
CHART_VERSION = re.compile(r"^(version|appVersion): (.+)$", re.MULTILINE)
HOOK = re.compile(rf"(- repo: {REPOSITORY}\n +rev: )(\S+)")
ACTION = re.compile(r"(- uses: jobsworth/jobsworth@)(\S+)")
PIP = re.compile(rf"(pip install 'jobsworth(?:\[\w+\])?)(?: @ git\+{REPOSITORY}@|==)[^']+(')")
INSTALLATION = re.compile(
    r"(<!-- installation: \.ci/release\.py writes it -->\n)(.*?)(<!-- end of installation -->)",
    re.DOTALL,
)

BEFORE_A_RELEASE = {
    "README.md": """\
No release exists yet. Until the first, install a commit; each command works without a clone, except those for the image and
the chart:

```
uvx --from git+{repository}@{commit} jobsworth validate manifests/
pip install 'jobsworth[policy] @ git+{repository}@{commit}'
buildah bud -t jobsworth . && podman run --rm -v "$PWD/manifests:/manifests:ro" jobsworth validate /manifests
helm install jobsworth charts/jobsworth --set image.repository=registry.example.com/jobsworth --set image.tag=dev
```

The chart needs your own image in a registry that the cluster can read; `docker build -f Containerfile .` builds the same one.
""",
    "charts/jobsworth/README.md": """\
No release exists yet, and no image is published. In a clone, build one, push it to a registry that your cluster reads, and
name it:

    buildah bud -t registry.example.com/jobsworth:dev . && buildah push registry.example.com/jobsworth:dev
    helm install jobsworth charts/jobsworth --namespace jobsworth --create-namespace \\
      --set image.repository=registry.example.com/jobsworth --set image.tag=dev
    helm test jobsworth --namespace jobsworth
""",
}
SINCE_A_RELEASE = {
    "README.md": """\
```
uvx jobsworth@{version} validate manifests/
pip install 'jobsworth[policy]=={version}'
podman run --rm -v "$PWD/manifests:/manifests:ro" {image}:{version} validate /manifests
helm install jobsworth oci://{chart} --version {version}
```

Wheel, sdist, image and chart have attestations of the workflow that built them, and image and chart a signature:

```
gh attestation verify oci://{image}:{version} --repo jobsworth/jobsworth
cosign verify {image}:{version} --certificate-identity-regexp '{workflow}' \\
  --certificate-oidc-issuer https://token.actions.githubusercontent.com
```
""",
    "charts/jobsworth/README.md": """\
    helm install jobsworth oci://{chart} --version {version} --namespace jobsworth --create-namespace
    helm test jobsworth --namespace jobsworth
""",
}


class Refused(Exception):
    """Raised when a release cannot be made; the message names the reason."""


class Project:
    """The files of a clone that name the version.

    Args:
        root: the folder of the clone.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str) -> str:
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        (self.root / path).write_text(text, encoding="utf-8")

    @property
    def version(self) -> str:
        """The version of the package."""
        return _only(VERSION, self.read(PACKAGE), PACKAGE)[1]

    @property
    def newest_release(self) -> str | None:
        """The newest release in the changelog; None before the first."""
        found = HEADING.search(self.read(CHANGELOG))
        return found[1] if found else None

    @property
    def commit(self) -> str | None:
        """The commit that the documentation names; None since the first release."""
        named = _only(HOOK, self.read(HOOK_PAGE), HOOK_PAGE)[2]
        return named if COMMIT.fullmatch(named) else None

    def documented(self, path: str, commit: str | None = None) -> str:
        """Return a page with the commands of the newest release or, before the first, of a commit."""
        released = self.newest_release
        named = commit or self.commit
        text = self.read(path)
        if released is None and named is None:
            raise Refused("no release exists; name a commit: .ci/release.py commit SHA")
        reference = f"v{released}" if released else named
        text = HOOK.sub(rf"\g<1>{reference}", text)
        text = ACTION.sub(rf"\g<1>{reference}", text)
        pinned = f"=={released}" if released else f" @ git+{REPOSITORY}@{named}"
        text = PIP.sub(rf"\g<1>{pinned}\g<2>", text)
        blocks = SINCE_A_RELEASE if released else BEFORE_A_RELEASE
        if path in blocks:
            _only(INSTALLATION, text, path)
            block = blocks[path].format(
                version=released,
                commit=named,
                repository=REPOSITORY,
                image=IMAGE,
                chart=CHART_IMAGE,
                workflow=WORKFLOW,
            )
            text = INSTALLATION.sub(lambda found: found[1] + block + found[3], text)
        return text

    def set_version(self, version: str) -> None:
        """Write a version to the package and the chart."""
        package = self.read(PACKAGE)
        self.write(PACKAGE, VERSION.sub(f'__version__ = "{version}"', package))
        chart = CHART_VERSION.sub(rf"\1: {chart_version(version)}", self.read(CHART))
        self.write(CHART, chart)

    def document(self, commit: str | None = None) -> None:
        """Write the commands to all pages."""
        for path, text in [(path, self.documented(path, commit)) for path in DOCUMENTED]:
            self.write(path, text)


def chart_version(version: str) -> str:
    """Return a version as Helm writes it, by Semantic Versioning.

    >>> chart_version("0.2.0.dev0")
    '0.2.0-dev.0'
    """
    return re.sub(r"\.dev(\d+)$", r"-dev.\1", version)


def prepare(project: Project, version: str, day: str) -> None:
    """Edit the files for a release.

    Raises:
        Refused: the version is none, or not a newer one, or the changelog is not ready.
    """
    _require_newer(project, version)
    changelog = project.read(CHANGELOG)
    if changelog.count(UNRELEASED) != 1:
        raise Refused(f"{CHANGELOG} needs one heading {UNRELEASED.strip()!r}")
    section = _section(changelog, UNRELEASED)
    if UPGRADE_NOTES not in section:
        raise Refused(
            f"{CHANGELOG}: write {UPGRADE_NOTES.strip()!r} below {UNRELEASED.strip()!r}, and there what users "
            "must do; 'None.' if it is nothing"
        )
    heading = f"## {version} - {day}\n"
    empty = f"{UNRELEASED}\n{UPGRADE_NOTES}\nNone.\n\n"
    project.write(CHANGELOG, changelog.replace(UNRELEASED, empty + heading))
    project.set_version(version)
    project.document()


def develop(project: Project, version: str) -> None:
    """Set the version that is in development."""
    _require_newer(project, version)
    project.set_version(f"{version}.dev0")


def check(project: Project, tag: str) -> None:
    """Compare a tag with the files.

    Raises:
        Refused: a file has another version, or the documentation another release.
    """
    version = tag.removeprefix("v")
    named = {
        PACKAGE: project.version,
        CHANGELOG: project.newest_release,
        **{f"{CHART} ({key})": found for key, found in CHART_VERSION.findall(project.read(CHART))},
    }
    wrong = [f"{where} has {found}" for where, found in named.items() if found != version]
    wrong += [
        f"{path} shows another release"
        for path in DOCUMENTED
        if project.documented(path) != project.read(path)
    ]
    if not tag.startswith("v") or wrong:
        raise Refused(
            f"tag {tag}: {'; '.join(wrong) or 'must begin with v'}; run .ci/release.py prepare"
        )


def notes(project: Project, version: str) -> str:
    """Return a release's part of the changelog, upgrade notes first."""
    changelog = project.read(CHANGELOG)
    found = next((each for each in HEADING.finditer(changelog) if each[1] == version), None)
    if found is None:
        raise Refused(f"{CHANGELOG} has no release {version}")
    parts = re.split(r"^(?=### )", _section(changelog, found[0] + "\n"), flags=re.MULTILINE)
    parts.sort(key=lambda part: not part.startswith(UPGRADE_NOTES))
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def _require_newer(project: Project, version: str) -> None:
    if not RELEASE.fullmatch(version):
        raise Refused(f'"{version}" is not a version: write for example 0.2.0')
    released = project.newest_release
    if released and _numbers(version) <= _numbers(released):
        raise Refused(f"{version} is not newer than {released}, the newest release")


def _numbers(version: str) -> list[int]:
    return [int(number) for number in version.split(".")]


def _section(changelog: str, heading: str) -> str:
    """Return the text from behind a heading to the next release."""
    return re.split(r"^## ", changelog.split(heading, 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def _only(pattern: re.Pattern[str], text: str, path: str) -> re.Match[str]:
    found = list(pattern.finditer(text))
    if len(found) != 1:
        raise Refused(f"{path}: {len(found)} places look like {pattern.pattern!r}, expected one")
    return found[0]


def _changed_files() -> str:
    command = ["git", "status", "--porcelain"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def main(arguments: list[str]) -> int:
    """Run a command line, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    arguments_of = {
        "prepare": "version",
        "develop": "version",
        "check": "tag",
        "notes": "version",
        "commit": "sha",
    }
    for name, value in arguments_of.items():
        commands.add_parser(name).add_argument(value)
    chosen = parser.parse_args(arguments)
    project = Project(ROOT)
    try:
        if chosen.command == "prepare":
            if _changed_files():
                raise Refused("commit or remove your changes first: git status shows them")
            today = datetime.datetime.now(datetime.UTC).date().isoformat()
            prepare(project, chosen.version, today)
            print(
                f"Read git diff, then publish:\n"
                f"  git commit --all --message 'Release {chosen.version}'\n"
                f"  git tag --sign v{chosen.version} --message 'jobsworth {chosen.version}'\n"
                f"  git push origin main v{chosen.version}"
            )
        elif chosen.command == "develop":
            develop(project, chosen.version)
        elif chosen.command == "check":
            check(project, chosen.tag)
        elif chosen.command == "notes":
            print(notes(project, chosen.version), end="")
        elif not COMMIT.fullmatch(chosen.sha):
            raise Refused(f'"{chosen.sha}" is no commit: write all 40 digits')
        elif project.newest_release:
            raise Refused("the documentation names the newest release, no commit")
        else:
            project.document(chosen.sha)
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
