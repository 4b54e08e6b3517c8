"""The pages of the site that are files of the repository, with links that work in the site.

On GitHub, a page links to files anywhere in the repository. In the site a link to another page becomes relative
to that page, and a link to any other file leads to the repository.
"""

from __future__ import annotations

import posixpath
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = "https://github.com/jobsworth/jobsworth/blob/main"
MOVED = {
    "README.md": "index.md",
    "docs/README.md": "contents.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "CONTRIBUTING.md": "develop/contributing.md",
    "RELEASING.md": "develop/releasing.md",
    "benchmarks/README.md": "develop/benchmarks.md",
    "certs/README.md": "certificates.md",
    "charts/jobsworth/README.md": "chart.md",
    "examples/README.md": "examples.md",
    "policies/README.md": "policy-examples.md",
}
"""Pages outside docs/, and those with another name in the site."""
NOT_SHOWN = ("README.md",)
"""Pages that the site has in another form: links to them lead to MOVED."""
_FENCE = re.compile(r"^( *)(```+|~~~+)")
_LINK = re.compile(r"(\]\()([^)\s#]*)(#[^)\s]*)?(\))")
_CODE = re.compile(r"(`+)(?:(?!\1).)*?\1")
_COMMENT = re.compile(r"<!--.*?-->\n", re.DOTALL)
_ITEM = re.compile(r"^( *)([-*+]|\d+\.) ")


class BrokenLink(ValueError):
    """A link to a file that does not exist."""


def tracked() -> list[str]:
    """Return the files that git knows or would add, relative to the root of the repository."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(path for path in done.stdout.splitlines() if (ROOT / path).is_file())


def places(files: list[str]) -> dict[str, str]:
    """Return the place of each page and picture in the site, by its path in the repository."""
    found = {path: place for path, place in MOVED.items() if path in files}
    for path in files:
        if path.startswith("docs/site/") or path in found:
            continue
        if path.startswith("docs/") and path.endswith((".md", ".svg")):
            place = path.removeprefix("docs/")
            folder, _, name = place.rpartition("/")
            found[path] = f"{folder}/index.md" if name == "README.md" else place
    return found


def pages() -> dict[str, str]:
    """Return the text of each page and picture by its place in the site.

    Raises:
        BrokenLink: a page links to a file that does not exist.
    """
    placed, known = _links()
    return {
        place: _for_site((ROOT / path).read_text(encoding="utf-8"), path, placed, known)
        if path.endswith(".md")
        else (ROOT / path).read_text(encoding="utf-8")
        for path, place in placed.items()
        if path not in NOT_SHOWN
    }


def readme_section(heading: str) -> str:
    """Return a section of the README without its heading, as a part of the page of the site that replaces the README.

    Raises:
        BrokenLink: it links to a file that does not exist.
    """
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return _for_site(_COMMENT.sub("", section).strip(), "README.md", *_links())


def _links() -> tuple[dict[str, str], set[str]]:
    """Return the places of the pages, and all files and folders that a page may link to."""
    files = tracked()
    return places(files), {*files, *(parent for path in files for parent in _parents(path))}


def _parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _for_site(text: str, path: str, placed: dict[str, str], known: set[str]) -> str:
    """Return a page with links of the site, in the dialect of its generator."""
    lines: list[str] = []
    lists = _Lists()
    fence = ""
    for line in text.splitlines():
        marker = _FENCE.match(line)
        if marker and (not fence or line.strip() == fence):
            fence = "" if fence else marker[2]
            lines.append(lists.deepened(line))
        elif fence:
            lines.append(lists.deepened(line))
        else:
            converted = lists.converted(line, after_text=bool(lines and lines[-1].strip()))
            lines += [_linked(each, path, placed, known) for each in converted]
    return "\n".join(lines) + "\n"


class _Lists:
    """The lists of a page, whose lines are given one by one.

    Python-Markdown needs a blank line before a list, and four columns for each of its levels; GitHub does not.
    """

    def __init__(self) -> None:
        self._indents: list[int] = []

    def converted(self, line: str, *, after_text: bool) -> list[str]:
        """Return a line outside code.

        Args:
            after_text: the line before it is not blank.
        """
        item = _ITEM.match(line)
        if item:
            return self._item(line, len(item[1]), after_text=after_text)
        if line.strip() and not line.startswith(" "):
            if not after_text:
                self._indents = []
            return [line]
        return [self.deepened(line)]

    def _item(self, line: str, indent: int, *, after_text: bool) -> list[str]:
        while self._indents and self._indents[-1] > indent:
            self._indents.pop()
        blank = [""] if not self._indents and after_text else []
        if not self._indents or self._indents[-1] < indent:
            self._indents.append(indent)
        return [*blank, "    " * (len(self._indents) - 1) + line[indent:]]

    def deepened(self, line: str) -> str:
        """Return a line in an item, indented as the item's text must be."""
        if not self._indents or not line.startswith(" "):
            return line
        own = len(line) - len(line.lstrip())
        return "    " * len(self._indents) + line[min(own, self._indents[-1] + 2) :]


def _linked(line: str, path: str, placed: dict[str, str], known: set[str]) -> str:
    """Return a line with the links of the site, but for those in code."""
    result, at = [], 0
    for code in _CODE.finditer(line):
        result.append(line[at : code.start()])
        result.append(code[0])
        at = code.end()
    result.append(line[at:])
    # Code inside the text of a link stands between brackets, so links are found in the parts around it.
    return "".join(
        part
        if index % 2
        else _LINK.sub(
            lambda found: (
                f"{found[1]}{_target(found[2], found[3] or '', path, placed, known)}{found[4]}"
            ),
            part,
        )
        for index, part in enumerate(result)
    )


def _target(link: str, anchor: str, path: str, placed: dict[str, str], known: set[str]) -> str:
    if not link or re.match(r"[a-z]+:", link):
        return f"{link}{anchor}"
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(path), link))
    if wanted not in known:
        raise BrokenLink(f"{path}: {link}: there is no such file")
    for page in (wanted, f"{wanted}/README.md"):
        if page in placed:
            here = posixpath.dirname(placed[path])
            return f"{posixpath.relpath(placed[page], here or '.')}{_anchor(page, anchor)}"
    return f"{SOURCE}/{wanted}{anchor}"


def _anchor(page: str, anchor: str) -> str:
    """Return the anchor; the README's sections are not on the first page of the site."""
    return "" if page in NOT_SHOWN else anchor
