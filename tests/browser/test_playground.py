"""The playground in headless Chromium: size, verdicts, nothing that leaves the browser, keyboard, screen readers, phones.

``docs/site/playground/install`` and ``tests/browser/install`` provide what the tests need; they are skipped without.
``JOBSWORTH_SCREENSHOTS=FOLDER`` keeps the screenshots.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jobsworth.api.api_server import NEWEST_RELEASE
from support.documentation import FOLDER as SITE
from support.documentation import site_module
from support.static_server import StaticServer
from support.timelines.chromium import Chromium, installed

ROOT = Path(__file__).parents[2]
PLAYGROUND = SITE / "playground"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
AXE = CACHE / "jobsworth/npm/node_modules/axe-core/axe.min.js"
MAX_BYTES = 8_000_000
"""What a first visit downloads, compressed by gzip."""
EXAMPLES = sorted(
    path for path in (ROOT / "examples").rglob("*") if path.suffix in (".yaml", ".json")
)
OF_SCRIPTS = {"JW126", "JW222", "JW223", "JW224", "JW225", "JW226", "JW251", "JW252", "JW253", "JW256", "JW259"}  # fmt: skip
"""Rules on shell scripts: their parser has no build for the browser (docs/decisions/0023-tree-sitter-for-shell-scripts.md)."""
VERDICT = "document.documentElement?.dataset.verdict || ''"
PATIENCE = 120
"""Seconds; on a busy machine Python starts slowly."""

pytestmark = [
    pytest.mark.skipif(installed() is None, reason="Chromium is not installed"),
    pytest.mark.skipif(
        not (PLAYGROUND / "node_modules/pyodide").exists(),
        reason="run docs/site/playground/install",
    ),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("site") / "playground"
    site_module("playground.build").build(target)
    return target


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[StaticServer]:
    served = StaticServer(folder.parent)
    yield served
    served.stop()


@pytest.fixture(scope="module")
def loaded(server: StaticServer) -> Iterator[Chromium]:
    with Chromium() as browser:
        browser.visit(f"{server.address}/playground/index.html", VERDICT, PATIENCE)
        yield browser


@pytest.fixture
def page(loaded: Chromium, server: StaticServer) -> Iterator[Chromium]:
    loaded.visit("about:blank", "'yes'")
    loaded.visit(f"{server.address}/playground/index.html", VERDICT, PATIENCE)
    loaded.problems.clear()
    loaded.requests.clear()
    yield loaded
    assert loaded.problems == []
    others = [
        each for each in loaded.requests if not each.startswith((server.address, "blob:", "data:"))
    ]
    assert others == []


def call(browser: Chromium, name: str, *parameters: object) -> Any:
    """Call a function of the page's Python."""
    return json.loads(
        browser.evaluate(
            f"playgroundPython.call({json.dumps(name)}, ...{json.dumps(parameters)}).then(JSON.stringify)"
        )
    )


def text_of(browser: Chromium, selector: str) -> str:
    return str(browser.evaluate(f"document.querySelector({json.dumps(selector)}).innerText"))


def write(browser: Chromium, text: str) -> None:
    """Replace the manifest, and wait for its verdict."""
    browser.evaluate(
        f"delete document.documentElement.dataset.verdict; playgroundEditor.text = {json.dumps(text)}; 0"
    )
    browser.wait(VERDICT, PATIENCE)


def test_a_first_visit_downloads_less_than_8_mb(folder: Path) -> None:
    sizes = site_module("playground.build").sizes(folder)
    print(sizes)
    assert (
        sum(
            compressed
            for name, (_, compressed) in sizes.items()
            if name not in site_module("playground.build").ON_DEMAND
        )
        < MAX_BYTES
    )


def test_the_first_verdict_comes_and_its_time_is_reported(page: Chromium) -> None:
    milliseconds = "Number(document.documentElement.dataset.{})"
    editor = page.evaluate(milliseconds.format("editor"))
    verdict = page.evaluate(milliseconds.format("verdict"))
    load = os.getloadavg()[0]
    print(f"editor after {editor:.0f} ms, first verdict after {verdict:.0f} ms, load {load:.1f}")
    assert "1 object invalid" in text_of(page, "#verdict")
    assert "requires the backoffLimitPerIndex to be set" in text_of(page, "#finding-list")


