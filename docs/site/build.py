"""Build the documentation site into a folder: ``python docs/site/build.py build/pages``.

The pages are the Markdown files of the repository, with links that work in the site, and the reference that is made
from the code. ``docs/site/versions.py`` adds the folder to the site of all versions.
"""

from __future__ import annotations

import argparse
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
PLAYGROUND = "playground"


def build(target: Path, playground: Path | None) -> None:
    """Build the site into a folder, whose earlier contents are deleted.

    Args:
        playground: the folder of the built playground; without it, the site has a note in its place.

    Raises:
        BrokenLink: a page links to a file that does not exist.
        CalledProcessError: the generator reports a problem.
    """
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        prepare(work, playground)
        program = Path(sys.executable).parent / "zensical"
        subprocess.run([program, "build", "--clean", "--strict"], cwd=work, check=True)
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(work / "site", target)


def prepare(folder: Path, playground: Path | None) -> None:
    """Write the configuration and all pages of the site into a folder."""
    texts = {**source_pages.pages(), **reference.files()}
    for page in sorted((HERE / "pages").iterdir()):
        texts[page.name] = page.read_text(encoding="utf-8")
    texts["index.md"] = texts["index.md"].replace(
        "{{installation}}", source_pages.readme_section("Installation")
    )
    for name, text in texts.items():
        path = folder / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    target = folder / "docs" / PLAYGROUND
    if playground is None:
        target.mkdir()
        (target / "index.html").write_text(
            "<!doctype html><title>The playground was not built</title>\n"
        )
    else:
        shutil.copytree(playground, target)
    (folder / "mkdocs.yml").write_text(_configuration(), encoding="utf-8")


def _configuration() -> str:
    """Return the configuration, with a page for each command."""
    commands = "\n".join(
        f"          - reference/cli/{words.replace(' ', '-')}.md" for words in COMMANDS
    )
    text = (HERE / "mkdocs.yml").read_text(encoding="utf-8")
    return text.replace("{{commands}}", commands)


def main() -> None:
    """Read the command line, and build."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("target", type=Path, help="the folder of the site")
    parser.add_argument("--playground", type=Path, help="the folder of the built playground")
    options = parser.parse_args()
    build(options.target.absolute(), options.playground)


if __name__ == "__main__":
    main()
