"""`jobsworth why --timeline` and `--with`, on files and on a server that answers as an API server does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.api_server.fake_list_server import FakeListServer, fake_list_server, page, status
from support.cli.command_processes import ROOT
from support.cli.command_runs import Command

RECORDINGS = ROOT / "docs/examples/recordings"
TRAIN = str(RECORDINGS / "train.yaml")
REINDEX = str(RECORDINGS / "reindex.yaml")
AFTER = str(ROOT / "docs/examples/training-after.yaml")


def items(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((RECORDINGS / name).read_text())["items"]
    return found


@pytest.mark.parametrize("file", sorted(RECORDINGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_every_shipped_recording_is_explained_by_its_own_policy(why: Command, file: Path) -> None:
    done = why(str(file), "--timeline", "-o", "json")
    assert done.code == 0, done.err
    value = done.loaded
    assert value["outcome"] == "Failed"
    assert not any("alone" in each for each in value["unknown"])
    assert len([each for each in value["timeline"]["pods"] if each["failure"]]) >= 2
    assert value["comparison"] is None


def test_pods_rules_limits_and_the_end_are_shown(why: Command) -> None:
    done = why(str(RECORDINGS / "sweep.yaml"), "--timeline")
    assert done.code == 0, done.err
    assert done.out.startswith("Job sweep failed after 28 s: index 4 failed with exit code 42")
    assert "rules[1] FailIndex: index 4 fails for good; the Job fails" in done.out
    assert "maxFailedIndexes 1      2 indexes failed; exceeded at 0:00:26" in done.out
    assert "Pod sweep-0-mbt86, created at 0:00:00, is gone; only Events name it." in done.out
    assert "= running   o succeeded   x failed" in done.out


def test_another_policy_diverges_at_the_first_failure_that_it_takes_otherwise(why: Command) -> None:
    done = why(TRAIN, "--with", AFTER)
    assert done.code == 0, done.err
    assert "  at        0:00:30, train-l2qvr: trainer exit 143, DisruptionTarget (Evic" in done.out
    assert "After this the recording cannot say more" in done.out
    assert "simulate" in done.out


def test_json_has_the_comparison(why: Command) -> None:
    value = why(TRAIN, "--with", AFTER, "-o", "json").loaded["comparison"]
    assert value["divergence"]["pod"] == "train-l2qvr"
    assert [each["differs"] for each in value["failures"]] == [False, True]
    assert value["failures"][1]["recorded"]["action"] == "FailJob"
    assert value["failures"][1]["other"]["effect"] == "Ignore"
    assert value["end"] is None


def test_markdown_and_html_go_to_files(why: Command, tmp_path: Path) -> None:
    done = why(TRAIN, "--with", AFTER, "-o", "markdown=run.md", "-o", "html=run.html")
    assert (done.code, done.out) == (0, "")
    markdown = (tmp_path / "run.md").read_text()
    assert markdown.startswith("**Job train failed after 31 s: ")
    assert "| train-l2qvr |" in markdown
    page_ = (tmp_path / "run.html").read_text()
    assert "Recorded in " in page_
    assert "Made by jobsworth why." in page_
    assert "{{" not in page_


def test_a_recording_may_come_in_several_files(why: Command, tmp_path: Path) -> None:
    for each in items("reindex.yaml"):
        file = tmp_path / f"{each['kind']}.yaml"
        with file.open("a") as out:
            out.write("---\n" + yaml.safe_dump(each))
    done = why("Job.yaml", "Pod.yaml", "Event.yaml", "--timeline", "-o", "json")
    whole = why(REINDEX, "--timeline", "-o", "json")
    assert done.loaded["timeline"] == whole.loaded["timeline"]
    assert done.loaded["events"] == whole.loaded["events"]


def test_a_job_that_no_api_server_has_is_refused(why: Command, tmp_path: Path) -> None:
    meta = "{name: a, creationTimestamp: '2027-01-01T00:00:00Z'}"
    text = f"kind: Job\napiVersion: batch/v1\nmetadata: {meta}\nspec: {{template: {{}}}}\n"
    (tmp_path / "odd.yaml").write_text(text)
    done = why("odd.yaml", "--timeline")
    assert done.code == 2
    assert "this Job cannot be one of an API server:" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TRAIN, "-o", "pdf"), '"pdf" is none of text, markdown, json, html'),
        (
            (TRAIN, REINDEX, "-o", "html=a"),
            "--output html explains one object: choose it with --job",
        ),
        ((TRAIN, "-o", "text=no/such/folder"), "cannot write no/such/folder"),
        (
            (TRAIN, "--with", str(ROOT / "docs/examples/reindex-per-index.yaml")),
            "the API server rejects Job train with the failure policy of",
        ),
    ],
)
def test_a_wrong_command_line_is_refused_in_words(
    why: Command, arguments: tuple[str, ...], message: str
) -> None:
    done = why(*arguments)
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


@pytest.mark.slow
def test_a_job_of_a_cluster_has_the_timeline_of_its_recording(
    why: Command, server: FakeListServer
) -> None:
    done = why("-n", "batch", "train", "--timeline", "-o", "json")
    assert done.code == 0, done.err
    assert done.loaded["timeline"] == why(TRAIN, "--timeline", "-o", "json").loaded["timeline"]
    compared = why("-n", "batch", "train", "--with", AFTER)
    assert "With docs" in compared.out or "it goes on" in compared.out


def test_the_page_has_the_comparison_and_what_is_not_known(why: Command, tmp_path: Path) -> None:
    done = why(TRAIN, "--with", AFTER, "-o", "html=page.html")
    assert done.code == 0, done.err
    shown = (tmp_path / "page.html").read_text()
    for heading in ("Failures", "Where the policies diverge", "What follows"):
        assert f"<h2>{heading}</h2>" in shown
    assert "After this the recording cannot say more" in shown
    assert why(str(RECORDINGS / "sweep.yaml"), "--timeline", "-o", "html=page.html").code == 0
    assert "<h2>Not known</h2>" in (tmp_path / "page.html").read_text()
