"""`jobsworth why`, on files and on a server that answers as an API server does."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
import yaml

from support.cli.command_processes import ROOT
from support.cli.command_runs import Command

RECORDINGS = ROOT / "docs/examples/recordings"
JOB = {"apiVersion": "batch/v1", "kind": "Job"}
TRAIN = str(RECORDINGS / "train.yaml")


@pytest.mark.parametrize("file", sorted(RECORDINGS.glob("*.yaml")), ids=lambda file: file.stem)
def test_the_first_line_is_short_and_begins_the_sentence(why: Command, file: Path) -> None:
    done = why(str(file))
    assert done.code == 0, done.err
    first, second, *_ = done.out.splitlines()
    assert len(first.split()) <= 20
    assert second.startswith("Cause   ")
    value = why(str(file), "-o", "json").loaded
    assert value["outcome"] == "Failed"
    assert value["sentence"].startswith(first.rstrip("."))


def test_rules_stand_at_their_lines(why: Command) -> None:
    value = why(TRAIN, "-o", "json").loaded
    places = [(each["name"], each["place"], each["matched"]) for each in value["rules"]]
    assert places == [("rules[0]", f"{TRAIN}:24", 1), ("rules[1]", f"{TRAIN}:30", 0)]


def test_the_advice_has_the_lint_rule_about_the_cause(why: Command) -> None:
    value = why(TRAIN, "-o", "json").loaded
    assert value["cause"] == "EvictionAPI"
    assert "JW102" in [each["code"] for each in value["advice"]]


def test_of_several_jobs_one_is_chosen(why: Command) -> None:
    both = (TRAIN, str(RECORDINGS / "sweep.yaml"))
    assert why(*both, "--job", "sweep").out.startswith("Job sweep failed")
    assert why(*both).out.count("Job sweep failed") == 1
    refused = why(*both, "-o", "json")
    assert (refused.code, "choose it with --job" in refused.err) == (2, True)
    missing = why(*both, "--job", "other")
    assert 'no Job "other" in these files; they have Job train, Job sweep' in missing.err


def test_a_namespace_chooses_among_objects_of_one_name(why: Command, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    text = Path(TRAIN).read_text(encoding="utf-8").replace("namespace: batch", "namespace: other")
    text = re.sub(r"uid: \S+", "uid: another", text)
    other.write_text(text, encoding="utf-8")
    both = (TRAIN, str(other), "--job", "train")
    found = why(*both).out
    assert "Job batch/train failed" in found
    assert "Job other/train failed" in found
    assert why(*both, "-n", "other").out.count("Job train failed") == 1
    missing = why(*both, "-n", "third")
    assert 'no Job "train" in namespace third in these files' in missing.err
    assert "they have Job batch/train, Job other/train" in missing.err


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"kind": "ConfigMap"}, "no Job, CronJob or JobSet in these files"),
        (
            {**JOB, "apiVersion": "batch/v1beta1", "kind": "CronJob"},
            'the CronJob in these files has apiVersion "batch/v1beta1": only batch/v1 is read',
        ),
        ({"kind": "Job"}, "the Job in these files has no apiVersion: only batch/v1 is read"),
        ({**JOB, "metadata": {}}, "f.yaml:1: metadata.name is missing"),
        ({**JOB, "metadata": []}, "f.yaml:1: metadata must be an object"),
        (
            {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "status": {"phase": 3}},
            "status.phase must be a string",
        ),
        (
            {**JOB, "metadata": {"name": "x"}, "spec": {"parallelism": "many"}},
            "spec.parallelism",
        ),
        ({**JOB, "metadata": {"name": "x"}, "spec": {}}, "has no creation time"),
        (
            {**JOB, "kind": "CronJob", "metadata": {"name": "x"}, "spec": {}},
            "spec.schedule is missing",
        ),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(
    why: Command, tmp_path: Path, document: object, words: str
) -> None:
    (tmp_path / "f.yaml").write_text(yaml.safe_dump(document))
    done = why("f.yaml")
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "internal error" not in done.err


def test_files_and_objects_of_a_cluster_are_not_mixed(why: Command) -> None:
    done = why(TRAIN, "job/train")
    assert (done.code, "name either files or objects" in done.err) == (2, True)


SILENT = """\
apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: batch, uid: "1", creationTimestamp: "2026-11-01T00:00:00Z"}
spec:
  schedule: "0 2 * * *"
  jobTemplate:
    spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: main}]}}}
status: {lastScheduleTime: "2026-11-22T02:00:00Z", lastSuccessfulTime: "2026-11-22T02:10:00Z"}
"""


def test_missed_runs_are_counted_up_to_the_time_at_which_the_objects_were_saved(
    why: Command, tmp_path: Path
) -> None:
    file = tmp_path / "saved.yaml"
    file.write_text(SILENT)
    assert "has no Job any more" in why(str(file)).out.splitlines()[0]
    first = "CronJob nightly has not run since 2026-11-22T02:00:00Z (6 runs missed)."
    assert why(str(file), "--at", "2026-11-28T03:00Z").out.splitlines()[0] == first


def test_standard_input_was_saved_now(why: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jobsworth.cli.options.time.time", lambda: 1_795_834_800.0)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(SILENT.encode())))
    assert "(6 runs missed)" in why("-").out.splitlines()[0]


def test_a_cluster_is_read_now(why: Command) -> None:
    done = why("job/train", "--at", "2026-11-28")
    assert (done.code, done.err) == (2, "Error: --at is for files: a cluster is read now\n")


def test_the_manifest_is_for_a_job_of_a_cluster(why: Command) -> None:
    done = why(TRAIN, "--manifest", TRAIN)
    assert (done.code, "--manifest is for a Job of a cluster" in done.err) == (2, True)


def test_control_characters_of_a_recording_are_escaped(why: Command, tmp_path: Path) -> None:
    items = yaml.safe_load((RECORDINGS / "train.yaml").read_text())["items"]
    for each in items:
        if each["kind"] == "Pod":
            each["status"]["reason"] = "Evicted"
            each["status"]["message"] = "\x1b[2J::error::forged"
    (tmp_path / "f.yaml").write_text(yaml.safe_dump_all(items))
    done = why("f.yaml")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out
    assert "\x1b" not in why("f.yaml", "-o", "json").out
