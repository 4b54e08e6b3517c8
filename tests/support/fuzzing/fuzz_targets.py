"""What reads bytes from others: each target runs the product on them and checks what everything must hold."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from lsprotocol import types

from jobsworth.admission.review import BadReview
from jobsworth.api.api_server import ApiServer
from jobsworth.cli import run
from jobsworth.files.steps import result_of_steps
from jobsworth.lsp.code_actions import FIX_ALL, code_actions, with_all_safe_fixes
from jobsworth.lsp.diagnostics import diagnostics
from jobsworth.lsp.failure_policy import explanation, has_failure_policy
from jobsworth.lsp.field_hover import hover
from jobsworth.lsp.open_text import evaluated
from support.admission.admission_reviews import review
from support.editors.open_texts import open_text, with_edits, workspace
from support.scaling.hostile_requests import ENDPOINTS, Reviewed

ROOT = Path(__file__).parents[3]
MAX_OUTPUT = 4 << 20
"""The most bytes that a command may write about an input of at most 64 KiB."""
MAX_ANSWER = 300_000
MAX_MESSAGE = 1000
FORMATS = ("text", "concise", "json", "sarif", "junit", "github")

MANIFEST = (ROOT / "examples/valid/ml-training.yaml").read_bytes()

CONFIGURATION = b"""kubernetes-version: "1.36"
feature-gates: {MutablePodResourcesForSuspendedJobs: true}
allow-privileged: true
select: [JW1, default]
ignore: [JW120]
severity: {JW101: error}
per-file-ignores:
  "tests/**": [JW2]
exclude: ["**/generated/*.yaml"]
policy: [policy.yaml]
"""

PROJECT = b"""[project]
name = "a"

[tool.jobsworth]
kubernetes-version = 1.36
select = ["JW1"]
ignore = ["JW120"]
exclude = ["**/x"]

[tool.jobsworth.severity]
JW101 = "error"

[tool.jobsworth.per-file-ignores]
"tests/**" = ["JW2"]
"""

BASELINE = json.dumps(
    {
        "version": 1,
        "findings": [
            {
                "file": "job.yaml", "code": "JW101", "kind": "Job", "namespace": "",
                "name": "train-recommender", "field": "spec.podFailurePolicy",
            }
        ],
    }
).encode()  # fmt: skip

Draw = Callable[[int], int]
"""Returns a number below another."""


@dataclass(frozen=True)
class Target:
    """A reader of bytes.

    Attributes:
        seeds: valid inputs.
        run: reads some bytes in the current folder, and fails if a property is violated.
        words: pieces that mean something to the reader.
    """

    seeds: Sequence[bytes]
    run: Callable[[bytes, Draw], None]
    words: Sequence[bytes] = ()


def _command(*arguments: str) -> None:
    """Run a command, which must end with 0, 1 or 2 and without a traceback."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = run(list(arguments))
        except SystemExit as stopped:
            code = int(stopped.code or 0)
    written = out.getvalue() + err.getvalue()
    assert code in (0, 1, 2), f"exit code {code}: {written[-500:]}"
    assert "Traceback (most recent call last)" not in written
    assert "internal error" not in written
    assert len(written) < MAX_OUTPUT, f"{len(written):,} characters of output"


def _write(name: str, data: bytes) -> str:
    Path(name).write_bytes(data)
    return name


def _manifest(data: bytes, draw: Draw) -> None:
    name = _write(("job.yaml", "job.json")[draw(2)], data)
    match draw(5):
        case 0:
            _command("validate", "--isolated", "--diff", "--unsafe-fixes", name)
        case 1:
            _command("default", name)
        case 2:
            _command("validate", "--isolated", "--mixed", "--select=JW", name)
        case _:
            _command("validate", "--isolated", "-o", FORMATS[draw(len(FORMATS))], name)
    os.remove(name)


def _configuration(data: bytes, draw: Draw) -> None:
    _write("job.yaml", MANIFEST)
    _command("validate", "--config", _write("configuration.yaml", data), "job.yaml")


def _project(data: bytes, draw: Draw) -> None:
    _write("job.yaml", MANIFEST)
    _command("validate", "--config", _write("pyproject.toml", data), "job.yaml")


def _baseline(data: bytes, draw: Draw) -> None:
    _write("job.yaml", MANIFEST)
    _command("validate", "--isolated", "--baseline", _write("baseline.json", data), "job.yaml")


def _policy(data: bytes, draw: Draw) -> None:
    _write("job.yaml", MANIFEST)
    name = _write("policy.yaml", data)
    match draw(3):
        case 0:
            _command("policy", "check", name)
        case 1:
            _command("policy", "explain", name, "job.yaml")
        case _:
            _command("validate", "--isolated", "--policy", name, "job.yaml")