def command_line(path: Path) -> Any:
    """Return what the command line reports about a file on standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "jobsworth", "validate", "--isolated", "--output", "json", "-"],
        input=path.read_bytes(),
        capture_output=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "webhook")},
    )
    return json.loads(done.stdout)["results"]


def shown(finding: dict[str, Any]) -> tuple[Any, ...]:
    fix = finding.get("fix")
    return (
        finding["severity"], finding["code"], finding["field"], finding["message"], finding.get("hint", ""),
        finding["line"], finding["column"], fix and (fix["title"], fix["safe"]),
    )  # fmt: skip


def test_the_verdict_on_every_example_is_that_of_the_command_line(page: Chromium) -> None:
    different = {}
    for path in EXAMPLES:
        ours = call(page, "validate", path.read_text(encoding="utf-8"), "1.37")
        theirs = command_line(path)
        found = [shown(each) for each in ours["findings"]]
        wanted = [
            shown(each)
            for result in theirs
            for each in result["findings"]
            if each["code"] not in OF_SCRIPTS
        ]
        statuses = [each["status"] for each in ours["documents"]]
        if found != wanted or statuses != [each["status"] for each in theirs]:
            different[path.name] = [set(found) ^ set(wanted), statuses]
    assert len(EXAMPLES) > 80
    assert different == {}


def test_a_fix_of_the_list_and_all_fixes_make_the_manifest_valid(page: Chromium) -> None:
    page.evaluate("document.getElementById('fix-all').click()")
    page.wait(
        "document.getElementById('verdict').textContent.includes('1 object valid') ? 'yes' : ''",
        PATIENCE,
    )
    assert "backoffLimitPerIndex: 1" in page.evaluate("playgroundEditor.text")
    assert "fixed: " in text_of(page, "#attempts")


HIDDEN_FIX = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  podFailurePolicy:
    rules: [{action: Ignore, onPodConditions: [{type: DisruptionTarget}]}]
  template:
    spec:
      restartPolicy: OnFailure
      containers: [{name: main, image: "registry.example.com/train:1.4"}]
"""
"""A Job with a safe fix of an error, and one of an info finding (JW123)."""


def test_only_findings_that_are_shown_are_fixed(page: Chromium) -> None:
    disabled = "document.getElementById('fix-safe').disabled"
    write(page, HIDDEN_FIX)
    page.evaluate("document.getElementById('fix-safe').click()")
    page.wait("document.getElementById('verdict').textContent.includes(' valid') ? 'yes' : ''")
    assert page.evaluate("playgroundEditor.text") == HIDDEN_FIX.replace("OnFailure", "Never")
    assert page.evaluate(disabled)
    page.evaluate("document.getElementById('infos').click()")
    assert not page.evaluate(disabled)
    page.evaluate("document.getElementById('fix-safe').click()")
    page.wait("playgroundEditor.text.includes('podReplacementPolicy: Failed') ? 'yes' : ''")


def test_a_valid_job_is_explained_and_simulated(page: Chromium) -> None:
    write(page, (ROOT / "examples/valid/ml-training.yaml").read_text(encoding="utf-8"))
    page.evaluate("document.getElementById('tab-explain').click()")
    page.wait("document.querySelector('#explain table') ? 'yes' : ''", PATIENCE)
    assert "the Job fails (PodFailurePolicy)" in text_of(page, "#explain")
    page.evaluate("document.getElementById('tab-simulate').click()")
    page.wait("document.querySelector('#runs img')?.naturalWidth ? 'yes' : ''", PATIENCE)
    assert "Job Complete (CompletionsReached)" in text_of(page, "#runs")


def test_a_time_zone_is_known_and_its_clock_changes_are_reported(page: Chromium) -> None:
    text = (ROOT / "examples/valid/nightly-report.yaml").read_text(encoding="utf-8")
    assert "timeZone" in text
    (found,) = call(page, "simulate", text, "1.37", 1, "", "")
    assert "svg" in found, found


def test_hostile_text_is_shown_as_text(page: Chromium) -> None:
    name = "<img src=x onerror=alert(1)>"
    write(
        page,
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {json.dumps(name)}}}\nspec: {{x: 1}}\n",
    )
    assert page.evaluate("document.querySelectorAll('#results img').length") == 0
    assert name in page.evaluate("playgroundEditor.text")


