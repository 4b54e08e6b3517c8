"""What a worker logs and counts when its files change."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from jobsworth.admission.request_log import Log
from jobsworth.admission.review_metrics import WebhookMetrics
from jobsworth.api.api_server import ApiServer
from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles
from jobsworth.serving.active_policies import StateMaker
from jobsworth.serving.policy_files import PolicyFiles
from jobsworth.serving.reloaded_files import ServedFiles
from jobsworth.serving.settings import Files

POLICY = """\
apiVersion: jobsworth.dev/v1alpha1
kind: JobPolicy
metadata: {{name: {}}}
spec: {{limits: {{backoffLimit: {{maximum: 5}}}}}}
"""
BROKEN = POLICY.replace("maximum", "maximun")


class Recorded:
    """A log and metrics that keep what they get."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, list[str]]] = []
        self.removals = 0

    def event(self, level: str, message: str, **facts: Any) -> None:
        self.events.append((level, message, facts.get("policies", [])))

    def removed(self, policies: int) -> None:
        self.removals += policies

    def __getattr__(self, name: str) -> Any:
        return lambda *_, **__: None


def served_from(folder: Path) -> tuple[ServedFiles, Recorded]:
    policies = PolicyFiles(EffectivePolicyFiles([folder]).load, [folder])
    states = StateMaker(lambda release: ApiServer(), lambda name: None, "deny")
    missing = folder / "none"
    files = Files(certificate=missing, key=missing)
    recorded = Recorded()
    served = ServedFiles(
        files, policies, states, log=cast(Log, recorded), metrics=cast(WebhookMetrics, recorded)
    )
    return served, recorded


def test_removed_policies_are_named_and_counted(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(POLICY.format(name))
    served, recorded = served_from(tmp_path)
    served.load()
    for name in "ab":
        (tmp_path / f"{name}.yaml").unlink()
    for _ in range(3):
        served.load()
    warnings = [(message, names) for level, message, names in recorded.events if level == "warning"]
    assert warnings == [
        ("policies were removed: their documents are not in the files any more", ["a", "b"])
    ]
    assert recorded.removals == 2
    assert served.state is not None
    assert [policy.name for policy in served.state.policies.policies.policies] == ["c"]


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"a": BROKEN}, "policy rejected: a is invalid, its last valid version is active; fix the files"),
        ({"new": BROKEN}, "policy rejected: new is invalid, it enforces nothing; fix the files"),
        (
            {"a": BROKEN, "new": BROKEN},
            "policy rejected: a is invalid, its last valid version is active; new is invalid, it enforces "
            "nothing; fix the files",
        ),
        ({"new": "spec: ["}, "policy rejected: a file that cannot be read enforces nothing; fix the files"),
    ],
)  # fmt: skip
def test_a_rejection_says_of_each_broken_policy_what_is_so(
    tmp_path: Path, changed: dict[str, str], message: str
) -> None:
    (tmp_path / "a.yaml").write_text(POLICY.format("a"))
    served, recorded = served_from(tmp_path)
    served.load()
    for name, text in changed.items():
        (tmp_path / f"{name}.yaml").write_text(text.format(name))
    for _ in range(3):
        served.load()
    rejected = [text for _, text, _ in recorded.events if text.startswith("policy rejected")]
    assert rejected == [message]
