"""The webhook applies the rules of the release that the API server runs, and says if it runs another one."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import Installation, wait_for
from cluster.programs import NEWEST
from jobsworth.api.api_server import RELEASES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cluster.bed import TestBed

VALUES: dict[str, Any] = {
    "webhook": {"workers": 1, "drainSeconds": 0},
    "certificates": {"selfManaged": {"interval": "1s"}},
}
INFO = 'jobsworth_kubernetes_release_info{assumed="%s",server="%s"} 1.0'


@pytest.fixture(scope="module")
def bed() -> Iterator[TestBed]:
    with bed_or_skip(NEWEST) as bed:
        yield bed


def test_the_release_is_that_of_the_api_server_without_a_restart(bed: TestBed) -> None:
    with Installation(bed, VALUES) as it:
        wait_for(lambda: INFO % (bed.release, bed.release) in it.monitor("/metrics"), "the release")
        assert "jobsworth_kubernetes_release_skew 0.0" in it.monitor("/metrics")
        file = it.tls.parent / "kubernetes-version"
        assert file.read_text() == f"{bed.release}\n"
        file.write_text("1.99\n")  # what the sidecar writes after an upgrade of the cluster
        wait_for(lambda: INFO % (RELEASES[-1], "1.99") in it.monitor("/metrics"), "the skew")
        assert "jobsworth_kubernetes_release_skew 1.0" in it.monitor("/metrics")
        assert any(
            line["level"] == "warning" and line.get("server") == "1.99" for line in it.lines()
        )
        file.unlink()
        it.signal("certificates", signal.SIGKILL)
        it.start("certificates")
        wait_for(lambda: INFO % (bed.release, bed.release) in it.monitor("/metrics"), "no skew")


def test_another_configured_release_is_a_skew(bed: TestBed) -> None:
    values = {**VALUES, "webhook": {**VALUES["webhook"], "kubernetesVersion": "1.33"}}
    with Installation(bed, values) as it:
        wait_for(lambda: INFO % ("1.33", bed.release) in it.monitor("/metrics"), "the release")
        assert "jobsworth_kubernetes_release_skew 1.0" in it.monitor("/metrics")


def test_without_the_manager_the_webhook_asks_the_api_server(bed: TestBed) -> None:
    own = ("--kubernetes-version=auto", "--kubernetes-version-file=")
    with Installation(bed, VALUES, {"webhook": own}) as it:
        wait_for(lambda: INFO % (bed.release, bed.release) in it.monitor("/metrics"), "the release")
