"""The engine agrees with a real kube-apiserver 1.36 on every recorded case: see README.md here."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path
from typing import Any

import pytest

import jobsworth

CASES = Path(__file__).parent / "cases"
CATEGORIES = ("job", "policy", "success", "meta", "cron", "decode", "update", "pod")

UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
OBJECT = re.compile(r"^([A-Z][a-z]+(?: [a-z]+)*): \{.*\}: ", re.DOTALL)
GENERATED_LABELS = {
    "controller-uid",
    "job-name",
    "batch.kubernetes.io/controller-uid",
    "batch.kubernetes.io/job-name",
}


def cases(category: str) -> list[dict[str, Any]]:
    with lzma.open(CASES / f"{category}.jsonl.xz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def normal(message: str, manifest: dict[str, Any]) -> str:
    """A message without what the server made up, and without the text of whole objects."""
    meta = manifest.get("metadata")
    meta = meta if isinstance(meta, dict) else {}
    if not meta.get("name") and meta.get("generateName"):
        prefix = meta["generateName"][:58]
        message = re.sub(re.escape(prefix) + "[a-z0-9]{5}", prefix + "xxxxx", message)
    return OBJECT.sub(r"\1: {}: ", UID.sub("<uid>", message))


def without_generated(spec: dict[str, Any] | None) -> dict[str, Any]:
    """A Job's spec without the selector and labels that the server generates."""
    spec = json.loads(json.dumps(spec or {}))
    if not spec.get("manualSelector"):
        spec.pop("selector", None)
        meta = spec.get("template", {}).pop("metadata", None) or {}
        meta.pop("creationTimestamp", None)
        labels = meta.pop("labels", None) or {}
        kept = {key: value for key, value in labels.items() if key not in GENERATED_LABELS}
        if kept:
            meta["labels"] = kept
        if meta:
            spec["template"]["metadata"] = meta
    return spec


@pytest.mark.parametrize("category", CATEGORIES)
def test_verdict_and_causes_are_the_servers(category: str) -> None:
    differences = []
    for case in cases(category):
        found = jobsworth.validate(case["object"], old=case.get("old"), kubernetes_version="1.36")
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
