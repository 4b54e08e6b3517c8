"""The files that determine the registration: a template and the policies, read again when they change."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("cryptography")
pytest.importorskip("kubernetes")

from jobsworth.certificates.cluster_store import WebhookConfiguration
from jobsworth.certificates.registration_files import (
    READY_SECONDS,
    LoggedPolicies,
    Readiness,
    RegistrationFiles,
)
from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles
from jobsworth.files.policies.profiles import Profile
from jobsworth.policy.export.exported_policy import exported_policy
from jobsworth.policy.reader import read
from jobsworth.policy.violation import Effect
from jobsworth.registration import EVERYTHING
from jobsworth.serving.policy_files import PolicyFiles, no_policies
from support.policy.policy_requests import document

VALIDATING = "ValidatingWebhookConfiguration jobsworth"
MUTATING = "MutatingWebhookConfiguration jobsworth"

KNOWN = [
    WebhookConfiguration(f"{kind}WebhookConfiguration", "jobsworth")
    for kind in ("Mutating", "Validating")
]


def template(*kinds: str) -> str:
    return yaml.safe_dump_all(
        {
            "kind": f"{kind}WebhookConfiguration",
            "metadata": {"name": "jobsworth", "labels": {"a": "b"}},
            "webhooks": [{"name": "x.jobsworth.dev", "failurePolicy": "Fail", "clientConfig": {}}],
        }
        for kind in kinds
    )


def reloaded(paths: list[Path], profile: Profile | None = None) -> LoggedPolicies:
    files = EffectivePolicyFiles(paths, profile)
    return LoggedPolicies(PolicyFiles(files.load, files.watched))


class Folder:
    def __init__(self, root: Path) -> None:
        self.template = root / "registration.yaml"
        self.policies = root / "policies"
        self.policies.mkdir()
        self.template.write_text(template("Mutating", "Validating"))
        self.policy()

    def policy(self, **spec: Any) -> None:
        limits = {"limits": {"backoffLimit": {"maximum": 3}}, "match": [{"kinds": ["Job"]}]}
        text = yaml.safe_dump(document(**{**limits, **spec}))
        (self.policies / "policy.yaml").write_text(text)

    def files(self, api_verdict: Any = "warn", **exports: str) -> RegistrationFiles:
        policies = reloaded([self.policies])
        return RegistrationFiles(self.template, policies, api_verdict, KNOWN, exports)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def conditions(files: RegistrationFiles, key: str = VALIDATING) -> list[Any] | None:
    scope = (files.templates() or {})[key].scope
    return None if scope is None else [part.condition for part in scope]


def test_a_template_is_read_for_each_configuration(folder: Folder) -> None:
    found = folder.files().templates()
    assert found is not None
    assert set(found) == {MUTATING, VALIDATING}
    assert found[VALIDATING].metadata == {"labels": {"a": "b"}, "annotations": {}}
    assert found[VALIDATING].webhook["name"] == "x.jobsworth.dev"


@pytest.mark.slow
def test_policies_are_read_again_when_they_change(folder: Folder) -> None:
    files = folder.files()
    assert conditions(files) == ['request.resource.resource in ["jobs"]']
    assert conditions(files, MUTATING) == [False]
    folder.policy(enforcement="warn")
    assert conditions(files) == [False]


@pytest.mark.slow
def test_invalid_policies_are_logged_and_the_last_valid_ones_count(
    folder: Folder, caplog: pytest.LogCaptureFixture
) -> None:
    files = folder.files()
    before = conditions(files)
    folder.policy(limits={"backoffLimt": {}})
    with caplog.at_level(logging.ERROR, "jobsworth.certificates"):
        assert conditions(files) == before
        assert conditions(files) == before
    (record,) = [each for each in caplog.records if each.levelname == "ERROR"]
    assert "rejected policies" in record.message
    assert "backoffLimt" in record.message
    assert conditions(folder.files()) == [False]  # never valid: it denies nothing


def test_the_verdict_of_the_api_may_deny_everything(folder: Folder) -> None:
    files = folder.files("deny")
    assert (files.templates() or {})[VALIDATING].scope == EVERYTHING


def test_what_the_api_server_enforces_needs_no_webhook(folder: Folder) -> None:
    value = document("rules", limits={"parallelism": {"maximum": 3}}, cronJobJobs="enforce")
    (folder.policies / "policy.yaml").write_text(yaml.safe_dump(value))
    exported = exported_policy(value, read([value]).policies[0], 36)
    assert conditions(folder.files()) == [True]
    assert conditions(folder.files(rules=exported.hash)) == [False]
    assert conditions(folder.files(rules="of another version")) == [True]


def test_without_policies_nothing_is_required(folder: Folder) -> None:
    files = RegistrationFiles(folder.template, LoggedPolicies(no_policies()), "warn", KNOWN, {})
    assert conditions(files) == [False]


def test_what_a_profile_denies_is_required(folder: Folder) -> None:
    def required(effect: Effect) -> list[Any] | None:
        policies = reloaded([], Profile("baseline", effect))
        return conditions(RegistrationFiles(folder.template, policies, "warn", KNOWN, {}))

    assert required("warn") == [False]
    assert required("deny") != [False]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("kind: Job", "Job is not a webhook configuration"),
        ("kind: ValidatingWebhookConfiguration\nwebhooks: []", "with one webhook"),
        ("a: [", "registration.yaml"),
        (
            template("Validating").replace("jobsworth\n", "other\n"),
            "ValidatingWebhookConfiguration other is not one to manage: "
            "name it in --validating-webhook-configuration",
        ),
    ],
)
def test_an_invalid_template_is_logged(
    folder: Folder, caplog: pytest.LogCaptureFixture, text: str, why: str
) -> None:
    folder.template.write_text(text)
    with caplog.at_level(logging.ERROR, "jobsworth.certificates"):
        assert folder.files().templates() is None
    assert why in caplog.records[0].message


@pytest.fixture
def webhook() -> Iterator[HTTPServer]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/readyz" else 503)
            self.end_headers()

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_replica_counts_after_it_has_been_ready_for_a_while(webhook: HTTPServer) -> None:
    now = 100.0
    url = f"http://127.0.0.1:{webhook.server_port}"
    ready, not_ready = Readiness(f"{url}/readyz", lambda: now), Readiness(f"{url}/x", lambda: now)
    assert not ready()
    now += READY_SECONDS
    assert ready()
    assert not not_ready()


def test_nothing_that_answers_is_not_ready() -> None:
    assert not Readiness("http://127.0.0.1:9/readyz", lambda: 0.0)()
    assert not Readiness("no url", lambda: 0.0)()
    assert Readiness("")()
