"""A law of `jobsworth why --timeline`: whatever a file holds, the answer is a report or an error in words."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as some

from jobsworth.api.api_server import ApiServer
from jobsworth.files.objects_in_files import diagnoses_in
from jobsworth.reports import why_json
from jobsworth.reports.sections import markdown_lines, text_lines
from jobsworth.reports.timelines.timeline_page import timeline_page
from jobsworth.reports.why_sections import why_sections
from jobsworth.runs.recorded.recording_reader import BadRecording
from jobsworth.runs.why.run_forms import recorded_timeline
from jobsworth.usage_error import UsageError
from support.cli.command_processes import ROOT
from support.simulation.simulated_runs import job

FOLDER = ROOT / "docs/examples/recordings"
RECORDINGS = [yaml.safe_load(file.read_text()) for file in sorted(FOLDER.glob("*.yaml"))]
ODD = some.sampled_from(
    [
        None,
        True,
        -1,
        0,
        2**40,
        "",
        "soon",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00Z",
        [],
        {},
        [None],
    ]
)
OTHER = job(backoffLimit=1)["spec"]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values in a document."""
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [path] + [place for key, part in inner for place in places(part, (*path, key))]


@some.composite
def damaged(draw: some.DrawFn) -> Any:
    value = copy.deepcopy(draw(some.sampled_from(RECORDINGS)))
    for _ in range(draw(some.integers(1, 3))):
        *outer, last = draw(some.sampled_from(places(value)[1:]))
        part = value
        for key in outer:
            part = part[key]
        if draw(some.booleans()):
            del part[last]
        else:
            part[last] = draw(ODD)
    return value


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("damaged") / "recording.json"


@given(value=damaged())
def test_a_damaged_recording_is_reported_on_or_refused(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value), encoding="utf-8")
    server = ApiServer("1.36")
    try:
        found = list(diagnoses_in([str(file)], server, lambda job, codes: ()))
        explained = [each.compared("other.yaml", OTHER, server) for each in found]
    except (UsageError, BadRecording):
        return
    for each in explained:
        assert list(text_lines(why_sections(each)))
        assert list(markdown_lines(why_sections(each)))
        assert json.loads(why_json.render(each))
        assert each.job is not None
        assert each.replayed is not None
        recording = each.job.recording
        record = recorded_timeline(recording, each.replayed)
        assert timeline_page(record, recorded_in=recording.file)
