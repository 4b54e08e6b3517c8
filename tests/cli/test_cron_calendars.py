"""`jobsworth schedule` for many CronJobs, run as a user runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.api_server.fake_list_server import FakeListServer, fake_list_server, status
from support.cli.command_runs import Command
from support.health.health_objects import a_cron_job

CRON_JOB = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: %s}
spec:
  schedule: "%s"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: registry.example.com/main:1}]
"""
FROM = ("--from", "2027-03-22")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "one.yaml").write_text(CRON_JOB % ("one", "0 * * * *"))
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "two.yaml").write_text(CRON_JOB % ("two", "0 12 * * *") + "---\nkind: Other\n")
    return tmp_path


def test_the_cron_jobs_of_a_folder_are_a_calendar(command: Command, folder: Path) -> None:
    done = command("schedule", str(folder), *FROM)
    assert done.code == 0, done.err
    first, _, head, monday, *_ = done.out.splitlines()
    assert first == (
        "Mon 2027-03-22 00:00 +0000 to Mon 2027-03-29 00:00 +0000, UTC: 2 CronJobs start 175 runs, at most 2 "
        "in the same minute"
    )
    assert head.split() == ["STARTS", *map(str, range(24))]
    assert monday.split() == ["Mon", "03-22", *["1"] * 12, "2", *["1"] * 11]


def test_json_has_the_place_of_each_cron_job(command: Command, folder: Path) -> None:
    found = json.loads(command("schedule", str(folder), *FROM, "-o", "json").out)
    places = {each["cron_job"]: each["place"] for each in found["cron_jobs"]}
    assert places == {"one": f"{folder}/one.yaml:1", "two": f"{folder}/inner/two.yaml:1"}


def test_the_page_is_written_to_a_file(command: Command, folder: Path) -> None:
    page = folder / "calendar.html"
    done = command("schedule", str(folder), *FROM, "-o", f"html={page}")
    assert (done.code, done.out) == (0, "")
    assert page.read_text().startswith("<!DOCTYPE html>")


def test_a_rejected_cron_job_is_left_out_and_named(command: Command, folder: Path) -> None:
    (folder / "bad.yaml").write_text(CRON_JOB % ("bad", "61 * * * *"))
    done = command("schedule", str(folder), *FROM)
    assert done.code == 1
    assert (
        f"left out: {folder}/bad.yaml:5: the API server rejects this CronJob: spec.schedule: "
        in done.err
    )
    assert "end of range (61) above maximum (59)" in done.err


def test_a_cron_job_of_a_removed_version_is_left_out_and_named(
    command: Command, folder: Path
) -> None:
    old = (CRON_JOB % ("old", "@daily")).replace("batch/v1", "batch/v1beta1")
    (folder / "old.yaml").write_text(old)
    done = command("schedule", str(folder), *FROM)
    assert done.code == 1
    assert (
        f"left out: {folder}/old.yaml:1: the API server rejects this CronJob: apiVersion: The API server has "
        "no kind CronJob in batch/v1beta1 since Kubernetes 1.25. Set apiVersion: batch/v1."
    ) in done.err


@pytest.mark.parametrize("name", ["absent.yaml", "absent.yml", "absent.json"])
def test_a_file_that_does_not_exist_is_no_schedule(command: Command, name: str) -> None:
    done = command("schedule", name)
    assert (done.code, done.err) == (2, f"Error: {name}: no such file or folder; check the path\n")


def test_an_unreadable_file_is_named(command: Command, folder: Path) -> None:
    (folder / "broken.yaml").write_text("kind: CronJob\nspec: [\n")
    done = command("schedule", str(folder), *FROM)
    assert done.code == 1
    assert "broken.yaml" in done.err


def test_a_folder_without_cron_jobs_says_so(command: Command, tmp_path: Path) -> None:
    done = command("schedule", str(tmp_path), *FROM)
    assert (done.code, done.out) == (2, "")
    assert f"no CronJob in {tmp_path}" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--days", "32", "."), "--days must be at most 31"),
        (("-A", "."), "a calendar is of a cluster, or of files: omit one of them"),
        (("0 * * * *", "-o", "html"), "--output: for one expression, use text or json"),
        (("0 * * * *", "-o", "json=x"), "--output: for one expression, use text or json"),
        ((".", "-o", "sarif"), '--output: "sarif" is none of text, json, html'),
        (("x", "x"), "quote the expression"),
        ((".", "."), "quote the expression"),
        (("-A", "-n", "team"), "exclude each other"),
    ],
)
def test_a_wrong_option_is_named(
    command: Command, arguments: tuple[str, ...], message: str
) -> None:
    done = command("schedule", *arguments)
    assert done.code == 2
    assert message in done.err


class TestOfACluster:
    """CronJobs of an API server."""

    @pytest.fixture(autouse=True)
    def _cluster(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
        pytest.importorskip("kubernetes")
        with fake_list_server() as self.server:
            monkeypatch.setenv("KUBECONFIG", str(self.server.kubeconfig(tmp_path, token="secret")))
            yield

    server: FakeListServer

    def test_they_are_a_calendar(self, command: Command) -> None:
        self.server.cron_jobs = [a_cron_job("a"), a_cron_job("b", suspend=True)]
        done = command("schedule", "-A", *FROM)
        assert done.code == 0, done.err
        assert "1 CronJob starts 168 runs; 1 suspended" in done.out

    def test_an_unknown_zone_is_left_out(self, command: Command) -> None:
        self.server.cron_jobs = [a_cron_job("a", timeZone="Mars/Olympus")]
        done = command("schedule", "-A", *FROM)
        assert done.code == 1
        assert "Mars/Olympus" in done.out + done.err

    def test_a_namespace_that_does_not_exist_is_an_error(self, command: Command) -> None:
        done = command("schedule", "-n", "batsh")
        assert done.code == 2
        assert 'has no namespace "batsh"' in done.err

    def test_a_denied_list_names_the_right(self, command: Command) -> None:
        self.server.faults = [lambda *_: (403, status(403, "Forbidden", "no"))]
        done = command("schedule", "-n", "batch")
        assert done.code == 2
        assert "grant the verb list on cronjobs" in done.err
