"""Add the built pages of a version to the whole site: ``python docs/site/versions.py SITE VERSION FOLDER``.

Each version stays at its address, a folder of its name. ``versions.json`` fills the selector of all pages. Uses the
standard library only, because the job that publishes may write to the repository.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

DEV = "dev"
VERSION = re.compile(r"dev|[0-9]+\.[0-9]+")


class BadVersion(ValueError):
    """A version that is neither dev nor a minor release."""


def version_of(reference: str) -> str:
    """Return the version of a git reference: of ``v0.1.3`` the minor release, of a branch dev.

    >>> version_of("v0.1.3"), version_of("main")
    ('0.1', 'dev')
    """
    found = re.fullmatch(r"v([0-9]+\.[0-9]+)\.[0-9]+", reference)
    return found[1] if found else DEV


def add_version(site: Path, version: str, pages: Path) -> None:
    """Replace the pages of a version, and lead the root of the site to the newest release, or to dev.

    Raises:
        BadVersion: the version is neither dev nor of the form ``0.1``.
    """
    if not VERSION.fullmatch(version):
        raise BadVersion(f"{version!r} is neither dev nor of the form 0.1")
    site.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(site / version, ignore_errors=True)
    shutil.copytree(pages, site / version)
    path = site / "versions.json"
    known = {entry["version"] for entry in json.loads(path.read_text())} if path.exists() else set()
    ordered = sorted({*known, version}, key=_age)
    entries = [{"version": each, "title": each, "aliases": []} for each in ordered]
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    newest = next((each for each in ordered if each != DEV), DEV)
    (site / "index.html").write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>jobsworth</title>'
        '<link rel="icon" href="data:,">'  # or a browser asks for /favicon.ico, which does not exist
        f'<meta http-equiv="refresh" content="0; url={newest}/index.html">'
        f'<a href="{newest}/index.html">jobsworth</a></html>\n',
        encoding="utf-8",
    )
    (site / ".nojekyll").write_text("")


def _age(version: str) -> tuple[bool, list[int]]:
    """Return a key by which dev comes first, then the releases, the newest first."""
    return version != DEV, [] if version == DEV else [-int(part) for part in version.split(".")]


if __name__ == "__main__":
    add_version(Path(sys.argv[1]), version_of(sys.argv[2]), Path(sys.argv[3]))
