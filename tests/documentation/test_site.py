"""The documentation site: it builds without a warning, shows what GitHub shows, and each of its links leads somewhere."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote

import pytest

from jobsworth.cli.click_application import COMMANDS, declared_command
from support.documentation import site_module

ROOT = Path(__file__).parents[2]
WEBHOOK = ROOT / "webhook/jobsworth"
build = site_module("build")
reference = site_module("reference")
source_pages = site_module("source_pages")
versions = site_module("versions")

needs_zensical = pytest.mark.skipif(
    find_spec("zensical") is None, reason="pip install -e '.[dev]' installs zensical"
)
COUNTED = {"list_item_open": "li", "table_open": "table", "tr_open": "tr", "heading_open": "h", "fence": "pre", "code_block": "pre"}  # fmt: skip
OF_OTHERS = ("https://", "http://", "mailto:", "data:")


class Page(HTMLParser):
    """The links, anchors and counted elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()
        self.elements: Counter[str] = Counter()
        self._in_article = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.add(given.get("id", ""))
        if tag == "a":
            self.links.append(given.get("href", ""))
        elif tag in ("script", "img"):
            self.loaded.append(given.get("src", ""))
        elif tag == "link" and given.get("rel") in ("stylesheet", "icon"):
            self.loaded.append(given.get("href", ""))
        self._in_article |= tag == "article"
        if self._in_article:
            self.elements["h" if re.fullmatch("h[1-6]", tag) else tag] += 1

    def handle_endtag(self, tag: str) -> None:
        self._in_article &= tag != "article"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site") / "dev"
    build.build(folder, None)
    return folder


@pytest.fixture(scope="module")
def built(site: Path) -> dict[str, Page]:
    return {
        path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in site.rglob("*.html")
    }


def test_every_link_of_a_page_leads_to_a_file() -> None:
    assert len(source_pages.pages()) > 350


def test_every_page_of_docs_is_in_the_navigation() -> None:
    navigation = (ROOT / "docs/site/mkdocs.yml").read_text(encoding="utf-8")
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert {
        page for page in pages if not re.search(rf"[ /]{re.escape(page)}$", navigation, re.M)
    } == set()


def test_a_link_to_a_missing_file_is_an_error() -> None:
    with pytest.raises(source_pages.BrokenLink, match=r"docs/a\.md: b\.md: there is no such file"):
        source_pages._for_site("[x](b.md)", "docs/a.md", {"docs/a.md": "a.md"}, {"docs/a.md"})


def test_a_link_out_of_the_documentation_leads_to_the_repository() -> None:
    placed, known = {"docs/a.md": "a.md"}, {"docs/a.md", "tests/x.py", "tests"}
    text = source_pages._for_site(
        "`[x](y.md)` [x](../tests/x.py#L1) [here](#part)", "docs/a.md", placed, known
    )
    assert text == f"`[x](y.md)` [x]({source_pages.SOURCE}/tests/x.py#L1) [here](#part)\n"


def test_the_site_has_the_installation_of_the_readme_with_all_extras() -> None:
    section = source_pages.readme_section("Installation")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    assert {"policy", "webhook", "cluster", "lsp"} <= extras.keys()
    for extra in ("policy", "webhook", "cluster", "lsp"):
        assert f"`{extra}`" in section
    assert "(editors.md)" in section
    assert "<!--" not in section
    assert "\n## " not in section


def test_a_list_needs_no_blank_line_before_it_and_two_columns_for_its_levels() -> None:
    text = source_pages._for_site("a:\n- b\n  - c\n\n    d\n\ne", "docs/a.md", {}, set())
    assert text == "a:\n\n- b\n    - c\n\n        d\n\ne\n"


@pytest.mark.parametrize("words", COMMANDS)
def test_the_reference_has_every_option_of_a_command(words: str) -> None:
    page = reference.files()[f"reference/cli/{words.replace(' ', '-')}.md"]
    command = declared_command(words)
    names = [name for option in command.options for name in option.opts]
    assert [name for name in names if f"`{name}`" not in page] == []


