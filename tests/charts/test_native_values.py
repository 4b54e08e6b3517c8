"""The chart's variant with exported policies has the export of its policies, as the command writes it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from jobsworth.policy.export.exported_policy import LEVELS, exported_policy
from jobsworth.policy.reader import read

VARIANT = Path(__file__).parents[2] / "charts" / "jobsworth" / "ci" / "native-values.yaml"


def test_the_variant_is_no_stale_export() -> None:
    values: dict[str, Any] = yaml.safe_load(VARIANT.read_text())
    for name, spec in values["policies"].items():
        document = {
            "apiVersion": "jobsworth.dev/v1alpha1",
            "kind": "JobPolicy",
            "metadata": {"name": name},
            "spec": spec,
        }
        (policy,) = read([document]).policies
        hashes = {exported_policy(document, policy, minor).hash for minor in LEVELS}
        exported = values["enforcement"]["native"]["policies"][name]
        renewal = "write it again: jobsworth policy export --to chart-values"
        assert exported in hashes, renewal
        labels = [each["metadata"]["labels"] for each in values["enforcement"]["native"]["objects"]]
        assert {each["jobsworth.dev/export-hash"] for each in labels} == {exported}