def _policy_test(data: bytes, draw: Draw) -> None:
    _command("policy", "test", _write("policy_test.yaml", data))


@cache
def _webhook() -> Reviewed:
    return Reviewed(ApiServer("1.36"))


def _review(data: bytes, draw: Draw) -> None:
    webhook = _webhook()
    try:
        answer = webhook(ENDPOINTS[draw(2)], data)
    except BadReview as error:
        status, message = error.status, str(error)
    else:
        status, message = 200, ""
    assert status < 500
    assert len(message) < MAX_MESSAGE
    if message:
        return
    assert webhook.error == ""
    assert len(answer) < MAX_ANSWER
    assert isinstance(json.loads(answer)["response"]["allowed"], bool)


def _open_text(data: bytes, draw: Draw) -> None:
    """Whatever the text, an editor gets ranges in it, fixes that apply, and an explanation."""
    text = open_text(
        data.decode("utf-8", "surrogateescape"), f"/repository/job.{('yaml', 'json')[draw(2)]}"
    )
    evaluator, server = workspace(), ApiServer("1.36")
    found = result_of_steps(evaluated(text, evaluator))
    for diagnostic in diagnostics(found):
        start, end = map(text.positions.offset_at, (diagnostic.range.start, diagnostic.range.end))
        assert 0 <= start <= end <= len(text.positions.text)
        assert diagnostic.message
    everywhere = types.Range(types.Position(0, 0), types.Position(len(data), 0))
    document = types.TextDocumentIdentifier(text.uri)
    params = types.CodeActionParams(document, everywhere, types.CodeActionContext([]))
    for action in result_of_steps(code_actions(found, evaluator, params)):
        if action.kind == FIX_ALL:
            result_of_steps(with_all_safe_fixes(action, text, evaluator))
        if action.edit is not None:
            assert action.edit.changes is not None
            with_edits(text, list(action.edit.changes[text.uri]))
    lines = len(data.splitlines())
    hover(text, server, types.Position(draw(60) * lines // 60, draw(60)))
    if has_failure_policy(text):
        assert result_of_steps(explanation(text, server))


def _manifests() -> list[bytes]:
    return [path.read_bytes() for path in sorted((ROOT / "examples").rglob("*.yaml"))]


def _reviews() -> list[bytes]:
    found = []
    for data in _manifests():
        for value in yaml.safe_load_all(data):
            if isinstance(value, dict) and value.get("kind") in ("Job", "CronJob"):
                changed: Any = json.loads(json.dumps(value, default=str))
                changed.setdefault("metadata", {})["annotations"] = {"a": "b"}
                found.append(json.dumps(review(changed), default=str).encode())
                found.append(json.dumps(review(changed, value), default=str).encode())
    return found


def _policies(*, tests: bool) -> list[bytes]:
    return [
        path.read_bytes()
        for path in sorted((ROOT / "policies").glob("*.yaml"))
        if path.stem.endswith("_test") == tests
    ]


POLICY_WORDS = (
    b"limits", b"defaults", b"match", b"expressions", b"expression: object.spec.x", b"maximum", b"minimum", b"allowed",
    b"denied", b"required", b"forbidden", b"value", b"when: always", b"atLeast", b"immutable", b"rules", b"exempt",
    b"namespaceSelector", b"matchLabels", b"object.spec.template.spec.containers.all(c, c.image == '')", b"10%",
    b"variables.a", b"quantity('1Gi')", b"size(object.metadata.name)", b"oldObject", b"onInternalError: deny",
)  # fmt: skip
CONFIGURATION_WORDS = (
    b"select", b"ignore", b"severity", b"per-file-ignores", b"exclude", b"policy", b"feature-gates", b"JW101", b"JW",
    b"tool", b"tool.jobsworth", b"[tool.jobsworth]\n", b"[[tool]]\n", b"**/", b"default", b"1.30", b'"""', b"= ",
)  # fmt: skip

TARGETS = {
    "manifest": Target(_manifests(), _manifest),
    "open text": Target(_manifests(), _open_text),
    "configuration": Target([CONFIGURATION], _configuration, CONFIGURATION_WORDS),
    "pyproject": Target([PROJECT], _project, CONFIGURATION_WORDS),
    "baseline": Target([BASELINE], _baseline),
    "policy": Target(_policies(tests=False), _policy, POLICY_WORDS),
    "policy test": Target(_policies(tests=True), _policy_test, POLICY_WORDS),
    "AdmissionReview": Target(_reviews(), _review),
}
"""The targets by name."""
