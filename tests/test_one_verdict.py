"""The command line, the library and the webhook give the same verdict on the same object."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jobsworth
from jobsworth.admission.application import create_application
from jobsworth.admission.decision import Reviewer
from jobsworth.admission.webhook import Webhook
from jobsworth.api.api_server import ALLOW_PRIVILEGED, ApiServer
from jobsworth.cli import run
from jobsworth.cli.commands.serve import ServedOptions
from jobsworth.cli.server_options import server_of_release
from jobsworth.findings.finding import Finding
from jobsworth.manifests import expand_lists, read_file
from support.admission.admission_reviews import body_of, response_of
from support.admission.webhook_client import policies
from support.cli.parsed_options import parsed

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted(
    path for path in (ROOT / "examples").rglob("*") if path.suffix in (".yaml", ".yml", ".json")
)
PRIVILEGED = """\
apiVersion: batch/v1
kind: Job
metadata: {name: tune-node}
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: main
          image: registry.example.com/tune:1.4
          securityContext: {privileged: true}
"""
UNREADABLE = {"JW001", "JW002"}
"""The codes of errors that an API server reports before it validates an object or calls a webhook."""

Verdict = list[tuple[str, str, str]]
"""The code, field and message of each error of the API server."""


@pytest.fixture(params=[*EXAMPLES, None], ids=lambda path: path.name if path else "privileged")
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    if request.param is not None:
        return Path(request.param)
    (tmp_path / "privileged.yaml").write_text(PRIVILEGED)
    return tmp_path / "privileged.yaml"


def objects(file: Path) -> list[dict[str, Any]]:
    """Return the Jobs and CronJobs of a file."""
    values = (document.value for document in expand_lists(read_file(str(file))))
    return [
        value
        for value in values
        if isinstance(value, dict)
        and (value.get("apiVersion"), value.get("kind"))
        in (("batch/v1", "Job"), ("batch/v1", "CronJob"))
    ]


def verdict(findings: list[Finding]) -> Verdict:
    return sorted(
        (each.code, each.field, each.message)
        for each in findings
        if each.source == "api" and each.severity == "error"
    )


@pytest.fixture
def reported(file: Path, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """The objects in the report of ``jobsworth validate``."""
    run(["validate", "--isolated", "--info", "-o", "json", str(file)])
    results: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["results"]
    return [each for each in results if each["status"] in ("valid", "invalid")]


@pytest.fixture
def on_the_command_line(reported: list[dict[str, Any]]) -> list[Verdict]:
    return [
        sorted(
            (each["code"], each["field"], each["message"])
            for each in result["findings"]
            if (each["source"], each["severity"]) == ("api", "error")
        )
        for result in reported
    ]


@pytest.mark.parametrize(
    "function", [jobsworth.validate, lambda value: jobsworth.evaluate(value).findings]
)
def test_the_library_gives_the_verdict_of_the_command_line(
    function: Callable[[dict[str, Any]], list[Finding]],
    file: Path,
    on_the_command_line: list[Verdict],
) -> None:
    for value, expected in zip(objects(file), on_the_command_line, strict=True):
        found = verdict(function(value))
        if any(code in UNREADABLE for code, _, _ in found):
            # The command line also reports what the server will report once the object can be decoded.
            assert set(found) <= set(expected)
        else:
            assert found == expected


def test_the_text_of_a_file_has_the_findings_of_the_command_line(
    file: Path, reported: list[dict[str, Any]]
) -> None:
    def shown(finding: Any, line: int) -> tuple[Any, ...]:
        return (line, finding["code"], finding["field"], finding["severity"], finding["message"])

    found = [
        (
            each.line,
            each.finding.code,
            each.finding.field,
            each.finding.severity,
            each.finding.message,
        )
        for each in jobsworth.validate_text(file.read_bytes())
    ]
    assert sorted(found) == sorted(
        shown(each, each["line"]) for result in reported for each in result["findings"]
    )


def test_the_webhook_gives_the_verdict_of_the_command_line(
    file: Path, reported: list[dict[str, Any]]
) -> None:
    server = server_of_release(parsed(ServedOptions))("")
    reviewer = Reviewer(server, policies())
    client = create_application(Webhook(lambda: reviewer, lambda outcome: None)).test_client()
    for value, result in zip(objects(file), reported, strict=True):
        errors = [
            (each["reason"], each["field"], each["message"])
            for each in result["findings"]
            if (each["source"], each["severity"]) == ("api", "error")
        ]
        answer = client.post(
            "/validate", data=body_of(value), headers={"Content-Type": "application/json"}
        )
        response = response_of(answer.data)
        assert response["allowed"] == (result["status"] == "valid"), response
        if any(each["code"] in UNREADABLE for each in result["findings"]):
            continue
        causes = response.get("status", {}).get("details", {}).get("causes", [])
        assert sorted(
            (each["reason"], each["field"], each["message"]) for each in causes
        ) == sorted(errors)


def test_every_entry_point_assumes_a_server_with_allow_privileged() -> None:
    assert ALLOW_PRIVILEGED
    assert ApiServer().allow_privileged
    for function in (
        jobsworth.validate, jobsworth.validate_text, jobsworth.default, jobsworth.evaluate,
    ):  # fmt: skip
        parameter = inspect.signature(function).parameters["allow_privileged"]
        assert parameter.default == ALLOW_PRIVILEGED


def test_a_server_without_it_rejects_a_privileged_container_everywhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "job.yaml").write_text(PRIVILEGED)
    (value,) = objects(tmp_path / "job.yaml")
    assert run(["validate", "--isolated", "--no-allow-privileged", str(tmp_path / "job.yaml")]) == 1
    field = "spec.template.spec.containers[0].securityContext.privileged"
    assert field in capsys.readouterr().out
    for found in (
        jobsworth.validate(value, allow_privileged=False),
        jobsworth.evaluate(value, allow_privileged=False).findings,
        [each.finding for each in jobsworth.validate_text(PRIVILEGED, allow_privileged=False)],
    ):
        assert [each.field for each in found if each.severity == "error"] == [field]
