"""The documentation's examples for pre-commit, GitHub and editors match the files."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent.parent
CI = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
EDITORS = (ROOT / "docs/editors.md").read_text(encoding="utf-8")
SCHEMASTORE = (ROOT / "RELEASING.md").read_text(encoding="utf-8")
RAW = "https://raw.githubusercontent.com/jobsworth/jobsworth/main/"


def block(page: str, after: str, language: str) -> Any:
    """Return the first code block of a language behind a heading or sentence of a page, read."""
    text = text_block(page, after, language)
    return json.loads(text) if language == "json" else yaml.safe_load(text)


def text_block(page: str, after: str, language: str) -> str:
    match = re.search(
        rf"^```{language}\n(.*?)^```", page[page.index(after) :], re.DOTALL | re.MULTILINE
    )
    assert match is not None
    return match[1]


def test_the_hook_that_is_shown_exists() -> None:
    (repository,) = block(CI, "## pre-commit", "yaml")["repos"]
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert {hook["id"] for hook in repository["hooks"]} <= {hook["id"] for hook in hooks}
    for hook in hooks:
        assert f"`{hook['id']}`" in CI or f"id: {hook['id']}" in CI


def test_every_page_names_hooks_that_exist() -> None:
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())}
    shown = {
        (page.relative_to(ROOT).as_posix(), found)
        for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
        if "node_modules" not in page.parts
        for found in re.findall(r"- id: (jobsworth\S*)", page.read_text(encoding="utf-8"))
    }
    assert {page for page, _ in shown} >= {"docs/ci.md", "docs/start/ci.md"}
    assert {(page, hook) for page, hook in shown if hook not in hooks} == set()


def test_the_action_that_is_shown_takes_its_inputs() -> None:
    workflow = block(CI, "## GitHub Actions", "yaml")
    step = workflow["jobs"]["jobsworth"]["steps"][-1]
    assert step["uses"].startswith("jobsworth/jobsworth@")
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    assert set(step["with"]) == set(action["inputs"])


def test_code_scanning_gets_the_report_that_the_action_writes() -> None:
    (job,) = block(CI, "### Code scanning", "yaml")["jobs"].values()
    *_, validate, upload = job["steps"]
    assert validate["with"]["args"] == f"--output sarif={upload['with']['sarif_file']}"
    assert job["permissions"]["security-events"] == "write"


def test_gitlab_gets_the_report_that_the_command_writes() -> None:
    job = block(CI, "## GitLab", "yaml")["jobsworth"]
    assert f"--output junit={job['artifacts']['reports']['junit']} " in job["script"][-1]


@pytest.mark.parametrize(
    "url", re.findall(r"https://raw\.githubusercontent\.com/\S+?\.json", EDITORS)
)
def test_the_schemas_that_are_shown_exist(url: str) -> None:
    assert (ROOT / url.removeprefix(RAW)).is_file()


def test_the_settings_for_an_editor_are_json() -> None:
    schemas = block(EDITORS, "## A schema for editors", "json")["yaml.schemas"]
    zed = block(EDITORS, "<!-- zed: schema -->", "json")
    helix = tomllib.loads(text_block(EDITORS, "<!-- helix: schema -->", "toml"))
    of_zed = zed["lsp"]["yaml-language-server"]["settings"]["yaml"]["schemas"]
    of_helix = helix["language-server"]["yaml-language-server"]["config"]["yaml"]["schemas"]
    assert schemas.keys() == of_zed.keys() == of_helix.keys()


def test_editors_start_the_language_server_with_the_same_command() -> None:
    helix = tomllib.loads(text_block(EDITORS, "<!-- helix: language server -->", "toml"))
    server = helix["language-server"]["jobsworth"]
    (language,) = helix["language"]
    assert "jobsworth" in language["language-servers"]
    extension = json.loads((ROOT / "docs/examples/editors/vscode/package.json").read_text())
    settings = extension["contributes"]["configuration"]["properties"]
    assert [server["command"], *server["args"]] == ["jobsworth", "lsp"]
    assert settings["jobsworth.command"]["default"] == server["command"]
    assert settings["jobsworth.arguments"]["default"] == server["args"]
    neovim = text_block(EDITORS, "<!-- neovim: language server -->", "lua")
    assert 'cmd = { "jobsworth", "lsp" }' in neovim


def test_the_entry_for_schemastore_names_schemas_that_exist() -> None:
    entry = block(SCHEMASTORE, "# SchemaStore", "json")
    assert entry["url"] in entry["versions"].values()
    for url in entry["versions"].values():
        assert (ROOT / url.removeprefix(RAW)).is_file()
    for example in re.findall(r"`([\w/-]+\.yaml)`", SCHEMASTORE):
        assert (ROOT / example).is_file()
