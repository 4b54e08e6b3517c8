"""`jobsworth wait`: options, errors and the line of progress; the wait itself is tested in tests/live."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jobsworth.cli import run
from jobsworth.cli.commands.wait import progress_line
from jobsworth.live.wait_options import Progress
from support.api_server.fake_list_server import FakeListServer
from support.replay.recorded_jobs import stored
from support.simulation.simulated_runs import job

ROOT = Path(__file__).parents[2]


def wait(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as stopped:
        run(["wait", *arguments])
    return int(str(stopped.value.code or 0)), capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["job/a", "job/b"], "name one Job, not 2"),
        (["job/a", "--timeout", "soon"], '--timeout "soon" is not a duration'),
        (["job/a", "--stuck-after", "0s"], '--stuck-after "0s" must be greater than zero'),
        (["job/a", "--timeout=-1m"], '--timeout "-1m" must be greater than zero'),
        (["jobs", "a"], '"jobs a" are two names: write jobs/a'),
        (["cronjob/a"], "only Jobs end"),
        (["pod/a"], "write job/NAME"),
        (["job/a", "--suspended", "maybe"], "--suspended"),
    ],
)
def test_a_wrong_command_line_is_an_error(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    config = tmp_path / "config"
    config.write_text(
        "{apiVersion: v1, kind: Config, current-context: a,"
        " contexts: [{name: a, context: {cluster: a, user: a}}], users: [{name: a, user: {}}],"
        " clusters: [{name: a, cluster: {server: 'http://127.0.0.1:1'}}]}"
    )
    monkeypatch.setenv("KUBECONFIG", str(config))
    code, error = wait(capsys, *arguments)
    assert code == 2
    assert words in error
    assert "internal error" not in error


def test_a_missing_kubeconfig_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "absent"))
    code, error = wait(capsys, "job/a")
    assert code == 2
    assert "no cluster is configured" in error


def test_the_end_has_the_cause_a_command_and_what_comes_next(
    server: FakeListServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    suspended = stored({**job(), "spec": {**job()["spec"], "suspend": True}})
    failed = stored(job(), (9, "Failed", "BackoffLimitExceeded"))
    monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path)))
    more = "More    jobsworth why job/train -n batch --context test"
    waits = [
        "Job train waits for the Job to be resumed.",
        "Cause   spec.suspend is true",
        "Fix     Resume the Job once nothing holds it back:",
        """        kubectl patch job -n batch train --type=merge -p '{"spec":{"suspend":false}}'""",
        "Next    It goes on when spec.suspend is set to false. No activeDeadlineSeconds limits it.",
        more,
    ]
    events = "Fix     kubectl get events -n batch --field-selector involvedObject.name=train"
    fails = [
        "Job train failed after 9 s: no Pod is left that shows how it failed.",
        "Cause   backoffLimit 6 was exceeded, at 2027-01-01T00:00:09Z",
        events,
        "Next    It does not run again: create it anew when the cause is gone.",
        more,
    ]
    for each, code, lines in ((suspended, 3, waits), (failed, 1, fails)):
        each["metadata"] |= {"namespace": "batch"}
        server.jobs = [each]
        with pytest.raises(SystemExit) as stopped:
            run(["wait", "job/train", "-n", "batch", "--context", "test"])
        assert stopped.value.code == code
        assert capsys.readouterr().out.splitlines() == lines


def test_the_command_for_more_reads_the_same_kubeconfig(
    server: FakeListServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(server.kubeconfig(tmp_path))
    failed = stored(job(), (9, "Failed", "BackoffLimitExceeded"))
    failed["metadata"] |= {"namespace": "batch"}
    server.jobs = [failed]
    with pytest.raises(SystemExit):
        run(["wait", "job/train", "-n", "batch", "--kubeconfig", file])
    more = capsys.readouterr().out.splitlines()[-1]
    assert more == f"More    jobsworth why job/train -n batch --kubeconfig {file}"


@pytest.mark.slow
@pytest.mark.parametrize("redirection", ["", "2>&1"])
def test_a_reader_that_has_gone_is_no_outcome_of_the_job(
    redirection: str, server: FakeListServer, tmp_path: Path
) -> None:
    complete = stored(job(), (9, "Complete", "CompletionsReached"))
    complete["metadata"] |= {"namespace": "batch"}
    server.jobs = [complete]
    command = f"{sys.executable} -m jobsworth wait job/train -n batch {redirection}"
    done = subprocess.run(
        ["sh", "-c", f"{{ sleep 0.3; {command}; echo $? >code; }} | true"],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env={
            **os.environ,
            "KUBECONFIG": str(server.kubeconfig(tmp_path)),
            "PYTHONPATH": str(ROOT / "webhook"),
        },
    )
    assert (tmp_path / "code").read_text() == "2\n"
    assert "Error" not in done.stderr


def test_the_line_of_progress() -> None:
    progress = Progress("train", True, 10, 3, 1, 4, 2, 0, False, 90.4)
    assert progress_line(progress) == (
        "train  0:01:30  3 of 10 indexes succeeded, 1 failed, 4 active, 2 pending"
    )
    queue = Progress("train", False, None, 0, 0, 0, 0, 2, True, 1)
    assert progress_line(queue) == "train  0:00:01  0 Pods succeeded, 2 terminating, suspended"


def test_why_without_a_cluster_names_saved_objects(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "none"))
    with pytest.raises(SystemExit) as stopped:
        run(["why", "job/train"])
    assert stopped.value.code == 2
    error = capsys.readouterr().err
    assert "name a file that kubectl get job,pods,events -o yaml has written" in error
