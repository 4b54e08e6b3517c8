"""Fixtures for the webhook tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jobsworth.admission.decision import Reviewer
from support.admission.webhook_client import SERVER, WebhookClient, policies


@pytest.fixture
def client_with() -> Callable[..., WebhookClient]:
    """Makes a webhook with policies of these specs."""

    def make(*specs: dict[str, Any], **options: Any) -> WebhookClient:
        return WebhookClient(Reviewer(SERVER, policies(*specs), **options))

    return make
