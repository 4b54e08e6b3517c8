"""The engine agrees with a real kube-apiserver 1.36 on every recorded case: see README.md here."""

from __future__ import annotations

import pytest

import jobsworth
from support.api_server.oracle_cases import CATEGORIES, cases
from support.validation.server_comparison import normal, without_generated


@pytest.mark.parametrize("category", CATEGORIES)
def test_verdict_and_causes_are_the_servers(category: str) -> None:
    differences = []
    for case in cases(category):
        found = jobsworth.validate(
            case["object"],
            old=case.get("old"),
            kubernetes_version="1.36",
            allow_privileged=False,  # as the recorded server ran
        )
        errors = [finding for finding in found if finding.severity == "error"]
        ours = {
            (error.field, error.reason, normal(error.message, case["object"])) for error in errors
        }
        if case["code"] == 422:
            theirs = {
                (field, reason, normal(message, case["object"]))
                for field, reason, message in case["causes"]
            }
            if ours != theirs:
                differences.append((case["id"], "missing", theirs - ours, "surplus", ours - theirs))
        elif bool(errors) != (case["code"] == 400):
            differences.append((case["id"], case["code"], ours))
    assert differences == []


@pytest.mark.parametrize("category", [name for name in CATEGORIES if name != "update"])
def test_defaults_are_the_servers(category: str) -> None:
    differences = []
    for case in cases(category):
        if "spec" in case:
            ours = jobsworth.default(case["object"], kubernetes_version="1.36")
            if without_generated(ours["spec"]) != without_generated(case["spec"]):
                differences.append(case["id"])
    assert differences == []
