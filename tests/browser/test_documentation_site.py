"""The documentation site in headless Chromium: search, screen readers, phones, and no request to another host.

``JOBSWORTH_SCREENSHOTS=FOLDER`` keeps the screenshots.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.documentation import site_module
from support.static_server import StaticServer
from support.timelines.chromium import Chromium, installed

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
AXE = CACHE / "jobsworth/npm/node_modules/axe-core/axe.min.js"
READY = "document.readyState === 'complete' && document.querySelector('.md-content') ? 'yes' : ''"
PAGES = (
    "index", "start/index", "start/python", "messages/index", "messages/completions-required-when-indexed",
    "messages/FailedIndexes", "rules/index", "reference/cli/validate", "simulate", "support",
)  # fmt: skip
STARTED = "document.querySelector('.md-version')?.textContent ? 'yes' : ''"
"""The scripts of the theme have run."""
FOUND = """
[...document.querySelectorAll("*")].flatMap(each => each.shadowRoot ? [...each.shadowRoot.querySelectorAll("a[href]")] : [])
  .map(each => new URL(each.href).pathname.split("/").slice(2).join("/")).join(" ")
"""
MESSAGES = Path(__file__).parents[2] / "docs/messages"
MOUNTED = "[...document.querySelectorAll('*')].some(each => each.shadowRoot) ? 'yes' : ''"
"""The search listens to its key, which it does later than other scripts start."""
OPEN_SEARCH = (
    "dispatchEvent(new KeyboardEvent('keydown', {key: 'k', ctrlKey: true, bubbles: true})), 0"
)
FIELD = "document.activeElement?.shadowRoot?.activeElement"
PATIENCE = 60
SCHEMES = {"light": "default", "dark": "slate"}

pytestmark = [
    pytest.mark.skipif(installed() is None, reason="Chromium is not installed"),
    pytest.mark.skipif(find_spec("zensical") is None, reason="zensical is not installed"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StaticServer]:
    site = tmp_path_factory.mktemp("site")
    pages = tmp_path_factory.mktemp("built") / "pages"
    site_module("build").build(pages, None)
    site_module("versions").add_version(site, "dev", pages)
    served = StaticServer(site)
    yield served
    served.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Chromium]:
    with Chromium() as started:
        yield started


@pytest.fixture
def page(browser: Chromium, server: StaticServer) -> Iterator[Chromium]:
    browser.problems.clear()
    browser.requests.clear()
    yield browser
    assert browser.problems == []
    others = [
        each
        for each in browser.requests
        if not each.startswith((server.address, "blob:", "data:", "about:"))
    ]
    assert others == []


def test_the_root_leads_to_the_newest_version(page: Chromium, server: StaticServer) -> None:
    page.visit(f"{server.address}/", READY, PATIENCE)
    assert page.evaluate("location.pathname") == "/dev/index.html"
    page.wait("document.querySelector('.md-version')?.textContent.includes('dev') ? 'yes' : ''")


def open_search(page: Chromium, server: StaticServer) -> None:
    """Open the start page, and the search in it."""
    page.visit("about:blank", "'yes'")
    page.visit(f"{server.address}/dev/index.html", READY, PATIENCE)
    page.wait(STARTED, PATIENCE)
    page.wait(MOUNTED, PATIENCE)
    page.evaluate(f"document.{OPEN_SEARCH}")
    page.wait(f"{FIELD}?.tagName === 'INPUT' ? 'yes' : ''", PATIENCE)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("spec.completions: Required value", "messages/completions-required-when-indexed.html"),
        ("BackoffLimitExceeded", "messages/BackoffLimitExceeded.html"),
        ("requires the backoffLimitPerIndex to be set", "messages/fail-index-requires-backoff-limit-per-index.html"),
        ("cannot unmarshal number into Go struct field EnvVar", "messages/cannot-unmarshal-number-into-string.html"),
        ("JW204", "rules/JW204-no-ttl.html"),
        ('The Job "pi" is invalid: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
         "messages/restart-policy-required.html"),
        ('Error from server (BadRequest): error when creating "a.yaml": Job in version "v1" cannot be handled as a Job: json: '
         "cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32",
         "messages/cannot-unmarshal-string-into-int32.html"),
        ('The Job "x" is invalid: spec.template: Invalid value: core.PodTemplateSpec{Spec:core.PodSpec{Volumes:[]core.Volume(nil), '
         'Labels:map[string]string{"a":"b"}}}: field is immutable', "messages/template-field-is-immutable.html"),
        ('The CronJob "c" is invalid: spec.schedule: Invalid value: "0 25 * * *": end of range (25) above maximum (23): 25',
         "messages/schedule-end-of-range-above-maximum.html"),
        ('The CronJob "c" is invalid: * spec.jobTemplate.spec.template.spec.containers[2].image: Required value '
         "* spec.timeZone: Required value", "messages/image-required.html"),
        ('Job.batch "x" is invalid: [spec.completions: Required value: when completion mode is Indexed, spec.parallelism: Invalid '
         "value: -3: must be greater than or equal to 0]", "messages/completions-required-when-indexed.html"),
        ('Error creating: pods "etl-" is forbidden: exceeded quota: small, requested: cpu=1, used: cpu=2, limited: cpu=2',
         "messages/FailedCreate.html"),
        ('error: resource mapping not found for name: "a" namespace: "" from "a.yaml": no matches for kind "CronJob" in version '
         '"batch/v1beta1" ensure CRDs are installed first', "rules/JW320-near-miss.html"),
        ('pods "train-0-x7k2p" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container '
         '"main" must set securityContext.allowPrivilegeEscalation=false)', "messages/FailedCreate.html"),
        ('Error creating: admission webhook "validate.example.com" denied the request: no', "messages/FailedCreate.html"),
        ('Error creating: pods "etl-" is forbidden: error looking up service account ml/etl: serviceaccount "etl" not found',
         "messages/FailedCreate.html"),
        ("Container trainer for pod ml/train-l2qvr failed with exit code 143 matching FailJob rule at index 3",
         "messages/PodFailurePolicy.html"),
    ],
)  # fmt: skip
def test_a_message_pasted_into_the_search_finds_its_page(
    page: Chromium, server: StaticServer, words: str, found: str
) -> None:
    open_search(page, server)
    page.call("Input.insertText", text=words)
    page.wait(f"({FOUND}).trim()", PATIENCE)
    page.wait(f"({FOUND}).split(' ')[0].startsWith({json.dumps(found)}) ? 'yes' : ''", PATIENCE)


def test_the_search_looks_for_words_of_each_message_that_its_page_has(
    page: Chromium, server: StaticServer
) -> None:
    page.visit("about:blank", "'yes'")
    page.visit(f"{server.address}/dev/index.html", READY, PATIENCE)
    separator = re.compile(r"""[\s\-_,:!=\[\]()\\"`/]+|\.(?!\d)""")  # as in search.json
    missing = {}
    found = 0
    for path in MESSAGES.glob("*.md"):
        text = path.read_text(encoding="utf-8")
        printed = re.search(r"kubectl prints:\n\n```text\n(.*?)\n```", text, re.DOTALL)
        if printed is None:
            continue
        found += 1
        left = page.evaluate(f"essence({json.dumps(printed[1])})")
        words = [word for word in separator.split(left) if word]
        absent = [word for word in words if word.lower() not in text.lower()]
        if absent or not words:
            missing[path.stem] = (left, absent)
    assert found > 90
    assert missing == {}


