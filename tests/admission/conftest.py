"""What the tests of the webhook share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from asked_webhook import SERVER, Asked, policies
from jobsworth.admission.decision import Reviewer


@pytest.fixture
def asking() -> Callable[..., Asked]:
    """Makes a webhook with policies of these specs."""

    def make(*specs: dict[str, Any], **options: Any) -> Asked:
        return Asked(Reviewer(SERVER, policies(*specs), **options))

    return make
