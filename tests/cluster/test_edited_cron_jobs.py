"""The update of a stored CronJob on a real API server: as the webhook sees it, and `--against live`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from cluster.controller.pod import MERGE
from jobsworth.controller.times import write_time
from support.admission.registered_webhook import RegisteredWebhook, registered_webhook

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cluster.bed import TestBed

HOUR = 3600


@pytest.fixture(scope="module")
def webhook(bed: TestBed) -> Iterator[RegisteredWebhook]:
    with registered_webhook(bed, "edits") as found:
        yield found


def daily(moment: float) -> str:
    """Return the schedule of a daily run at the time of a moment."""
    found = datetime.fromtimestamp(moment, UTC)
    return f"{found.minute} {found.hour} * * *"


def cron_job(schedule: str) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.example.com/mail:1.4"}
    pod = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "mail"},
        "spec": {
            "schedule": schedule,
            "timeZone": "Etc/UTC",
            "jobTemplate": {"spec": {"template": pod}},
        },
    }


def stored(bed: TestBed, namespace: str) -> str:
    """Store a CronJob that runs in five hours, and ran 19 hours ago; returns its path."""
    now = time.time()
    bed.create(cron_job(daily(now + 5 * HOUR)), namespace)
    path = f"/apis/batch/v1/namespaces/{namespace}/cronjobs/mail"
    last = int(now + 5 * HOUR) // 60 * 60 - 24 * HOUR
    status = {"status": {"lastScheduleTime": write_time(last)}}
    assert bed.request("PATCH", f"{path}/status", status, content_type=MERGE).code == 200
    return path


def test_a_client_gets_the_warning_of_a_policy(bed: TestBed, webhook: RegisteredWebhook) -> None:
    webhook.load_specs(careful={"rules": {"edit-starts-run": "warn"}})
    path = stored(bed, webhook.namespace("edits"))
    coming = {"spec": {"schedule": daily(time.time() + 3 * HOUR)}}
    assert bed.request("PATCH", path, coming, content_type=MERGE).warnings == ()
    passed = {"spec": {"schedule": daily(time.time() - 3 * HOUR)}}
    answer = bed.request("PATCH", path, passed, content_type=MERGE)
    assert answer.code == 200
    # If its cache was stale, the API server reviews the update again, and sends the warnings of both reviews.
    assert answer.warnings
    for warning in answer.warnings:
        assert "JobPolicy careful: spec.schedule: The run of " in warning
        assert "which has passed, starts" in warning


def test_a_policy_denies_it(bed: TestBed, webhook: RegisteredWebhook) -> None:
    webhook.load_specs(strict={"rules": {"edit-starts-run": "deny"}})
    path = stored(bed, webhook.namespace("edits"))
    passed = {"spec": {"schedule": daily(time.time() - 3 * HOUR)}}
    answer = bed.request("PATCH", path, passed, content_type=MERGE)
    assert (answer.code, answer.body["reason"]) == (403, "Forbidden")
    limited = {"spec": {**passed["spec"], "startingDeadlineSeconds": 300}}
    assert bed.request("PATCH", path, limited, content_type=MERGE).code == 200


def codes_against_live(
    bed: TestBed, namespace: str, value: dict[str, Any], folder: Path
) -> list[str]:
    """Return the codes of the findings in the update of a stored object, of the server and of the edit."""
    file = folder / "manifest.json"
    file.write_text(json.dumps(value), encoding="utf-8")
    command = [
        sys.executable, "-m", "jobsworth", "validate", "--isolated", "--select", "JW423,JW424",
        "-o", "json", "--against", "live", "-n", namespace, "--kubeconfig", str(bed.kubeconfig),
        str(file),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    (result,) = json.loads(done.stdout)["results"]
    return [each["code"] for each in result["findings"]]


def test_a_cron_job_is_compared_with_the_stored_one(bed: TestBed, tmp_path: Path) -> None:
    namespace, now = bed.namespace(), time.time()
    stored(bed, namespace)
    passed, coming = cron_job(daily(now - 3 * HOUR)), cron_job(daily(now + 3 * HOUR))
    assert codes_against_live(bed, namespace, passed, tmp_path) == ["JW423"]
    assert codes_against_live(bed, namespace, coming, tmp_path) == []


def test_a_job_is_compared_with_the_stored_one(bed: TestBed, tmp_path: Path) -> None:
    namespace = bed.namespace()
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "mail"}}
    spec = cron_job("@daily")["spec"]["jobTemplate"]["spec"]
    bed.create({**job, "spec": spec}, namespace)
    assert codes_against_live(bed, namespace, {**job, "spec": spec}, tmp_path) == []
    text = json.dumps(spec).replace("mail:1.4", "mail:1.5")
    changed = {**job, "spec": json.loads(text)}
    assert codes_against_live(bed, namespace, changed, tmp_path) == ["JW004"]