def test_a_link_has_the_manifest_in_its_fragment_and_no_bomb_in_it(
    page: Chromium, server: StaticServer
) -> None:
    text = "kind: Job\n# größer 🚀 </script><script>alert(1)</script>\n"
    write(page, text)
    page.evaluate("document.getElementById('share').click()")
    page.wait("location.hash.length > 9 ? 'yes' : ''")
    address = page.evaluate("location.href")
    page.visit("about:blank", "'yes'")
    page.visit(address, VERDICT, PATIENCE)
    assert page.evaluate("playgroundEditor.text") == text
    bomb = page.evaluate(
        "(async () => {const s = new Blob(['a'.repeat(5e7)]).stream().pipeThrough(new CompressionStream('deflate-raw'));"
        "const b = new Uint8Array(await new Response(s).arrayBuffer());"
        "return btoa(Array.from(b, c => String.fromCharCode(c)).join('')).replaceAll('+', '-').replaceAll('/', '_')})()"
    )
    page.visit("about:blank", "'yes'")
    page.visit(f"{server.address}/playground/index.html#m={bomb}", VERDICT, PATIENCE)
    assert "The link cannot be read: the manifest has more than 200,000 bytes." in text_of(
        page, "#verdict"
    )
    assert "invalid" in text_of(page, "#verdict")  # the first example
    assert not any("#m=" in each or "m=" in each for each in server.requests)


@pytest.mark.parametrize("fragment", ["m=", "m=%25%25", "m=!!!", "m=AAAA", "v=1.36&m=y05NLU"])
def test_a_damaged_link_is_reported_until_the_text_changes(
    page: Chromium, server: StaticServer, fragment: str
) -> None:
    page.visit("about:blank", "'yes'")
    page.visit(f"{server.address}/playground/index.html#{fragment}", VERDICT, PATIENCE)
    assert text_of(page, "#verdict").startswith(
        "The link cannot be read: it is not complete. This is an"
    )
    write(page, "kind: Job\n")
    assert "link" not in text_of(page, "#verdict")


def test_the_newest_release_is_chosen_and_a_preview_is_named(page: Chromium) -> None:
    assert page.evaluate("document.getElementById('release').value") == NEWEST_RELEASE
    shown = json.loads(
        page.evaluate(
            "JSON.stringify([...document.querySelectorAll('#release option')].map(each => each.text))"
        )
    )
    assert next(each for each in shown if "preview" not in each) == NEWEST_RELEASE


def test_a_release_of_a_link_that_is_not_known_is_reported(
    page: Chromium, server: StaticServer
) -> None:
    write(page, "kind: Job\n")
    page.evaluate("document.getElementById('share').click()")
    page.wait("location.hash.length > 9 ? 'yes' : ''")
    address = page.evaluate("location.href").replace(f"v={NEWEST_RELEASE}", "v=9.99")
    page.visit("about:blank", "'yes'")
    page.visit(address, VERDICT, PATIENCE)
    assert "release of Kubernetes that is not known here: 9.99." in text_of(page, "#verdict")
    assert page.evaluate("playgroundEditor.text") == "kind: Job\n"


def test_another_link_in_the_same_tab_is_opened_and_the_skip_link_keeps_the_text(
    page: Chromium,
) -> None:
    write(page, "kind: Job\n# shared\n")
    page.evaluate("document.getElementById('share').click()")
    page.wait("location.hash.length > 9 ? 'yes' : ''")
    fragment = page.evaluate("location.hash")
    write(page, "kind: Job\n# typed\n")
    page.evaluate("document.querySelector('.skip').click()")
    assert page.evaluate("playgroundEditor.text") == "kind: Job\n# typed\n"
    page.evaluate(
        f"delete document.documentElement.dataset.verdict; location.hash = {json.dumps(fragment)}; 0"
    )
    page.wait(VERDICT, PATIENCE)
    assert page.evaluate("playgroundEditor.text") == "kind: Job\n# shared\n"


def test_what_is_too_large_to_be_opened_is_not_shared(page: Chromium) -> None:
    write(page, "# " + "ü" * 120_000 + "\n")
    page.evaluate("document.getElementById('share').click()")
    page.wait("document.getElementById('verdict').textContent.includes('Not shared') ? 'yes' : ''")
    assert "the manifest has more than 200,000 bytes" in text_of(page, "#verdict")
    assert page.evaluate("location.hash") == ""


def test_a_text_that_is_too_large_has_no_findings_of_the_text_before(page: Chromium) -> None:
    page.evaluate("playgroundEditor.text = '#'.repeat(200_001); 0")
    page.wait(
        "document.getElementById('verdict').textContent.includes('200,000 char') ? 'yes' : ''"
    )
    assert text_of(page, "#finding-list") == ""
    assert page.evaluate("document.getElementById('fix-all').disabled") is True


