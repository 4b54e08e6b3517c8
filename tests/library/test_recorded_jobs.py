"""Objects that a program has are explained: mappings and models of the kubernetes package."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
import yaml

import jobsworth
from support.cli.command_processes import ROOT

RECORDINGS = ROOT / "docs/examples/recordings"


def items(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = yaml.safe_load((RECORDINGS / name).read_text())["items"]
    return found


def test_mappings_are_explained() -> None:
    found = jobsworth.why_recorded(items("train.yaml"))
    assert isinstance(found, jobsworth.Diagnosis)
    assert (found.outcome, found.cause) == ("Failed", "EvictionAPI")


def test_models_are_explained() -> None:
    client = pytest.importorskip("kubernetes").client
    started = datetime.datetime(2027, 1, 1, tzinfo=datetime.UTC)
    container = client.V1Container(name="main", image="x:1")
    pod = client.V1PodSpec(restart_policy="Never", containers=[container])
    job = client.V1Job(
        api_version="batch/v1",
        kind="Job",
        metadata=client.V1ObjectMeta(name="train", creation_timestamp=started),
        spec=client.V1JobSpec(suspend=True, template=client.V1PodTemplateSpec(spec=pod)),
    )
    assert "the Job to be resumed" in jobsworth.why_recorded([job]).sentence
    job.api_version = job.kind = None  # as in the items of a list
    assert "the Job to be resumed" in jobsworth.why_recorded([job]).sentence


def test_of_several_one_must_be_named() -> None:
    both = [*items("train.yaml"), *items("sweep.yaml")]
    with pytest.raises(ValueError, match="there are 2: Job train, Job sweep"):
        jobsworth.why_recorded(both)
    assert "Job sweep failed" in jobsworth.why_recorded(both, "job/sweep").sentence


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (3, TypeError, "a mapping as in a manifest"),
        ({"metadata": {"name": "train-a"}}, ValueError, "train-a has no kind"),
        (
            {"apiVersion": "v1", "kind": "Pod", "metadata": 3},
            ValueError,
            "metadata must be an object",
        ),
    ],
)
def test_anything_else_is_an_error(value: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        jobsworth.why_recorded([value])
