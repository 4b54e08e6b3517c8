"""With cert-manager, a new CA of the issuer costs no request, and lost CA bundles three seconds at most."""

from __future__ import annotations

import base64
import signal
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

from cluster.available_beds import bed_or_skip
from cluster.installed_chart import NAME, Installation, wait_for
from cluster.played_cert_manager import CertManager, install_kinds
from cluster.programs import NEWEST
from cluster.refused_jobs import RefusedJobs
from cluster.test_chart_lost_certificates import MAX_SECONDS, MERGE, without_bundles
from jobsworth.certificates.keypair import split

if TYPE_CHECKING:
    from cluster.bed import TestBed

VALUES: dict[str, Any] = {
    "policies": {"retries": {"limits": {"backoffLimit": {"maximum": 3}}}},
    "webhook": {"workers": 1, "drainSeconds": 0, "mutating": {"failurePolicy": "Fail"}},
    "certificates": {"mode": "certManager"},
}
SETTLE, OVERLAP = 5.0, 20.0
FAST = (f"--settle={SETTLE:.0f}s", f"--overlap={OVERLAP:.0f}s")


@pytest.fixture(scope="module")
def quiet() -> Iterator[TestBed]:
    with bed_or_skip(NEWEST, audit=False) as bed:
        install_kinds(bed)
        yield bed


Issued = tuple[Installation, CertManager]


@pytest.fixture(params=["manager", "chart"])
def issued(quiet: TestBed, request: pytest.FixtureRequest) -> Iterator[Issued]:
    values = {**VALUES, "registration": {"mode": request.param}}
    installation = Installation(quiet, values, {"certificates": FAST})
    cert_manager = CertManager(quiet, installation.namespace)
    cert_manager.issue()
    with installation as it:
        time.sleep(3.0)  # the registration fails closed, and every watch is open
        yield it, cert_manager


def test_when_the_issuer_has_a_new_ca_no_job_is_refused(issued: Issued) -> None:
    it, cert_manager = issued
    old = cert_manager.ca.certificate
    with RefusedJobs(it.bed, it.bed.namespace("team")) as jobs:
        before = shown(it)
        cert_manager.new_ca()
        started = time.monotonic()
        certificate = ssl.PEM_cert_to_DER_cert(cert_manager.issue().decode())
        wait_for(lambda: trusted(it) == [{cert_manager.ca.certificate, old}] * 2, "both CAs")
        assert shown(it) == before
        wait_for(lambda: shown(it) == certificate, "the new certificate")
        assert time.monotonic() - started >= SETTLE
        wait_for(lambda: trusted(it) == [{cert_manager.ca.certificate}] * 2, "the new CA alone")
        assert time.monotonic() - started >= OVERLAP
        time.sleep(2.0)
        assert jobs.denies(backoffLimit=9)
    print(f"after a new CA: {jobs}")
    assert jobs.requests > 100
    assert not jobs.refused, jobs


def test_when_the_leader_crashes_at_that_moment_no_job_is_refused_either(quiet: TestBed) -> None:
    installation = Installation(quiet, VALUES, {"certificates": FAST})
    cert_manager = CertManager(quiet, installation.namespace)
    cert_manager.issue()
    with installation as it:
        time.sleep(3.0)
        other = it.start_again("certificates")  # a second replica's, with a folder of its own
        wait_for((other / "tls.crt").exists, "the second replica's files")
        with RefusedJobs(it.bed, it.bed.namespace("team")) as jobs:
            it.signal("certificates", signal.SIGKILL)
            cert_manager.new_ca()
            certificate = cert_manager.issue()
            wait_for(lambda: (other / "tls.crt").read_bytes() == certificate, "the new leader")
            assert all(cert_manager.ca.certificate in cas for cas in trusted(it))
            it.start("certificates")
            wait_for(lambda: shown(it) == ssl.PEM_cert_to_DER_cert(certificate.decode()), "all")
        print(f"after a crash and a new CA: {jobs}")
        assert not jobs.refused, jobs


def without_stored_cas(it: Installation) -> None:
    path = f"/api/v1/namespaces/{it.namespace}/secrets/{NAME}-trusted-cas"
    it.bed.request("PATCH", path, {"data": None}, content_type=MERGE)


def lose_bundles(it: Installation, cert_manager: CertManager) -> None:
    without_bundles(it)


def lose_bundles_and_stored_cas(it: Installation, cert_manager: CertManager) -> None:
    without_stored_cas(it)
    without_bundles(it)


def lose_certificate(it: Installation, cert_manager: CertManager) -> None:
    cert_manager.lose_secret()


def lose_everything(it: Installation, cert_manager: CertManager) -> None:
    cert_manager.new_ca()
    cert_manager.lose_secret()
    lose_bundles_and_stored_cas(it, cert_manager)


LOSSES: dict[str, Callable[[Installation, CertManager], None]] = {
    "the bundles": lose_bundles,
    "the bundles and the stored CAs": lose_bundles_and_stored_cas,
    "the certificate": lose_certificate,
    "everything, with the CA": lose_everything,
}


@pytest.mark.parametrize("lost", LOSSES)
def test_after_a_loss_jobs_are_refused_for_three_seconds_at_most(issued: Issued, lost: str) -> None:
    it, cert_manager = issued
    with RefusedJobs(it.bed, it.bed.namespace("team")) as jobs:
        LOSSES[lost](it, cert_manager)
        time.sleep(SETTLE + 3.0)
        wait_for(jobs.is_admitted, "the webhook to be trusted")
    print(f"after the loss of {lost}: {jobs}")
    assert jobs.seconds <= MAX_SECONDS, jobs
    assert jobs.denies(backoffLimit=9)


def trusted(it: Installation) -> list[set[bytes]]:
    """The CAs that the API server trusts for each of the two endpoints."""
    bundles = it.bundles()
    return [
        set(split(base64.b64decode(bundles[f"{path}.jobsworth.dev"])))
        for path in ("mutate", "validate")
    ]


def shown(it: Installation) -> bytes:
    """The certificate that the webhook serves."""
    client = ssl.create_default_context()
    client.check_hostname, client.verify_mode = False, ssl.CERT_NONE
    with (
        socket.create_connection(("127.0.0.1", it.port), timeout=5) as plain,
        client.wrap_socket(plain) as connection,
    ):
        return connection.getpeercert(binary_form=True) or b""
