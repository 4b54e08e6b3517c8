"""The sections about the scheduled times and the Jobs of a CronJob, for the page of many simulations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.whatif.miss_reasons import WORDS
from jobsworth.whatif.timelines.html_charts import Amount, bars, legend, table
from jobsworth.whatif.timelines.statistics_text import percent, plain, spoken_time

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jobsworth.whatif.run_statistics import CronJobStatistics

    Series = Sequence[tuple[str, CronJobStatistics]]

_STARTS = (
    ("succeeded", "onTime", "on time"),
    ("ignored", "late", "late"),
    ("failed", "missed", "missed"),
)
_ENDS = (
    ("failed", "failed", "failed"),
    ("ignored", "replaced", "replaced"),
    ("uncounted", "unfinished", "unfinished"),
)


def cron_job_sections(series: Series) -> Iterator[tuple[str, str]]:
    """Yield the headings of the sections and their contents."""
    yield "Scheduled times of a simulation", "".join(_scheduled(series))
    yield "Jobs of a simulation", "".join(_jobs(series))


def _scheduled(series: Series) -> Iterator[str]:
    amounts, rows = (
        [],
        [["variant", "due", "on time", "late", "latest by", "missed", "without a fault"]],
    )
    for name, statistics in series:
        means = statistics.means
        parts = tuple((kind, means[measure].value) for kind, measure, _ in _STARTS)
        words = f"{means['onTime'].value:.3g} of {means['due'].value:.3g}"
        amounts.append(Amount(name, parts, None, words))
        latest = spoken_time(means["delay"]) if means["delay"].value else "-"
        numbers = [plain(means[each]) for each in ("due", "onTime", "late")]
        rows.append([name, *numbers, latest, plain(means["missed"]), percent(statistics.flawless)])
    yield legend([(kind, words) for kind, _, words in _STARTS], amounts)
    yield from bars("Scheduled times: on time, late and missed", amounts, _most(series, "due"))
    yield table("Scheduled times", rows)
    reasons = [
        [name, WORDS[reason], plain(number)]
        for name, statistics in series
        for reason, number in statistics.missed
    ]
    if reasons:
        yield table("Missed times by reason", [["variant", "missed because", "times"], *reasons])
    yield (
        '<p class="soft">Without a fault: the share of the simulations in which every run that was due '
        "started on time, and no Job failed or was replaced.</p>\n"
    )


def _jobs(series: Series) -> Iterator[str]:
    head = ["variant", "Jobs", "failed", "replaced", "unfinished"]
    head += ["longest", "overlapping", "overlap", "most Pods at once"]
    amounts, rows = [], [head]
    for name, statistics in series:
        means = statistics.means
        ends = tuple((kind, means[measure].value) for kind, measure, _ in _ENDS)
        complete = means["jobs"].value - sum(value for _, value in ends)
        words = f"{means['jobs'].value:.3g}"
        amounts.append(Amount(name, (("succeeded", complete), *ends), None, words))
        rows.append(
            [
                name,
                *(plain(means[each]) for each in ("jobs", "failed", "replaced", "unfinished")),
                spoken_time(means["longest"]) if means["longest"].value else "-",
                plain(means["overlapping"]),
                spoken_time(means["overlap"]) if means["overlap"].value else "-",
                plain(means["mostPods"]),
            ]
        )
    yield legend([("succeeded", "complete"), *((kind, words) for kind, _, words in _ENDS)], amounts)
    yield from bars("Jobs by outcome", amounts, _most(series, "jobs"))
    yield table("Jobs", rows)


def _most(series: Series, measure: str) -> float:
    return max(statistics.means[measure].value for _, statistics in series)
