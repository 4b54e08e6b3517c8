"""A webhook with policies, without HTTP: its responses and the outcomes that it emits."""

from __future__ import annotations

import json
from typing import Any

from jobsworth.admission.decision import Judge
from jobsworth.admission.outcome import Outcome
from jobsworth.admission.webhook import Webhook
from jobsworth.api.server import ApiServer
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.reader import read

SERVER = ApiServer("1.36")


def policies(*specs: dict[str, Any], **metadata: str) -> PolicySet:
    """Policies named p0, p1 … with these specs."""
    return read(
        [
            {
                "apiVersion": "jobsworth.dev/v1alpha1",
                "kind": "JobPolicy",
                "metadata": {"name": f"p{number}", **metadata},
                "spec": spec,
            }
            for number, spec in enumerate(specs)
        ]
    )


class Asked:
    """A webhook with some policies, and the outcomes that it emitted."""

    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.outcomes: list[Outcome] = []
        self.webhook = Webhook(lambda: self.judge, self.outcomes.append)

    def __call__(self, door: str, review: dict[str, Any]) -> dict[str, Any]:
        """Return the response to a review."""
        answer = self.webhook.answer(door, json.dumps(review).encode())
        response: dict[str, Any] = json.loads(answer)["response"]
        assert response["uid"] == review["request"]["uid"]
        return response