def test_the_reference_has_every_metric_of_the_code() -> None:
    page = reference.files()["reference/metrics.md"]
    packages = ("admission", "audit", "reconciler", "serving", "controller")
    code = "".join(path.read_text() for name in packages for path in (WEBHOOK / name).rglob("*.py"))
    named = set(re.findall(r'"(jobsworth_[a-z_]+_[a-z]+)"', code)) - {"jobsworth_serving_workers"}
    assert len(named) > 20
    assert {name for name in named if name not in page} == set()


def test_the_versions_are_dev_and_the_releases_from_the_newest_on(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "index.html").write_text("first")
    site = tmp_path / "site"
    for reference_name in ("v0.9.1", "main", "v0.10.0"):
        versions.add_version(site, versions.version_of(reference_name), pages)
    (pages / "index.html").write_text("second")
    versions.add_version(site, "dev", pages)
    listed = json.loads((site / "versions.json").read_text())
    assert [each["version"] for each in listed] == ["dev", "0.10", "0.9"]
    assert "url=0.10/index.html" in (site / "index.html").read_text()
    assert (site / "dev/index.html").read_text() == "second"
    assert (site / "0.9/index.html").read_text() == "first"


def test_the_root_names_an_icon_so_that_browsers_ask_for_none(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    versions.add_version(tmp_path / "site", "dev", pages)
    assert '<link rel="icon"' in (tmp_path / "site/index.html").read_text()


def test_a_version_is_a_folder_of_the_site_and_no_other(tmp_path: Path) -> None:
    with pytest.raises(versions.BadVersion):
        versions.add_version(tmp_path, "../x", tmp_path)


@needs_zensical
@pytest.mark.slow
def test_a_page_has_the_lists_tables_and_code_that_github_shows(built: dict[str, Page]) -> None:
    from markdown_it import MarkdownIt

    markdown = MarkdownIt("commonmark").enable("table")
    different = {}
    for path, place in source_pages.places(source_pages.tracked()).items():
        if path in source_pages.NOT_SHOWN or not path.endswith(".md"):
            continue
        tokens = markdown.parse((ROOT / path).read_text(encoding="utf-8"))
        wanted = Counter(COUNTED[token.type] for token in tokens if token.type in COUNTED)
        found = built[f"{place.removesuffix('.md')}.html"].elements
        if any(found[name] != wanted[name] for name in set(COUNTED.values())):
            different[path] = (wanted, found)
    assert different == {}


@needs_zensical
@pytest.mark.slow
def test_every_link_of_the_site_leads_to_a_page_and_its_anchor(
    site: Path, built: dict[str, Page]
) -> None:
    broken = []
    for name, page in built.items():
        for link in (*page.links, *page.loaded):
            if link.startswith(OF_OTHERS) or not link:
                continue
            path, _, anchor = unquote(link).partition("#")
            target = ((site / name).parent / path).resolve() if path else site / name
            if target.is_dir():
                target /= "index.html"
            known = target.relative_to(site.resolve()).as_posix() if target.exists() else None
            if known is None or (anchor and known in built and anchor not in built[known].anchors):
                broken.append((name, link))
    # The page for an unknown address has absolute links, which work where the site is published.
    assert [each for each in broken if each[0] != "404.html"] == []


@needs_zensical
@pytest.mark.slow
def test_a_page_loads_nothing_from_another_host(built: dict[str, Page]) -> None:
    assert {
        each for page in built.values() for each in page.loaded if each.startswith("http")
    } == set()


@needs_zensical
@pytest.mark.slow
def test_the_search_finds_a_message_without_a_server(site: Path) -> None:
    index = (site / "search.json").read_text(encoding="utf-8")
    for words in (
        "when completion mode is Indexed",
        "BackoffLimitExceeded",
        "JW204",
        "podFailurePolicy",
    ):
        assert words in index
