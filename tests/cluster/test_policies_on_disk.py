"""Exported policies in files of the API server (KEP-5793): loaded, reloaded, and kept when a file is invalid."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from cluster.available_beds import bed_or_skip
from cluster.bed.processes import ProcessDied
from cluster.installed_chart import wait_for
from cluster.small_jobs import JOBS, job
from support.policy.policy_requests import document

if TYPE_CHECKING:
    from cluster.bed import TestBed
    from cluster.bed.connection import Answer

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "admission-policies.md"
FOLDER = "/etc/kubernetes/admission"
SUFFIX = ".static.k8s.io"
RELEASES = {"1.36": {"ManifestBasedAdmissionControlConfig": True}, "1.37": None}
"""The releases that read policies from files, with the feature gate of the first."""

RELOADS = "apiserver_manifest_admission_config_controller_automatic_reloads_total"


def written_on_the_page(language: str, text: str) -> str:
    """The block of the page that contains a text, with a folder of the test."""
    section = PAGE.read_text("utf-8").partition("### On the disk of the API server")[2]
    blocks = re.findall(rf"^```{language}\n(.*?)^```", section, re.M | re.S)
    (block,) = [str(each) for each in blocks if text in each]
    return block


class OnDisk:
    """The folder of an API server's policies, as the page describes it.

    Args:
        root: an empty folder.
        release: of the API server.
    """

    def __init__(self, root: Path, release: str) -> None:
        self.folder = root / "admission"
        self.policies = root / "policies"
        self.folder.mkdir()
        self.policies.mkdir()
        configuration = root / "configuration.yaml"
        text = written_on_the_page("yaml", "staticManifestsDir")
        configuration.write_text(text.replace(FOLDER, str(self.folder)), "utf-8")
        self.options: dict[str, Any] = {
            "release": release,
            "feature_gates": RELEASES[release],
            "api_server_flags": [f"--admission-control-config-file={configuration}"],
        }

    def export(self, *policies: dict[str, Any]) -> int:
        """Export policies with the command of the page; return its exit code."""
        (self.policies / "policies.yaml").write_text(yaml.safe_dump_all(policies), "utf-8")
        command = written_on_the_page("", "jobsworth policy export")
        command = command.replace("policies/", str(self.policies)).replace(FOLDER, str(self.folder))
        command = command.replace("jobsworth", f"{sys.executable} -m jobsworth", 1)
        return subprocess.run(command, shell=True, capture_output=True, check=False).returncode

    @property
    def file(self) -> Path:
        return self.folder / "jobs.yaml"

    def replace(self, old: str, new: str) -> None:
        """Replace a text in the file, at once for its readers."""
        other = self.folder / "jobs.new"
        other.write_text(self.file.read_text("utf-8").replace(old, new), "utf-8")
        other.rename(self.file)


@pytest.fixture(scope="module", params=RELEASES)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[TestBed, OnDisk]]:
    on_disk = OnDisk(tmp_path_factory.mktemp("on-disk"), request.param)
    assert on_disk.export(few_pods(3)) == 0
    with bed_or_skip(audit=False, **on_disk.options) as bed:
        yield bed, on_disk


def few_pods(maximum: int, **spec: Any) -> dict[str, Any]:
    return document("few-pods", limits={"parallelism": {"maximum": maximum}}, **spec)


def create(bed: TestBed, **spec: Any) -> Answer:
    """Create a Job as a dry run."""
    thing = job("train", **spec)
    answer: Answer = bed.request("POST", f"{JOBS.format('default')}?dryRun=All", thing)
    return answer


def message(answer: Answer) -> str:
    return "" if answer.code == 201 else str(answer.body["message"])


def failed_reloads(bed: TestBed) -> float:
    text = bed.request("GET", "/metrics").body
    found = re.findall(rf'^{RELOADS}\{{.*status="failure"\}} (\S+)', text, re.M)
    return sum(map(float, found))


def test_the_policies_are_active_from_the_first_request(running: tuple[TestBed, OnDisk]) -> None:
    bed, _ = running
    name = f"'few-pods.jobs.deny.jobsworth.dev{SUFFIX}'"
    assert message(create(bed, parallelism=4)) == (
        f'jobs.batch "train" is forbidden: ValidatingAdmissionPolicy {name} with binding {name} denied '
        "request: JobPolicy few-pods: spec.parallelism: Invalid value: 4: must be less than or equal to 3 "
        "[JP002]"
    )
    assert create(bed, parallelism=3).code == 201


def test_a_new_file_is_loaded_and_a_failed_export_changes_nothing(
    running: tuple[TestBed, OnDisk],
) -> None:
    bed, on_disk = running
    assert on_disk.export(few_pods(5)) == 0
    wait_for(lambda: create(bed, parallelism=4).code == 201, "the new limit")
    exported = on_disk.file.read_text("utf-8")
    assert on_disk.export(few_pods(-1)) == 2
    assert on_disk.file.read_text("utf-8") == exported
    assert create(bed, parallelism=6).code == 403


def test_an_invalid_file_leaves_the_last_policies_enforced(running: tuple[TestBed, OnDisk]) -> None:
    bed, on_disk = running
    assert on_disk.export(few_pods(5)) == 0
    wait_for(lambda: create(bed, parallelism=6).code == 403, "the policies")
    failed = failed_reloads(bed)
    on_disk.replace(SUFFIX, ".elsewhere")
    wait_for(lambda: failed_reloads(bed) > failed, "the failed reload")
    assert create(bed, parallelism=6).code == 403
    assert "reloading manifest config" in bed.folder.log("kube-apiserver").read_text("utf-8")
    on_disk.file.write_text("", "utf-8")
    wait_for(
        lambda: create(bed, parallelism=6).code == 201, "an empty file to count as no policies"
    )


def test_the_api_neither_shows_nor_stores_them(running: tuple[TestBed, OnDisk]) -> None:
    bed, on_disk = running
    assert on_disk.export(few_pods(3)) == 0
    kinds = "validatingadmissionpolicies,validatingadmissionpolicybindings"
    assert bed.kubectl("get", kinds, "-o=name").stdout == ""
    applied = bed.kubectl("apply", "-f", str(on_disk.file), check=False)
    assert applied.returncode == 1
    assert f'names ending with "{SUFFIX}" are reserved' in applied.stderr


@pytest.mark.parametrize("release", RELEASES)
def test_each_policy_of_the_repository_loads(release: str, tmp_path: Path) -> None:
    on_disk = OnDisk(tmp_path, release)
    values = [
        value
        for path in sorted((ROOT / "policies").glob("*.yaml"))
        for value in yaml.safe_load_all(path.read_text("utf-8"))
        if value["kind"] == "JobPolicy"
    ]
    assert on_disk.export(*values) == 0
    objects = list(yaml.safe_load_all(on_disk.file.read_text("utf-8")))
    count = sum(each["kind"] == "ValidatingAdmissionPolicy" for each in objects)
    assert count >= len(values)
    with bed_or_skip(audit=False, **on_disk.options) as bed:
        log = bed.folder.log("kube-apiserver").read_text("utf-8")
    loaded = r"Loaded manifest-based admission policy configurations.* count=(\d+)"
    assert re.findall(loaded, log) == [str(count)]


@pytest.mark.parametrize("release", RELEASES)
def test_an_api_server_does_not_start_with_an_invalid_file(release: str, tmp_path: Path) -> None:
    on_disk = OnDisk(tmp_path, release)
    assert on_disk.export(few_pods(3)) == 0
    on_disk.replace(SUFFIX, "")
    with (
        pytest.raises(ProcessDied, match=r"must have a name ending with .*\.static\.k8s\.io"),
        bed_or_skip(audit=False, **on_disk.options),
    ):
        pass
