"""`jobsworth validate` on updates of CronJobs: of files with a status, of a commit, and of a cluster."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.api_server.fake_list_server import FakeListServer, fake_list_server
from support.cli.command_runs import Command, CommandResult

HEAD = """apiVersion: batch/v1
kind: CronJob
metadata:
  name: mail
"""
BODY = """spec:
  schedule: "0 {} * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: main
              image: registry.example.com/mail:1.4
"""
OLD = f"""{HEAD}  creationTimestamp: "2026-06-01T00:00:00Z"
{BODY.format(23)}status:
  lastScheduleTime: "2027-01-01T23:00:00Z"
"""
NEW = HEAD + BODY.format(5)
NOON = "2027-01-02T12:00:00Z"
PATH = "/apis/batch/v1/namespaces/{}/cronjobs/mail"
STORED = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {
        "name": "mail",
        "namespace": "default",
        "creationTimestamp": "2026-06-01T00:00:00Z",
    },
    "spec": {
        "schedule": "0 23 * * *",
        "jobTemplate": {
            "spec": {
                "template": {
                    "spec": {
                        "restartPolicy": "Never",
                        "containers": [{"name": "main", "image": "registry.example.com/mail:1.4"}],
                    }
                }
            }
        },
    },
    "status": {"lastScheduleTime": "2027-01-01T23:00:00Z"},
}


def validated(command: Command, *arguments: str, files: dict[str, str]) -> CommandResult:
    return command(
        "validate", "--isolated", "--select", "JW423,JW424,JW425", "-o", "concise", *arguments,
        files=files,
    )  # fmt: skip


def test_an_update_of_a_file_with_a_status(command: Command) -> None:
    files = {"old/mail.yaml": OLD, "new/mail.yaml": NEW}
    done = validated(command, "--against", "old", "--at", NOON, "new", files=files)
    assert done.found == [(6, "JW423")]
    assert "The run of Sat 2027-01-02 05:00 +0000, which has passed" in done.out
    later = validated(command, "--against", "old", "--at", "2027-01-02T04:00Z", "new", files={})
    assert later.found == []


def test_an_update_of_a_file_without_a_status(command: Command) -> None:
    files = {"old/mail.yaml": HEAD + BODY.format(23), "new/mail.yaml": NEW}
    done = validated(command, "--against", "old", "--at", NOON, "new", files=files)
    assert done.found == [(6, "JW424")]
    assert "the update is applied before Sat 2027-01-02 23:00 +0000" in done.out


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git command here")
def test_a_change_of_a_branch(command: Command, tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=A tester", "-c", "user.email=tester@example.com")
        subprocess.run(
            ["git", "-C", str(tmp_path), *identity, *arguments], check=True, capture_output=True
        )

    (tmp_path / "mail.yaml").write_text(HEAD + BODY.format(23))
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message=A CronJob")
    done = validated(
        command, "--git-ref", "HEAD", "--at", NOON, "mail.yaml", files={"mail.yaml": NEW}
    )
    assert done.found == [(6, "JW424")]


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeListServer]:
    pytest.importorskip("kubernetes")
    with fake_list_server() as server:
        monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path, token="secret")))
        yield server


def serve(server: FakeListServer, code: int, answer: Any, namespace: str = "default") -> None:
    path = PATH.format(namespace)
    if code == 200:
        answer = {**answer, "metadata": {**answer["metadata"], "namespace": namespace}}
    server.faults.append(lambda asked, query: (code, answer) if asked == path else None)


def test_an_update_of_the_object_in_the_cluster(server: FakeListServer, command: Command) -> None:
    serve(server, 200, STORED)
    done = validated(
        command, "--against", "live", "--at", NOON, "mail.yaml", files={"mail.yaml": NEW}
    )
    assert (done.code, done.found) == (0, [(6, "JW423")])


def test_the_namespace_is_that_of_the_option_or_of_the_context(
    server: FakeListServer, command: Command
) -> None:
    serve(server, 200, STORED, "batch")
    serve(server, 404, {"kind": "Status", "reason": "NotFound", "message": "not found"})
    arguments = ("--against", "live", "--at", NOON, "mail.yaml")
    for more in (("-n", "batch"), ("--context", "other")):
        done = validated(command, *more, *arguments, files={"mail.yaml": NEW})
        assert (done.code, done.found) == (0, [(6, "JW423")])
    assert validated(command, *arguments, files={}).found == [], "there is no such CronJob"


def test_a_right_that_is_missing_is_named(server: FakeListServer, command: Command) -> None:
    serve(server, 403, {"kind": "Status", "reason": "Forbidden", "message": "no access"})
    done = validated(command, "--against", "live", "mail.yaml", files={"mail.yaml": NEW})
    assert done.code == 2
    assert (
        "cannot read CronJob default/mail: no access: grant the verb get on cronjobs in namespace default"
        in done.err
    )


def test_options_that_need_another_one(command: Command) -> None:
    for arguments, message in (
        (("--at", NOON), "--at is the time of an update: it requires --against or --git-ref"),
        (("--context", "test"), "--kubeconfig and --context require --server or --against live"),
        (("--against", "mail.yaml", "--at", "noon"), '--at: "noon" is not a date'),
    ):
        done = validated(command, *arguments, "mail.yaml", files={"mail.yaml": NEW})
        assert done.code == 2
        assert message in done.err


def test_json_has_the_finding_like_any_other(command: Command) -> None:
    files = {"old/mail.yaml": OLD, "new/mail.yaml": NEW}
    done = command(
        "validate", "--isolated", "-o", "json", "--against", "old", "--at", NOON, "new", files=files
    )
    (result,) = json.loads(done.out)["results"]
    assert "JW423" in [each["code"] for each in result["findings"]]


@pytest.mark.slow
def test_an_explanation_of_a_change_begins_with_the_runs_that_the_update_starts(
    command: Command,
) -> None:
    files = {"old.yaml": OLD, "new.yaml": NEW}
    arguments = ("explain", "--isolated", "--against", "old.yaml", "new.yaml", "--from", NOON)
    done = command(*arguments, files=files)
    assert "\nWhen the update is applied\n  The run of Sat 2027-01-02 05:00 +0000" in done.out
    markdown = command(*arguments, "--output", "markdown", files=files).out
    assert "**When the update is applied**\n\n- The run of Sat 2027-01-02 05:00" in markdown
    (job,) = json.loads(command(*arguments, "--output", "json", files=files).out)["jobs"]
    assert [each.partition(",")[0] for each in job["updates"]] == [
        "The run of Sat 2027-01-02 05:00 +0000"
    ]
    later = command(*arguments[:-1], "2027-01-02T04:00Z", files=files)
    assert "When the update is applied" not in later.out