def test_a_fix_of_a_text_that_has_changed_is_not_applied(page: Chromium) -> None:
    """Its lines are those of the text before."""
    changed = "\n\n" + page.evaluate("playgroundEditor.text")
    page.evaluate(
        f"playgroundEditor.text = {json.dumps(changed)};"
        "document.querySelector('#finding-list .fix, #finding-list button:last-of-type').click()"
    )
    assert page.evaluate("playgroundEditor.text") == changed
    assert "Not fixed: the text has changed" in text_of(page, "#verdict")


@pytest.mark.parametrize("missing", ["worker.js", "pyodide.mjs", "app.gzip"])
def test_a_file_that_cannot_be_loaded_is_reported(
    folder: Path, tmp_path: Path, missing: str
) -> None:
    shutil.copytree(folder, tmp_path / "playground")
    (tmp_path / "playground" / missing).unlink()
    served = StaticServer(tmp_path)
    with Chromium() as browser:
        browser.visit(
            f"{served.address}/playground/index.html",
            "document.getElementById('verdict')?.textContent.includes('cannot be loaded') ? 'yes' : ''",
            PATIENCE,
        )
        assert "Reload the page, or use the command line." in text_of(browser, "#verdict")
        browser.evaluate("playgroundEditor.text = 'kind: Job'; 0")
        browser.evaluate("new Promise(done => setTimeout(done, 500))")
        assert "Python cannot be loaded" in text_of(browser, "#verdict")
        assert browser.evaluate("document.getElementById('loading').hidden") is True
    served.stop()


def test_neither_the_page_nor_its_worker_can_reach_another_host(
    loaded: Chromium, tmp_path: Path
) -> None:
    other = StaticServer(tmp_path)
    script = f"""
        new Promise(done => {{
          const code = "fetch('{other.address}/secret').then(() => postMessage('sent'), () => postMessage('refused'))";
          const worker = new Worker(URL.createObjectURL(new Blob([code])));
          worker.onmessage = event => fetch('{other.address}/secret').then(() => done('sent'), () => done(event.data));
        }})"""
    assert loaded.evaluate(script) == "refused"
    other.stop()
    assert other.requests == []
    loaded.problems.clear()  # the refusals


def test_the_keyboard_reaches_everything_and_tab_leaves_the_editor(page: Chromium) -> None:
    focused = "document.activeElement.id || document.activeElement.className"
    page.evaluate("document.querySelector('.cm-content').focus()")
    page.call("Input.dispatchKeyEvent", type="keyDown", key="Tab", windowsVirtualKeyCode=9)
    assert "cm-content" not in page.evaluate(focused)
    page.evaluate("document.getElementById('tab-findings').focus()")
    page.press("ArrowRight")
    assert page.evaluate(focused) == "tab-explain"
    assert page.evaluate("document.getElementById('explain').hidden") is False
    page.press("End")
    assert page.evaluate(focused) == "tab-simulate"
    page.press("Home")
    assert page.evaluate("document.getElementById('findings').hidden") is False


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("tab", ["findings", "explain", "simulate"])
def test_axe_finds_no_violation(page: Chromium, scheme: str, width: int, tab: str) -> None:
    page.media(scheme)
    page.width(width)
    if tab != "findings":
        write(page, (ROOT / "examples/valid/ml-training.yaml").read_text(encoding="utf-8"))
        page.evaluate(f"document.getElementById('tab-{tab}').click()")
        page.wait(f"document.querySelector('#{tab} h3') ? 'yes' : ''", PATIENCE)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
    found = json.loads(page.evaluate("axe.run().then(found => JSON.stringify(found.violations))"))
    screenshots = os.environ.get("JOBSWORTH_SCREENSHOTS")
    if screenshots:
        page.screenshot(Path(screenshots) / f"playground-{tab}-{scheme}-{width}.png")
    page.media("light")
    page.width(1280)
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_after_a_visit_it_works_without_a_server(folder: Path) -> None:
    served = StaticServer(folder.parent)
    with Chromium() as browser:
        address = f"{served.address}/playground/index.html"
        browser.visit(address, VERDICT, PATIENCE)
        cold = browser.evaluate("Number(document.documentElement.dataset.verdict)")
        browser.evaluate("navigator.serviceWorker.ready.then(() => 0)")
        browser.wait("navigator.serviceWorker.controller ? 'yes' : ''")
        served.stop()
        browser.visit("about:blank", "'yes'")
        browser.visit(address, VERDICT, PATIENCE)
        warm = browser.evaluate("Number(document.documentElement.dataset.verdict)")
        print(f"cold {cold:.0f} ms, warm {warm:.0f} ms, load {os.getloadavg()[0]:.1f}")
        assert "1 object invalid" in text_of(browser, "#verdict")
