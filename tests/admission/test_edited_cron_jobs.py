"""The webhook on updates of CronJobs that start a run whose time has passed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import jobsworth
from support.admission.admission_reviews import UID, as_an_api_server_sends, review
from support.admission.webhook_client import WebhookClient
from support.lint.linted_jobs import cron_job, job

NOON = datetime(2027, 1, 2, 12, tzinfo=UTC).timestamp()


def stored(**spec: Any) -> dict[str, Any]:
    """A CronJob as an API server has it, which ran last on Fri 2027-01-01 at 23:00."""
    value = as_an_api_server_sends(jobsworth.default(cron_job(job(), **spec)), UID)
    metadata = {**value["metadata"], "creationTimestamp": "2026-06-01T00:00:00Z"}
    return {**value, "metadata": metadata, "status": {"lastScheduleTime": "2027-01-01T23:00:00Z"}}


OLD = stored(schedule="0 23 * * *")
NEW = stored(schedule="0 5 * * *")


def answer(client: WebhookClient, new: dict[str, Any], old: dict[str, Any]) -> dict[str, Any]:
    return client("validate", review(new, old))


def test_a_policy_warns_of_the_run_that_an_update_starts(
    client_with: Callable[..., WebhookClient],
) -> None:
    client = client_with({"rules": {"JW423": "warn"}}, now=lambda: NOON)
    found = answer(client, NEW, OLD)
    assert found["allowed"]
    (warning,) = found["warnings"]
    assert "The run of Sat 2027-01-02 05:00 +0000, which has passed, starts 18 h late" in warning


def test_a_policy_denies_it(client_with: Callable[..., WebhookClient]) -> None:
    client = client_with({"rules": {"edit-starts-run": "deny"}}, now=lambda: NOON)
    found = answer(client, NEW, OLD)
    assert not found["allowed"]
    assert found["status"]["details"]["causes"][0]["field"] == "spec.schedule"
    assert answer(client, stored(schedule="0 18 * * *"), OLD)["allowed"]
    assert answer(client, OLD, OLD)["allowed"]


def test_before_the_new_time_it_is_allowed(client_with: Callable[..., WebhookClient]) -> None:
    client = client_with({"rules": {"edit-starts-run": "deny"}}, now=lambda: NOON - 8 * 3600)
    assert answer(client, NEW, OLD)["allowed"]


def test_the_end_of_a_suspension_is_one_too(client_with: Callable[..., WebhookClient]) -> None:
    client = client_with({"rules": {"edit-starts-run": "deny"}}, now=lambda: NOON)
    suspended = stored(schedule="0 5 * * *", suspend=True)
    assert not answer(client, NEW, suspended)["allowed"]
    limited = stored(schedule="0 5 * * *", startingDeadlineSeconds=300)
    assert answer(client, limited, suspended)["allowed"]
