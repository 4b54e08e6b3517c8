"""Build the documentation site into a folder: ``python docs/site/build.py build/site --version dev``.

The pages are the Markdown files of the repository, with links that work in the site, and the reference that is made
from the code. The site of a version lies in a folder of that name; ``versions.json`` beside it fills the selector.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # the modules beside this one, also for tests

import reference
import source_pages

from jobsworth.cli.click_application import COMMANDS

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
INSTALLATION = re.compile(
    r"<!-- installation: .*? -->\n(.*?)<!-- end of installation -->", re.DOTALL
)
VERSION = re.compile(r"dev|[0-9]+\.[0-9]+")
PLAYGROUND = "playground"


def prepare(folder: Path, playground: Path | None) -> None:
    """Write the configuration and all pages of the site into a folder.

    Args:
        playground: the folder of the built playground; without it, the site has a page in its place.
    """
    texts = {**source_pages.pages(), **reference.files()}
    for page in sorted((HERE / "pages").iterdir()):
        texts[page.name] = page.read_text(encoding="utf-8")
    texts["index.md"] = texts["index.md"].replace("{{installation}}", installation())
    for name, text in texts.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    target = folder / "docs" / PLAYGROUND
    if playground is None:
        target.mkdir()
        (target / "index.html").write_text("<!doctype html><title>Not built</title>\n")
    else:
        shutil.copytree(playground, target)
    (folder / "mkdocs.yml").write_text(configuration(), encoding="utf-8")


def installation() -> str:
    """Return the section of the README about installation, as it is in the current state of the project."""
    found = INSTALLATION.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None
    return found[1].strip()


def configuration() -> str:
    """Return the configuration, with a page for each command."""
    commands = "\n".join(
        f"          - reference/cli/{words.replace(' ', '-')}.md" for words in COMMANDS
    )
    text = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    return text.replace("{{commands}}", commands)


def build(target: Path, version: str, playground: Path | None) -> None:
    """Build the site of a version into a folder below the target.

    Raises:
        CalledProcessError: a page has a broken link, or another problem.
    """
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        prepare(work, playground)
        program = Path(sys.executable).parent / "zensical"
        subprocess.run([program, "build", "--clean", "--strict"], cwd=work, check=True)
        shutil.rmtree(target / version, ignore_errors=True)
        target.mkdir(parents=True, exist_ok=True)
        shutil.copytree(work / "site", target / version)
    add_version(target, version)


def add_version(target: Path, version: str) -> None:
    """Name a version in the selector, and lead the root of the site to the newest release, or to dev.

    Each version stays at its address.
    """
    path = target / "versions.json"
    known = {entry["version"] for entry in json.loads(path.read_text())} if path.exists() else set()
    ordered = sorted({*known, version}, key=_age)
    entries = [{"version": each, "title": each, "aliases": []} for each in ordered]
    path.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    newest = next((each for each in ordered if each != "dev"), "dev")
    (target / "index.html").write_text(
        f'<!doctype html><meta charset="utf-8"><title>jobsworth</title>'
        f'<meta http-equiv="refresh" content="0; url={newest}/index.html"><a href="{newest}/index.html">jobsworth</a>\n',
        encoding="utf-8",
    )
    (target / ".nojekyll").write_text("")


def _age(version: str) -> tuple[bool, list[int]]:
    """Return a key by which dev comes first, then the releases, the newest first."""
    return version != "dev", [] if version == "dev" else [-int(part) for part in version.split(".")]


def main() -> None:
    """Read the command line, and build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path, help="the folder of the whole site")
    parser.add_argument("--version", default="dev", help="dev, or a minor release such as 0.1")
    parser.add_argument("--playground", type=Path, help="the folder of the built playground")
    options = parser.parse_args()
    if not VERSION.fullmatch(options.version):
        parser.error(f"--version: {options.version!r} is neither dev nor of the form 0.1")
    build(options.target.absolute(), options.version, options.playground)


if __name__ == "__main__":
    main()
