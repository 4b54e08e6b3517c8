"""The documentation links to what exists; that for maintainers names what exists, and its picture is that of the imports."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parent.parent
CODE = ROOT / "webhook/jobsworth"
PAGES = [
    ROOT / "CONTRIBUTING.md",
    ROOT / "RELEASING.md",
    ROOT / "docs/architecture.md",
    ROOT / "docs/glossary.md",
    *sorted((ROOT / "docs/develop").glob("*.md")),
    *sorted((ROOT / "docs/decisions").glob("*.md")),
]
LINKING = [
    *ROOT.glob("*.md"),
    *(ROOT / ".github").glob("*.md"),
    *(
        page
        for folder in ("benchmarks", "certs", "charts", "docs", "examples", "policies", "tests")
        for page in sorted((ROOT / folder).rglob("*.md"))
        if "data" not in page.parts and "site" not in page.parts  # tests/documentation reads these
    ),
]
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
A_PATH = re.compile(r"(?<!A new file, )`([\w./-]+(?:\.py|\.md|\.json|\.toml|/))`")
A_LINK = re.compile(r"\]\(([^)#\s:]*)(?:#([^)]*))?\)")
A_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def architecture() -> ModuleType:
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import architecture
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return architecture


def prose(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def test_every_path_that_a_page_names_exists() -> None:
    missing = [
        f"{page.relative_to(ROOT)}: {path}"
        for page in PAGES
        for path in A_PATH.findall(prose(page))
        if not any((root / path).exists() for root in (CODE, CODE.parent, ROOT))
    ]
    assert missing == []


@cache
def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub gives to the headings of a page."""
    texts = [A_LINK.sub("]", title).lower() for title in A_HEADING.findall(prose(page))]
    return {re.sub(r"[^\w\- ]", "", text).replace(" ", "-") for text in texts}


def test_every_link_leads_to_a_file_and_its_heading() -> None:
    broken = [
        f"{page.relative_to(ROOT)}: {name}#{anchor}"
        for page in LINKING
        for name, anchor in A_LINK.findall(prose(page))
        if not leads_to_a_heading(page.parent / name if name else page, anchor)
    ]
    assert broken == []


def leads_to_a_heading(target: Path, anchor: str) -> bool:
    is_page = target.suffix == ".md" and target.exists()
    return target.exists() and (not is_page or not anchor or anchor in anchors(target))


@pytest.mark.slow
def test_the_picture_is_drawn_from_the_imports_of_now(architecture: ModuleType) -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    assert architecture.page(text) == text, "renew it: python docs/architecture.py"


def test_every_package_is_described(architecture: ModuleType) -> None:
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    described = re.findall(r"^\| `(\w+)(?:/|\.py)` \| (core|shell) \|", text, re.MULTILINE)
    core = architecture.core()
    assert dict(described) == {
        package: "core" if package in core else "shell" for package in architecture.packages()
    }


def test_arrows_that_follow_from_others_are_left_out(architecture: ModuleType) -> None:
    graph = {"cli": {"lint", "api"}, "lint": {"api"}, "api": set()}
    assert architecture.reduced(graph) == {"cli": {"lint"}, "lint": {"api"}, "api": set()}


def test_decision_records_are_numbered_and_listed() -> None:
    records = [path.name for path in PAGES if re.match(r"\d{4}-", path.name)]
    index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
    table = "".join(line for line in index.splitlines() if line.startswith("| 0"))
    gone = set(re.findall(r"\b\d{4}\b", table)) - {name[:4] for name in records}
    numbers = sorted({*gone, *(name[:4] for name in records)})
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]
    assert re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", index) == records
    numbers = re.findall(r"^\| \[?(\d{4}): ", index, re.MULTILINE)
    assert numbers == [f"{number:04}" for number in range(1, len(numbers) + 1)]


def test_a_retired_record_says_why_or_names_the_one_that_replaced_it() -> None:
    index = (ROOT / "docs/decisions/README.md").read_text(encoding="utf-8")
    for line in re.findall(r"^\| \d{4}: .*", index, re.MULTILINE):
        reason = re.search(r" \(retired: (.+)\) \|", line)
        assert reason, line
        assert not reason[1].isdigit() or f"[{reason[1]}: " in index, line


def test_decisions_that_the_code_names_exist() -> None:
    named = re.compile(r"docs/decisions/[\w.-]+\.md")
    for path in (ROOT / "webhook").rglob("*.py"):
        for name in named.findall(path.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), path