def test_what_is_typed_into_the_search_stays(page: Chromium, server: StaticServer) -> None:
    open_search(page, server)
    words = 'what is "exit code" 137 of rules[0]?'
    for character in words:
        page.call("Input.insertText", text=character)
    assert page.evaluate(f"{FIELD}.value") == words


def test_words_that_are_no_message_are_searched_as_they_are(
    page: Chromium, server: StaticServer
) -> None:
    page.visit("about:blank", "'yes'")
    page.visit(f"{server.address}/dev/index.html", READY, PATIENCE)
    for words in ("node drain", "spec.backoffLimit", "JobSet größer 任务", "--git-ref main"):
        assert page.evaluate(f"essence({json.dumps(words)})") == words
    assert page.evaluate("essence('['.repeat(2e5) + 'a.'.repeat(2e5)).length") > 0


@pytest.mark.parametrize("name", ["health", "policy", "reference/jobpolicy"])
def test_identifiers_in_tables_stay_whole_on_a_phone(
    page: Chromium, server: StaticServer, name: str
) -> None:
    page.width(390)
    page.visit(f"{server.address}/dev/{name}.html", READY, PATIENCE)
    first = "[...document.querySelectorAll('.md-content td:first-child code')]"
    assert page.evaluate(f"{first}.length") > 10
    assert page.evaluate(f"{first}.filter(each => each.getClientRects().length > 1).length") == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed")
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_no_violation(page: Chromium, server: StaticServer, name: str) -> None:
    found = {}
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)):
        page.media(scheme)
        page.width(width)
        page.visit("about:blank", "'yes'")
        # The theme keeps the scheme of the first visit.
        forgetting = page.call(
            "Page.addScriptToEvaluateOnNewDocument", source="localStorage.clear()"
        )
        page.visit(f"{server.address}/dev/{name}.html", READY, PATIENCE)
        page.wait(STARTED, PATIENCE)
        page.call("Page.removeScriptToEvaluateOnNewDocument", **forgetting)
        assert page.evaluate("document.body.dataset.mdColorScheme") == SCHEMES[scheme]
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.evaluate(AXE.read_text(encoding="utf-8") + "; 0")
        violations = json.loads(
            page.evaluate("axe.run().then(found => JSON.stringify(found.violations))")
        )
        folder = os.environ.get("JOBSWORTH_SCREENSHOTS")
        if folder:
            page.screenshot(Path(folder) / f"site-{name.replace('/', '-')}-{scheme}-{width}.png")
        if violations:
            found[scheme, width] = [
                (each["id"], [node["html"][:200] for node in each["nodes"]]) for each in violations
            ]
    assert found == {}


def test_on_a_phone_the_button_for_the_contents_covers_no_words(
    page: Chromium, server: StaticServer
) -> None:
    def edge(selector: str, side: str) -> float:
        return float(
            page.evaluate(f"document.querySelector('{selector}').getBoundingClientRect().{side}")
        )

    page.width(390)
    page.visit(f"{server.address}/dev/policy.html", READY, PATIENCE)
    assert edge(".md-header", "bottom") <= edge(".md-sidebar-button", "top")
    assert edge(".md-sidebar-button", "bottom") <= edge(".md-content h1", "top")
    page.evaluate("scrollTo(0, 1500), 0")
    page.wait("scrollY > 1000 ? 'yes' : ''")
    assert edge(".md-sidebar-button", "bottom") < 0
    page.evaluate("scrollTo(0, 0), document.querySelector('.md-sidebar-button').click(), 0")
    page.wait(
        "document.querySelector('.md-sidebar--secondary .md-nav__link')?.getBoundingClientRect().height"
        " > 0 ? 'yes' : ''"
    )
    first = edge(".md-sidebar--secondary .md-nav__link", "top")
    assert edge(".md-sidebar-button", "bottom") <= first < 844
