"""A patch makes of an object what ``jobsworth default --policy`` prints, and filling in twice changes nothing."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import jobsworth
from jobsworth.admission.decision import Reviewer
from jobsworth.cli import run
from jobsworth.files.policies.policy_files import load_policies
from support.admission.admission_reviews import (
    as_an_api_server_sends,
    operations_of,
    patched,
    review,
)
from support.admission.webhook_client import SERVER, WebhookClient, policies
from support.api_server.oracle_cases import cases
from support.validation.engine_errors import job_with

POLICIES = str(Path(__file__).parent.parent.parent / "policies")
NAMESPACES = ("ml-vision", "ci", "research", "payments", "default")


@pytest.fixture(scope="module")
def client() -> WebhookClient:
    return WebhookClient(Reviewer(SERVER, load_policies([POLICIES])))


@cache
def accepted() -> list[dict[str, Any]]:
    """Return Jobs and CronJobs that a server accepted."""
    found = []
    for category in ("job", "policy", "success", "cron", "pod"):
        found += [case["object"] for case in cases(category) if case["code"] == 201][:10]
    return found


def objects(namespace: str) -> list[dict[str, Any]]:
    """Return the same objects in a namespace."""
    return [
        {**value, "metadata": {**value["metadata"], "namespace": namespace}} for value in accepted()
    ]


def printed(
    values: list[dict[str, Any]], folder: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> list[dict[str, Any]]:
    """Return the output of ``jobsworth default``."""
    file = folder / "jobs.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": values}))
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        run(["default", "--kubernetes-version", "1.36", *options, "-o", "json", str(file)])
    assert ended.value.code == 0
    items: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["items"]
    return items


@pytest.mark.slow
@pytest.mark.parametrize("namespace", NAMESPACES)
def test_a_patched_object_is_what_default_with_the_policy_prints(
    client: WebhookClient, namespace: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = objects(namespace)
    expected = printed(values, tmp_path, capsys, "--policy", POLICIES)
    without = printed(values, tmp_path, capsys)
    assert expected != without
    for value, filled, plain in zip(values, expected, without, strict=True):
        operations = operations_of(client("mutate", review(value)))
        if filled == plain:
            assert operations == []
        else:
            assert patched(value, operations) == filled
            assert operations_of(client("mutate", review(filled))) == []


def fields_of(value: Any) -> dict[str, Any]:
    """The fields of a manifest as server-side apply notes them (``FieldsV1``)."""
    if not isinstance(value, dict):
        return {}
    return {f"f:{name}": fields_of(part) for name, part in value.items()}


@pytest.mark.slow
@pytest.mark.parametrize("namespace", NAMESPACES)
def test_an_object_with_server_defaults_is_patched_alike_and_stays_valid(
    client: WebhookClient, namespace: str
) -> None:
    for value in objects(namespace):
        # As text: in the defaulted object the labels of the Job and its template are the same map.
        text = json.dumps(jobsworth.default(value, kubernetes_version="1.36"))
        filled = json.loads(text)
        sent = {
            **filled,
            "metadata": {
                **filled["metadata"],
                "creationTimestamp": None,
                "managedFields": [{"operation": "Apply", "fieldsV1": fields_of(value)}],
            },
            "status": {},
        }
        operations = operations_of(client("mutate", review(sent)))
        assert all(one["path"].startswith(("/spec", "/metadata/")) for one in operations)
        made = patched(sent, operations)
        assert (made["metadata"]["creationTimestamp"], made["status"]) == (None, {})
        alone = patched(value, operations_of(client("mutate", review(value))))
        if operations:
            assert made["spec"] == alone["spec"]
        found = jobsworth.validate(made, kubernetes_version="1.36")
        assert [finding for finding in found if finding.severity == "error"] == []


def test_a_manifest_that_is_applied_again_gets_its_immutable_fields_back_without_any_policy() -> (
    None
):
    ignore = {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget"}]}
    defaults = {"podFailurePolicy": {"rulesBefore": [ignore]}}
    asked = WebhookClient(Reviewer(SERVER, policies({"defaults": defaults})))
    plain = job_with()
    plain["spec"]["podFailurePolicy"] = {
        "rules": [{"action": "Count", "onExitCodes": {"operator": "In", "values": [1]}}]
    }
    sent = as_an_api_server_sends(jobsworth.default(plain, kubernetes_version="1.36"), "uid-1")
    sent["metadata"]["managedFields"] = []
    stored = patched(sent, operations_of(asked("mutate", review(sent))))
    again = {
        **stored,
        "spec": {**stored["spec"], "podFailurePolicy": sent["spec"]["podFailurePolicy"]},
    }
    assert again["spec"] != stored["spec"]
    asked.reviewer = Reviewer(SERVER, policies())
    operations = operations_of(asked("mutate", review(again, stored)))
    assert patched(again, operations) == stored
    assert operations_of(asked("mutate", review(stored, stored))) == []


def test_a_label_with_always_holds_when_only_labels_change() -> None:
    defaults = {
        "labels": {"queue": {"value": "shared", "when": "always"}},
        "backoffLimit": {"value": 1},
    }
    asked = WebhookClient(Reviewer(SERVER, policies({"defaults": defaults})))
    old = as_an_api_server_sends(jobsworth.default(job_with(), kubernetes_version="1.36"), "uid-1")
    old["metadata"] |= {"managedFields": [], "labels": {"queue": "shared"}}
    new = {**old, "metadata": {**old["metadata"], "labels": {"queue": "mine"}}}
    operations = operations_of(asked("mutate", review(new, old)))
    assert operations == [{"op": "add", "path": "/metadata/labels/queue", "value": "shared"}]
