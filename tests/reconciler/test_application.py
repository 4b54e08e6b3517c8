"""The whole reconciler with its threads, against an API server behind real HTTP."""

from __future__ import annotations

import socket
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_resources import jobs_path
from jobsworth.client.leases import Times
from jobsworth.controller.settings import ControllerSettings
from jobsworth.controller.times import write_time
from jobsworth.listen_address import CannotListen
from jobsworth.reconciler import conflict_probe
from support.api_server.fake_http_server import FakeHttpServer
from support.api_server.fake_job_api import Call, FakeJobApi
from support.controller.simulated_reconciler import NAMESPACE, job
from support.polling import until

if TYPE_CHECKING:
    from jobsworth.reconciler.process import PolicySource

pytest.importorskip("kubernetes")
pytest.importorskip("prometheus_client")

QUICK = ControllerSettings(batch_delay=0.02, retry_base=0.02, backoff_base=0.1)


class Process:
    """A reconciler that runs in threads of this process."""

    def __init__(
        self, server: FakeHttpServer, policies: PolicySource | None = None, **options: Any
    ) -> None:
        from jobsworth.reconciler.options import ReconcilerOptions
        from jobsworth.reconciler.process import ReconcilerProcess

        chosen = {"settings": QUICK, "qps": 0.0, "host": "127.0.0.1", "port": 0, **options}
        self.log: list[str] = []
        self.application = ReconcilerProcess(
            server.config(), ReconcilerOptions(**chosen), self.log.append
        )
        self.application.policies = policies
        self.code: int | None = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self) -> None:
        self.code = self.application.run()

    def at_work(self) -> bool:
        """Return True if the log has this text."""
        return any("caches synced" in line for line in self.log)

    def end(self) -> int | None:
        """Have it end, and return the exit code."""
        self.application.stop.set()
        self.thread.join(10)
        return self.code


@pytest.fixture
def api() -> FakeJobApi:
    return FakeJobApi(time.time)


@pytest.fixture
def server(api: FakeJobApi) -> Iterator[FakeHttpServer]:
    with FakeHttpServer(api) as server:
        yield server
        api.end_watches()


def end_pods(api: FakeJobApi, exit_code: int = 0) -> None:
    """Have all Pods that still run end."""
    phase = "Failed" if exit_code else "Succeeded"
    ended = {"exitCode": exit_code, "finishedAt": write_time(int(time.time()))}
    status = {
        "phase": phase,
        "containerStatuses": [{"name": "main", "state": {"terminated": ended}, "restartCount": 0}],
    }
    for pod in api.all("pods"):
        if pod["status"]["phase"] == "Pending":
            api.change("pods", NAMESPACE, pod["metadata"]["name"], {"status": status})


def conditions(api: FakeJobApi, name: str) -> dict[str, str]:
    """Of each condition that is True its reason."""
    found = api.copy_of("jobs", NAMESPACE, name)
    assert found is not None
    return {
        entry["type"]: entry["reason"]
        for entry in found["status"].get("conditions") or ()
        if entry["status"] == "True"
    }


def test_the_whole_life_of_a_job(api: FakeJobApi, server: FakeHttpServer) -> None:
    process = Process(server)
    until(process.at_work)
    spec = {"completionMode": "Indexed", "completions": 6, "parallelism": 3}
    api.request("POST", jobs_path(NAMESPACE), job("train", **spec))
    until(lambda: len(api.all("pods")) == 3)
    end_pods(api)
    until(lambda: len(api.all("pods")) == 6)
    end_pods(api)
    until(lambda: "Complete" in conditions(api, "train"))
    assert not any(pod["metadata"].get("finalizers") for pod in api.all("pods"))
    until(lambda: any(event["reason"] == "Completed" for event in api.all("events")))
    assert process.end() == 0


@pytest.mark.slow
def test_endpoints_for_the_kubelet_and_prometheus(api: FakeJobApi, server: FakeHttpServer) -> None:
    process = Process(server)
    until(process.at_work)
    health = process.application._server
    assert health is not None

    def get(path: str) -> str:
        with urllib.request.urlopen(f"http://127.0.0.1:{health.port}{path}") as answer:
            return str(answer.read().decode())

    assert get("/healthz") == get("/readyz") == "ok"
    api.request("POST", jobs_path(NAMESPACE), job("train"))
    until(lambda: len(api.all("pods")) == 1)
    end_pods(api, exit_code=1)
    until(lambda: 'job_pods_finished_total{completion_mode="NonIndexed",result="failed"} 1.0'
          in get("/metrics"))  # fmt: skip
    shown = get("/metrics")
    assert 'job_controller_job_pods_creation_total{reason="new",status="succeeded"} 1.0' in shown
    assert 'workqueue_depth{name="job"}' in shown
    with pytest.raises(urllib.error.HTTPError):
        get("/nothing")
    assert process.end() == 0


@pytest.mark.slow
def test_one_of_two_leads_and_the_other_takes_over(api: FakeJobApi, server: FakeHttpServer) -> None:
    times = Times(lease=0.6, deadline=0.4, retry=0.05)
    options = {"leader_elect": True, "times": times}
    first = Process(server, identity="first", **options)
    until(first.at_work)
    second = Process(server, identity="second", **options)
    until(lambda: any("waiting" in line for line in second.log))
    assert second.application.unready() is None
    time.sleep(0.2)
    assert not second.at_work()
    assert first.end() == 0
    until(second.at_work)
    (lease,) = api.all("leases")
    assert lease["spec"]["holderIdentity"] == "second"
    assert second.end() == 0


