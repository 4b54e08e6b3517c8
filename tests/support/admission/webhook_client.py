"""A webhook with policies, without HTTP: its responses and the outcomes that it emits."""

from __future__ import annotations

import json
from typing import Any

from jobsworth.admission.decision import Reviewer
from jobsworth.admission.outcome import ReviewOutcome
from jobsworth.admission.webhook import Webhook
from jobsworth.api.api_server import ApiServer
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


class WebhookClient:
    """A webhook with some policies, and the outcomes that it emitted."""

    def __init__(self, reviewer: Reviewer) -> None:
        self.reviewer = reviewer
        self.outcomes: list[ReviewOutcome] = []
        self.webhook = Webhook(lambda: self.reviewer, self.outcomes.append)

    def __call__(self, endpoint: str, review: dict[str, Any]) -> dict[str, Any]:
        """The response to a review."""
        answer = self.webhook.answer(endpoint, json.dumps(review).encode())
        response: dict[str, Any] = json.loads(answer)["response"]
        assert response["uid"] == review["request"]["uid"]
        return response
