"""The chart as users get it: packaged, pushed to a registry, and rendered from there, without a clone."""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import jobsworth
from cluster.programs import find
from support.artifacts.oci_registry import running_registry
from support.artifacts.release_script import release

ROOT = Path(__file__).parents[2]
CHART = ROOT / "charts/jobsworth"
VERSION = release.chart_version(jobsworth.__version__)


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory, free_port: int) -> Iterator[str]:
    if shutil.which("docker-registry") is None:
        pytest.fail("there is no docker-registry here: run tests/artifacts/install")
    with running_registry(tmp_path_factory.mktemp("registry"), free_port) as host:
        yield host


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    helm("package", str(CHART), "--destination", str(folder))
    return folder / f"jobsworth-{VERSION}.tgz"


@pytest.fixture(scope="module")
def pushed(registry: str, package: Path) -> str:
    """Push the chart, and return its place in the registry."""
    printed = helm("push", str(package), f"oci://{registry}/charts", "--plain-http")
    assert re.search(r"^Digest: sha256:[0-9a-f]{64}$", printed, re.MULTILINE), (
        "the release workflow signs the digest that helm prints"
    )
    return f"oci://{registry}/charts/jobsworth"


def helm(*arguments: str, folder: Path | None = None) -> str:
    """Run helm, and return what it prints; the release workflow reads its standard error, too."""
    done = subprocess.run(
        [find("helm"), *arguments],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout


def test_the_package_has_the_files_of_the_chart(package: Path) -> None:
    with tarfile.open(package) as archive:
        names = {name.removeprefix("jobsworth/") for name in archive.getnames()}
    ignored = {line.rstrip("/") for line in (CHART / ".helmignore").read_text().split()}
    expected = {
        path.relative_to(CHART).as_posix()
        for path in CHART.rglob("*")
        if path.is_file() and path.relative_to(CHART).parts[0] not in ignored
    }
    assert names == expected


def test_the_chart_of_the_registry_renders_like_that_of_the_clone(
    pushed: str, tmp_path: Path
) -> None:
    """By the README's command of a release; `helm template` takes the options of `helm install`."""
    (command,) = re.findall(
        r"helm install jobsworth (oci://\S+ .+)$",
        release.SINCE_A_RELEASE["README.md"].format(
            version=VERSION, chart=pushed.removeprefix("oci://"), image="", workflow=""
        ),
        re.MULTILINE,
    )
    shared = ("--kube-version", "1.36", "--set", "certificates.selfManaged.interval=1h")
    pulled = helm(
        "template", "jobsworth", *command.split(), "--plain-http", *shared, folder=tmp_path
    )
    local = helm("template", "jobsworth", str(CHART), *shared, folder=tmp_path)
    assert [
        each for each in pulled.splitlines() if not each.startswith(("Pulled:", "Digest:"))
    ] == (local.splitlines())


def test_the_objects_run_the_image_of_the_release(pushed: str, tmp_path: Path) -> None:
    helm("pull", pushed, "--version", VERSION, "--plain-http", "--untar", folder=tmp_path)
    text = helm("template", "jobsworth", str(tmp_path / "jobsworth"), "--kube-version", "1.36")
    images = {
        container["image"]
        for document in yaml.safe_load_all(text)
        if document and document["kind"] == "Deployment"
        for container in document["spec"]["template"]["spec"]["containers"]
    }
    assert images == {f"{release.IMAGE}:{VERSION}"}