@pytest.mark.slow
def test_a_leader_that_cannot_renew_the_lease_stops(
    api: FakeJobApi, server: FakeHttpServer
) -> None:
    times = Times(lease=0.6, deadline=0.3, retry=0.05)
    process = Process(server, identity="first", leader_elect=True, times=times)
    until(process.at_work)
    api.change("leases", "default", "jobsworth-job-controller",
               {"spec": {"holderIdentity": "thief", "renewTime": "2100-01-01T00:00:00.000000Z"}})  # fmt: skip
    until(lambda: process.code is not None)
    assert process.code == 1
    assert any("lost" in line for line in process.log)


@pytest.mark.slow
def test_it_does_not_adopt_where_the_built_in_controller_is_at_work(
    api: FakeJobApi, server: FakeHttpServer
) -> None:
    adopting = ControllerSettings(adopt_unmanaged=True, batch_delay=0.02)
    condition = {"type": "Suspended", "status": "True", "reason": "JobSuspended"}

    def built_in() -> None:
        until(lambda: api.all("jobs"))
        (probe,) = api.all("jobs")
        assert probe["spec"]["suspend"]
        name = probe["metadata"]["name"]
        api.change("jobs", "default", name, {"status": {"conditions": [condition]}})

    other = threading.Thread(target=built_in)
    other.start()
    process = Process(server, settings=adopting)
    until(lambda: process.code is not None)
    other.join()
    assert process.code == 1
    assert any("--controllers=*,-job-controller" in line for line in process.log)
    assert api.all("jobs") == []
    assert not process.at_work()


def adopts_a_job_with_the_entry_of_the_built_in_controller(
    api: FakeJobApi,
    server: FakeHttpServer,
    monkeypatch: pytest.MonkeyPatch,
    *,
    seconds: float,
    before: Callable[[Call], None] = lambda call: None,
) -> Process:
    """Return a process that sees such a Job after its start, and looks for the controller for some seconds."""
    monkeypatch.setattr(conflict_probe, "PROBE_SECONDS", 0.0)
    process = Process(server, settings=ControllerSettings(adopt_unmanaged=True, batch_delay=0.02))
    until(process.at_work)
    monkeypatch.setattr(conflict_probe, "PROBE_SECONDS", seconds)
    monkeypatch.setattr(conflict_probe, "PROBE_STEP", 0.05)
    api.before = before
    made = job("plain", None)
    # A client can write such an entry, also with a time to come, when it creates a Job.
    made["metadata"]["managedFields"] = [
        {
            "manager": "kube-controller-manager",
            "subresource": "status",
            "time": write_time(int(time.time()) + 86400),
        }
    ]
    api.request("POST", jobs_path(NAMESPACE), made)
    return process


def probes(api: FakeJobApi) -> list[Any]:
    """The names of the Jobs that look for the built-in controller."""
    names = [each["metadata"]["name"] for each in api.all("jobs")]
    return [name for name in names if name.startswith("jobsworth-probe-")]


@pytest.mark.slow
def test_it_stops_when_the_built_in_controller_writes_a_status_of_an_adopted_job(
    api: FakeJobApi, server: FakeHttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = adopts_a_job_with_the_entry_of_the_built_in_controller(
        api, server, monkeypatch, seconds=20.0
    )
    until(lambda: probes(api))
    condition = {"type": "Suspended", "status": "True", "reason": "JobSuspended"}
    api.change("jobs", "default", probes(api)[0], {"status": {"conditions": [condition]}})
    until(lambda: process.code is not None)
    assert process.code == 1
    assert any("--controllers=*,-job-controller" in line for line in process.log)
    assert probes(api) == []


@pytest.mark.slow
def test_it_goes_on_if_a_client_pretends_that(
    api: FakeJobApi, server: FakeHttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    process = adopts_a_job_with_the_entry_of_the_built_in_controller(
        api, server, monkeypatch, seconds=0.2
    )
    until(lambda: any("did not write the status of a probe Job" in line for line in process.log))
    assert f"{NAMESPACE}/plain" in process.log[-1]
    until(lambda: len(api.all("pods")) == 1)
    assert process.code is None
    assert probes(api) == []
    process.end()


@pytest.mark.slow
def test_it_stops_if_it_cannot_find_out(
    api: FakeJobApi, server: FakeHttpServer, monkeypatch: pytest.MonkeyPatch
) -> None:

    def forbid(call: Call) -> None:
        if call.method == "POST" and call.body["metadata"]["name"].startswith("jobsworth-probe-"):
            raise ApiError(403, "Forbidden", "no")

    process = adopts_a_job_with_the_entry_of_the_built_in_controller(
        api, server, monkeypatch, seconds=20.0, before=forbid
    )
    until(lambda: process.code is not None)
    assert process.code == 1
    assert any("cannot create the probe Job" in line for line in process.log)


def test_an_address_in_use_is_reported(server: FakeHttpServer) -> None:
    from jobsworth.reconciler.options import ReconcilerOptions
    from jobsworth.reconciler.process import ReconcilerProcess

    taken = int(server.url.rpartition(":")[2])
    options = ReconcilerOptions(host="127.0.0.1", port=taken)
    with pytest.raises(CannotListen, match="in use"):
        ReconcilerProcess(server.config(), options, print).run()


@pytest.mark.slow
@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="this machine has no IPv6")
def test_probes_and_metrics_are_answered_over_both_families(server: FakeHttpServer) -> None:
    process = Process(server, host="")
    until(process.at_work)
    health = process.application._server
    assert health is not None
    for host in ("[::1]", "127.0.0.1"):
        for path in ("healthz", "readyz", "metrics"):
            url = f"http://{host}:{health.port}/{path}"
            with urllib.request.urlopen(url, timeout=10) as answer:
                assert answer.status == 200
    assert process.end() == 0
