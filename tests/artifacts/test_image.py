"""The image of the Containerfile: built without a Docker engine, run as a restricted Pod runs it."""

from __future__ import annotations

import os
import re
import shutil
import ssl
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import jobsworth
from support.artifacts.built_image import (
    USER,
    Bundle,
    ImageStore,
    RunningContainer,
    base_archive,
    configuration,
    copy_sources,
    manifest,
)
from support.artifacts.sent_reviews import ready, review
from support.cli.command_processes import BAD, GOOD

MAX_BYTES = 90_000_000
"""A further client of an API server or a compiler in the image would exceed it; a module does not."""
DRAIN_SECONDS = 4

pytestmark = pytest.mark.skipif(os.name != "posix", reason="runc requires Linux")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ImageStore]:
    for program in ("buildah", "runc", "umoci"):
        if shutil.which(program) is None:
            pytest.fail(f"there is no {program} here: run tests/artifacts/install")
    if os.geteuid() != 0:
        pytest.fail("buildah and runc require root here: run the tests of this folder with sudo -E")
    if not base_archive().exists():
        pytest.fail("there is no base image here: run tests/artifacts/install")
    store = ImageStore(tmp_path_factory.mktemp("images"))
    yield store
    store.remove()


@pytest.fixture(scope="module")
def layout(store: ImageStore, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return store.build(copy_sources(tmp_path_factory.mktemp("sources") / "project"), "jobsworth")


@pytest.fixture(scope="module")
def bundle(layout: Path, tmp_path_factory: pytest.TempPathFactory) -> Bundle:
    return Bundle(layout, tmp_path_factory.mktemp("bundle") / "unpacked")


@pytest.fixture
def manifests(tmp_path: Path) -> Path:
    (tmp_path / "good.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(BAD)
    tmp_path.chmod(0o755)
    return tmp_path


def test_the_image_is_small_enough_to_pull_in_seconds(layout: Path) -> None:
    sizes = [layer["size"] for layer in manifest(layout)["layers"]]
    print(f"{sum(sizes):,} bytes compressed, of which jobsworth's layer {sizes[-1]:,}")
    assert sum(sizes) < MAX_BYTES


def test_the_image_has_one_layer_above_its_base_and_runs_as_no_user_of_the_host(
    layout: Path,
) -> None:
    made = configuration(layout)
    assert len(made["rootfs"]["diff_ids"]) == 2
    assert made["config"]["User"] == f"{USER}:{USER}"
    assert made["config"]["Labels"]["org.opencontainers.image.licenses"] == "Apache-2.0"


def test_a_command_runs_without_rights_and_without_a_file_that_it_could_write(
    bundle: Bundle,
) -> None:
    with bundle.started("serve", "--self-signed", "--drain-seconds", "0") as running:
        running.when("test", "-e", "/tmp/certs/ca.crt")
        status = running.execute("cat", "/proc/1/status")
        assert re.search(rf"^Uid:\t{USER}\t{USER}\t{USER}", status, re.MULTILINE)
        assert re.search(r"^CapEff:\t0+$", status, re.MULTILINE)
        assert re.search(r"^NoNewPrivs:\t1$", status, re.MULTILINE)
        assert "Read-only" in running.execute("sh", "-c", "touch /opt/jobsworth/new 2>&1; true")


def test_it_validates_manifests(bundle: Bundle, manifests: Path) -> None:
    assert bundle.run("--version") == (0, f"jobsworth, version {jobsworth.__version__}\n")
    assert bundle.run("validate", "/mnt/good.yaml", input=manifests)[0] == 0
    code, output = bundle.run("validate", "/mnt/bad.yaml", input=manifests)
    assert code == 1
    assert "backoffLimitPerIndex" in output


@pytest.mark.parametrize("command", ["audit", "reconcile"])
def test_it_has_the_packages_of_a_cluster_command(bundle: Bundle, command: str) -> None:
    code, output = bundle.run(command)
    assert code == 2
    assert "no cluster is configured" in output


def until_ready(running: RunningContainer, port: int) -> None:
    end = time.monotonic() + 60
    while not ready(port):
        assert running.process.poll() is None, running.process.communicate()[0]
        assert time.monotonic() < end, "the webhook does not become ready"
        time.sleep(0.2)


def test_the_webhook_denies_a_bad_job_over_tls_and_drains_on_sigterm(
    bundle: Bundle, unused_tcp_ports: tuple[int, int]
) -> None:
    port, monitor = unused_tcp_ports
    url = f"https://localhost:{port}/validate"
    options = ("--bind", f"127.0.0.1:{port}", "--monitor-bind", f"127.0.0.1:{monitor}")
    with bundle.started(
        "serve", "--self-signed", *options, "--drain-seconds", str(DRAIN_SECONDS)
    ) as running:
        until_ready(running, monitor)
        trust = ssl.create_default_context(cadata=running.execute("cat", "/tmp/certs/ca.crt"))
        assert review(url, trust, GOOD)["allowed"] is True
        denied = review(url, trust, BAD)
        assert denied["allowed"] is False
        (cause,) = denied["status"]["details"]["causes"]
        assert cause["field"] == "spec.backoffLimitPerIndex"

        running.signal("TERM")
        stopped = time.monotonic()
        while ready(monitor):
            assert time.monotonic() < stopped + DRAIN_SECONDS, "still ready while it drains"
            time.sleep(0.1)
        assert review(url, trust, BAD)["allowed"] is False, "requests are served while it drains"
        assert running.process.wait(timeout=60) == 0
        assert time.monotonic() - stopped >= DRAIN_SECONDS


@pytest.mark.slow
def test_built_in_another_folder_and_from_files_of_another_time_it_has_the_same_layers(
    store: ImageStore, layout: Path, tmp_path: Path
) -> None:
    sources = copy_sources(tmp_path / "another folder")
    for path in sources.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
    again = store.build(sources, "again")
    assert configuration(again)["rootfs"] == configuration(layout)["rootfs"]
    assert manifest(again)["layers"] == manifest(layout)["layers"]
