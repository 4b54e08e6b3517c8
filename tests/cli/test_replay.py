"""`jobsworth replay`, on files and on a server that answers as an API server does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from jobsworth.cli import run
from support.api_server.fake_list_server import FakeListServer, fake_list_server, page, status
from support.cli.command_processes import GOOD, ROOT
from support.cli.command_runs import CommandResult

Replay = Callable[..., CommandResult]

RECORDINGS = ROOT / "docs/examples/recordings"
TRAIN = str(RECORDINGS / "train.yaml")
REINDEX = str(RECORDINGS / "reindex.yaml")
AFTER = str(ROOT / "docs/examples/training-after.yaml")


@pytest.fixture
def replay(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Replay:
    monkeypatch.chdir(tmp_path)

    def replay(*arguments: str) -> CommandResult:
        with pytest.raises(SystemExit) as stopped:
            run(["replay", *arguments])
        written = capsys.readouterr()
        return CommandResult(int(str(stopped.value.code or 0)), written.out, written.err)

    return replay


def items(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((RECORDINGS / name).read_text())["items"]
    return found


@pytest.mark.parametrize("file", sorted(RECORDINGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_shipped_recording_is_explained_by_its_own_policy(replay: Replay, file: Path) -> None:
    done = replay(str(file), "-o", "json")
    assert done.code == 0, done.err
    value = done.loaded
    assert value["end"]["condition"] == "Failed"
    assert not any("alone" in each for each in value["unknown"])
    assert len([each for each in value["pods"] if each["failure"]]) >= 2


def test_pods_rules_limits_and_the_end_are_shown(replay: Replay) -> None:
    done = replay(str(RECORDINGS / "sweep.yaml"))
    assert done.code == 0, done.err
    assert "Failed after 28 s: MaxFailedIndexesExceeded: " in done.out
    assert "rules[1] FailIndex  index 4 fails for good; the Job fails" in done.out
    assert "Pod sweep-0-mbt86: created at 0:00:00, known only from Events." in done.out
    assert "= running   o succeeded   x failed" in done.out


def test_another_policy_parts_at_the_first_failure_that_it_takes_otherwise(replay: Replay) -> None:
    done = replay(TRAIN, "--with", AFTER)
    assert done.code == 0, done.err
    assert "  at        0:00:30, train-l2qvr: trainer exit 143, DisruptionTarget (Evic" in done.out
    assert "After this the recording cannot say more" in done.out
    assert "simulate" in done.out


def test_json_has_the_comparison(replay: Replay) -> None:
    value = replay(TRAIN, "--with", AFTER, "-o", "json").loaded["with"]
    assert value["parting"]["pod"] == "train-l2qvr"
    assert [each["differs"] for each in value["failures"]] == [False, True]
    assert value["failures"][1]["recorded"]["action"] == "FailJob"
    assert value["failures"][1]["other"]["effect"] == "ignored"
    assert value["known_to_the_end"] is False


def test_markdown_and_html_go_to_files(replay: Replay, tmp_path: Path) -> None:
    done = replay(TRAIN, "--with", AFTER, "-o", "markdown=run.md", "-o", "html=run.html")
    assert (done.code, done.out) == (0, "")
    markdown = (tmp_path / "run.md").read_text()
    assert markdown.startswith("### Job batch/train (")
    assert "| train-l2qvr |" in markdown
    page_ = (tmp_path / "run.html").read_text()
    assert "Recorded in " in page_
    assert "Made by jobsworth replay." in page_
    assert "{{" not in page_


def test_a_recording_may_come_in_several_files(replay: Replay, tmp_path: Path) -> None:
    for each in items("reindex.yaml"):
        file = tmp_path / f"{each['kind']}.yaml"
        with file.open("a") as out:
            out.write("---\n" + yaml.safe_dump(each))
    done = replay("Job.yaml", "Pod.yaml", "Event.yaml", "-o", "json")
    whole = replay(REINDEX, "-o", "json")
    assert done.loaded["pods"] == whole.loaded["pods"]
    assert done.loaded["events"] == whole.loaded["events"]


def test_one_of_several_jobs_is_chosen_by_name(replay: Replay) -> None:
    both = replay(TRAIN, REINDEX)
    assert both.out.count("What counted") == 2
    one = replay(TRAIN, REINDEX, "--job", "reindex", "-o", "json")
    assert one.loaded["name"] == "reindex"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kind: ConfigMap\napiVersion: v1\n", "no Job in these files: record it with kubectl get"),
        ("kind: Pod\napiVersion: v1\nmetadata: {name: 3}\n", "metadata.name must be a string"),
        ("kind: Event\nreason: [1]\n", "reason must be a string"),
        (
            "kind: Job\napiVersion: batch/v1\nmetadata: {}\nstatus: {conditions: [null]}\n",
            "conditions[0] must not be null",
        ),
        ("kind: Job\napiVersion: batch/v1\nspec: {completions: many}\n", "spec.completions: "),
        (
            "kind: Job\napiVersion: batch/v1\nmetadata: {name: a}\nspec: {template: {}}\n",
            "this Job cannot be one of an API server:",
        ),
        ("kind: Job\napiVersion: batch.volcano.sh/v1alpha1\n", "no Job in these files"),
        (GOOD, "nothing of it was recorded"),
        (": {\n", "error"),
    ],
)
def test_a_file_that_is_no_recording_is_refused_in_words(
    replay: Replay, tmp_path: Path, text: str, message: str
) -> None:
    (tmp_path / "odd.yaml").write_text(text)
    done = replay("odd.yaml")
    assert done.code == 2
    assert message in done.err or message == "error"
    assert "Traceback" not in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TRAIN, "-o", "pdf"), '"pdf" is none of text, markdown, json, html'),
        ((TRAIN, "--job", "nightly"), 'no Job "nightly" in these files; they have train'),
        ((TRAIN, REINDEX, "-o", "json"), "show one Job: choose it with --job"),
        ((TRAIN, "-o", "text=no/such/folder"), "cannot write no/such/folder"),
        (("-n", "batch", "--job", "a", "b"), "--job is for files"),
        (("missing.yaml",), "missing.yaml"),
        (
            (TRAIN, "--with", str(ROOT / "docs/examples/reindex-per-index.yaml")),
            "the API server rejects Job train with the failure policy of",
        ),
    ],
)
def test_a_wrong_command_line_is_refused_in_words(
    replay: Replay, arguments: tuple[str, ...], message: str
) -> None:
    done = replay(*arguments)
    assert done.code == 2
    assert message in done.err.replace("\n", " ")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeListServer]:
    pytest.importorskip("kubernetes")
    with fake_list_server() as server:
        monkeypatch.setenv("KUBECONFIG", str(server.kubeconfig(tmp_path, token="secret")))
        monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
        server.faults.append(lambda path, query: answer(items("train.yaml"), path, query))
        yield server


def answer(
    stored: list[dict[str, Any]], path: str, query: dict[str, str]
) -> tuple[int, Any] | None:
    """Answer for the recorded objects, which no longer exist elsewhere."""
    if path == "/apis/batch/v1/namespaces/batch/jobs/train":
        return 200, stored[0]
    if path.endswith("/pods"):
        return 200, page([each for each in stored if each["kind"] == "Pod"], query)
    if path.endswith("/events"):
        kind = "Pod" if "kind=Pod" in query["fieldSelector"] else "Job"
        events = [
            each
            for each in stored
            if each["kind"] == "Event" and each["involvedObject"]["kind"] == kind
        ]
        return 200, page(events, query)
    return 404, status(404, "NotFound", "not found")


def test_a_job_of_a_cluster_is_replayed_as_its_recording(
    replay: Replay, server: FakeListServer
) -> None:
    done = replay("-n", "batch", "train", "-o", "json")
    assert done.code == 0, done.err
    from_file = replay(TRAIN, "-o", "json").loaded
    here = done.loaded
    assert here["pods"] == from_file["pods"]
    assert here["limits"] == from_file["limits"]
    uid = items("train.yaml")[0]["metadata"]["uid"]
    selectors = [query.get("labelSelector") for path, query in server.requests]
    assert f"batch.kubernetes.io/controller-uid={uid}" in selectors


def test_the_context_gives_the_namespace(replay: Replay, server: FakeListServer) -> None:
    assert 'Job batch/train (context "other")' in replay("--context", "other", "job/train").out


def test_without_the_right_to_list_events_the_rest_is_shown(
    replay: Replay, server: FakeListServer
) -> None:
    forbidden = status(403, "Forbidden", "events is forbidden")
    server.faults.insert(
        0, lambda path, query: (403, forbidden) if path.endswith("/events") else None
    )
    done = replay("-n", "batch", "train")
    assert done.code == 0
    assert "denies the list of Events: deleted Pods cannot be seen" in done.err
    assert "There are no Events of the Job" in done.out


def test_an_unknown_job_and_a_missing_right_are_errors(
    replay: Replay, server: FakeListServer
) -> None:
    missing = replay("-n", "batch", "nightly")
    assert missing.code == 2
    assert 'context "test" has no Job "nightly" in namespace batch' in missing.err
    forbidden = status(403, "Forbidden", "jobs is forbidden")
    server.faults.insert(0, lambda path, query: (403, forbidden) if "/jobs/" in path else None)
    denied = replay("-n", "batch", "train")
    assert denied.code == 2
    assert "grant get on jobs, and list on pods and events" in denied.err


def test_what_the_server_sends_is_checked(replay: Replay, server: FakeListServer) -> None:
    server.faults.insert(
        0, lambda path, query: (200, {"status": {"failed": "x"}}) if "/jobs/" in path else None
    )
    done = replay("-n", "batch", "train")
    assert done.code == 2
    assert 'context "test" sent a malformed object' in done.err
