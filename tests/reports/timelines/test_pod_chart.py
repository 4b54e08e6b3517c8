"""The text chart of the Pods: no attempt hides the end of another."""

from __future__ import annotations

from jobsworth.reports.timelines.pod_chart import LINE_WIDTH, SEVERAL, chart_lines
from jobsworth.runs.run_record import JobRecord, PodRecord
from support.simulation.simulated_runs import indexed, run, scenario


def attempts(*ends: tuple[int, str]) -> JobRecord:
    """Return a Job of one index whose attempts follow one another at once."""
    record = JobRecord("train", 1, 0, indexed=True, parallelism=1, size=1)
    created = 0
    for number, (ended, counted) in enumerate(ends, 1):
        pod = PodRecord(f"train-0-{number}", 0, number, created, started=created, ended=ended)
        pod.counted = counted  # type: ignore[assignment]
        record.pods.append(pod)
        created = ended
    return record


def row(record: JobRecord, end: int) -> str:
    return list(chart_lines(record, end))[1].removeprefix(f"{0:>5}  ")


def test_the_next_attempt_does_not_hide_the_end_of_the_one_before() -> None:
    record = attempts((3600, "failed"), (5000, "ignored"), (7200, "succeeded"))
    drawn = row(record, 7200)
    assert [drawn[column] for column in (35, 49, 70)] == ["x", "i", "o"]
    assert SEVERAL not in "\n".join(chart_lines(record, 7200))


def test_every_failure_of_an_index_is_a_mark_in_a_long_run() -> None:
    record = run(
        indexed(size=2, backoffLimitPerIndex=3),
        scenario({"indexes": 1, "attempts": "1-3", "exitCode": 1, "duration": "5m"}),
    )
    assert row(record.job, record.end).count("o") == 1
    second = list(chart_lines(record.job, record.end))[2]
    assert second.count("x") == 3


def test_several_ends_in_one_column_are_a_number_and_counted_behind_the_row() -> None:
    ends = [(10, "failed"), (20, "ignored"), (30, "ignored"), (7200, "succeeded")]
    record = attempts(*ends)
    drawn = row(record, 7200)
    assert drawn[0] == "3"
    assert drawn.endswith("o  1o 1x 2i")
    assert list(chart_lines(record, 7200))[-1].endswith(SEVERAL)


def test_more_than_nine_ends_in_one_column_are_a_plus() -> None:
    record = attempts(*[(number, "failed") for number in range(1, 12)], (7200, "succeeded"))
    drawn = row(record, 7200)
    assert drawn[0] == "+"
    assert drawn.endswith("1o 11x")
    assert len(f"index  {drawn.partition('  ')[0]}") == LINE_WIDTH


def test_the_legend_names_the_marks_that_occur() -> None:
    legend = list(chart_lines(attempts((3600, "failed"), (7200, "succeeded")), 7200))[-1]
    assert legend.strip() == "= running   o succeeded   x failed"


def test_a_mark_that_a_number_stands_for_is_in_the_legend() -> None:
    record = attempts((10, "failed"), (20, "ignored"), (7200, "succeeded"))
    legend = list(chart_lines(record, 7200))[-2]
    assert legend.strip() == "= running   o succeeded   x failed   i failed and ignored"


def test_restarts_in_place_are_marks() -> None:
    record = attempts((7200, "succeeded"))
    record.pods[0].restarts = [3600, 7200]
    drawn = row(record, 7200)
    assert (drawn[35], drawn[70]) == ("r", "o")
    assert "r restarted in place" in list(chart_lines(record, 7200))[-1]


def test_the_heading_of_indexes_fits_into_eighty_columns_with_its_indent() -> None:
    heading = next(chart_lines(attempts((7200, "succeeded")), 7200))
    assert len(f"  {heading}") == 80
