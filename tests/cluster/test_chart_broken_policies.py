"""A broken policy changes nothing: the same requests are denied, also after every process was restarted."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import NAME, Installation, wait_for
from cluster.programs import NEWEST
from cluster.test_chart_installation import JOBS, job

if TYPE_CHECKING:
    from cluster.bed import TestBed

RETRIES: dict[str, Any] = {
    "match": [{"namespaces": ["team-*"]}],
    "limits": {"backoffLimit": {"maximum": 3}},
}
BROKEN: dict[str, Any] = {
    **RETRIES,
    "expressions": [{"expression": "object.spec.(", "message": "no"}],
}
PARALLEL: dict[str, Any] = {
    "match": [{"namespaces": ["team-*"]}],
    "limits": {"parallelism": {"maximum": 2}},
}
LAST_GOOD = f"{NAME}-last-good-policies"


def values(**policies: Any) -> dict[str, Any]:
    return {
        "profile": "none",
        "policies": policies,
        "webhook": {"workers": 2, "drainSeconds": 0},
        "certificates": {"selfManaged": {"interval": "1s"}},
    }


@pytest.fixture(scope="module")
def running() -> Iterator[TestBed]:
    with bed_or_skip(NEWEST) as bed:
        yield bed


@pytest.fixture
def it(running: TestBed) -> Iterator[Installation]:
    with Installation(running, values(retries=RETRIES, parallel=PARALLEL)) as installation:
        installation.wait_until_required()
        yield installation


def code(it: Installation, team: str, **spec: Any) -> int:
    return it.bed.request("POST", f"{JOBS.format(team)}?dryRun=All", job(**spec)).code


def stored(it: Installation) -> dict[str, Any]:
    path = f"/api/v1/namespaces/{it.namespace}/configmaps/{LAST_GOOD}"
    data = it.bed.get(path).get("data") or {}
    return {name: json.loads(text)["document"]["spec"] for name, text in data.items()}


@contextmanager
def always_ready(it: Installation) -> Iterator[None]:
    """Check that the webhook is ready all the time."""
    failed: list[str] = []
    stop = threading.Event()

    def probe() -> None:
        while not stop.wait(0.05):
            try:
                it.monitor("/readyz")
            except OSError as error:
                failed.append(str(error))

    thread = threading.Thread(target=probe, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
    assert failed == []


def restart_everything(it: Installation) -> None:
    names = list(it.processes)
    for container in names:
        it.signal(container, signal.SIGKILL)
    for container in names:
        it.start(container)
    it.wait_until_ready()


def test_a_broken_policy_denies_what_its_last_good_version_denied(it: Installation) -> None:
    team = it.bed.namespace("team")
    wait_for(lambda: set(stored(it)) == {"retries", "parallel"}, "the stored versions")
    with always_ready(it):
        it.upgrade(values(retries=BROKEN, parallel=PARALLEL))
        wait_for(
            lambda: any(
                line["message"].startswith("policy") and "retries" in str(line.get("broken"))
                for line in it.lines()
            ),
            "the error in the log",
        )
        time.sleep(2.0)  # every worker, and the manager, has seen it
        assert code(it, team, backoffLimit=9) == 403
        assert code(it, team, parallelism=9) == 403
    restart_everything(it)
    with always_ready(it):
        assert code(it, team, backoffLimit=9) == 403
        assert code(it, team, parallelism=9) == 403
        assert code(it, team) == 201
        assert "retries" in it.monitor("/readyz")
        assert 'jobsworth_policy_load_success{policy="retries"} 0.0' in it.monitor("/metrics")
        assert 'jobsworth_policy_load_success{policy="parallel"} 1.0' in it.monitor("/metrics")
        it.wait_until_required()
        assert stored(it)["retries"] == RETRIES
        it.upgrade(values(retries={**RETRIES, "limits": {"backoffLimit": {"maximum": 5}}}))
        wait_for(lambda: code(it, team, backoffLimit=4) == 201, "the corrected policy")
        assert code(it, team, backoffLimit=9) == 403
        wait_for(lambda: code(it, team, parallelism=9) == 201, "the deleted policy to be gone")
        wait_for(lambda: set(stored(it)) == {"retries"}, "the deleted policy to be deleted")


def test_without_the_webhook_the_last_good_version_decides_what_fails_closed(
    it: Installation,
) -> None:
    team = it.bed.namespace("team")
    wait_for(lambda: set(stored(it)) == {"retries", "parallel"}, "the stored versions")
    it.upgrade(values(retries=BROKEN))
    restart_everything(it)
    time.sleep(3.0)
    assert it.failure_policies() == {"Fail", "Ignore"}
    it.signal("webhook", signal.SIGKILL)
    assert code(it, team) == 500
    assert code(it, it.bed.namespace("free")) == 201


def test_a_policy_that_was_never_valid_denies_nothing(it: Installation) -> None:
    team = it.bed.namespace("team")
    it.upgrade(values(retries=RETRIES, late=BROKEN))
    restart_everything(it)
    assert code(it, team, backoffLimit=9) == 403
    assert code(it, team) == 201
    assert "late" in it.monitor("/readyz")
    assert "late" not in stored(it)
