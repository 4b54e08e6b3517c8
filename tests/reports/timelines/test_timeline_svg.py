"""The picture of a run: one text that is well-formed XML, with a bar for each Pod and a bounded number of rows."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from jobsworth.reports.timelines.pod_chart import MAX_ROWS
from jobsworth.reports.timelines.timeline_svg import timeline_svg
from support.simulation.simulated_runs import indexed, on_exit, run, scenario

SVG = "{http://www.w3.org/2000/svg}"


def bars(picture: str, kind: str) -> list[ElementTree.Element]:
    root = ElementTree.fromstring(picture)
    return [each for each in root.iter(f"{SVG}rect") if each.get("class") == kind]


def test_each_pod_is_a_bar_of_the_way_in_which_the_job_counted_it() -> None:
    manifest = indexed(on_exit("Ignore", 3), size=4, backoffLimitPerIndex=1)
    failing = {"indexes": "0", "attempts": "1", "duration": "1m", "exitCode": 3}
    record = run(manifest, scenario(failing))
    picture = timeline_svg([("train", record)])
    in_legend = 1
    assert len(bars(picture, "ignored")) == 1 + in_legend
    assert len(bars(picture, "succeeded")) == 4 + in_legend
    assert bars(picture, "failed") == []


def test_the_rows_of_a_large_job_are_bounded_and_the_others_counted() -> None:
    record = run(indexed(size=2 * MAX_ROWS, backoffLimitPerIndex=1), scenario())
    picture = timeline_svg([("train", record)])
    assert len(re.findall("index [0-9]+<", picture)) == MAX_ROWS
    assert f"… {MAX_ROWS} more indexes" in picture


def test_a_title_controls_neither_the_picture_nor_a_terminal() -> None:
    record = run(indexed(size=1, backoffLimitPerIndex=1), scenario())
    picture = timeline_svg([("</title><script>\x1b[31m", record)])
    assert "<script" not in picture
    assert "\x1b" not in picture
    ElementTree.fromstring(picture)


def test_an_axis_has_at_most_nine_ticks_whatever_the_length() -> None:
    for duration in ("1s", "7m", "3h", "40h", "160h"):
        record = run(
            indexed(size=1, backoffLimitPerIndex=1), scenario({"duration": duration, "exitCode": 0})
        )
        picture = timeline_svg([("train", record)])
        assert 1 <= picture.count("<line ") <= 9, duration
