"""Many runs as one self-contained HTML page: outcomes, work done, times, Pod-hours, failures by rule.

The page has no script and loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from jobsworth.reports.pages import Amount, Bars, Block, Histograms, Note, Table, static_page
from jobsworth.reports.timelines.statistics_text import (
    SERIES,
    percent,
    percent_or_none,
    plain,
    spoken_time,
)
from jobsworth.runs import run_statistics
from jobsworth.runs.cause import MISSED
from jobsworth.runs.run_record import Outcome
from jobsworth.runs.run_statistics import CronJobStatistics, RunStatistics, histogram
from jobsworth.runs.virtual_time import spoken

Variants = Sequence[tuple[str, RunStatistics]]
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


BINS = 24
_OUTCOMES: tuple[tuple[str, Outcome], ...] = (
    ("succeeded", "Complete"),
    ("failed", "Failed"),
    ("uncounted", "Unfinished"),
)


def statistics_page(heading: str, variants: Variants) -> str:
    """Return the page.

    Args:
        heading: the simulated object and its scenario.
        variants: the statistics of each variant, with its name; at least one.
    """
    introduction = [Note(_introduction(variants))]
    title = f"{heading}: {_runs(variants)}"
    return static_page(title, heading, introduction, _sections(variants), "jobsworth simulate")


def _runs(variants: Variants) -> str:
    runs = variants[0][1].runs
    return f"{runs:,} simulated runs" if runs > 1 else "one simulated run"


def _introduction(variants: Variants) -> str:
    words = _runs(variants)
    each = " of each variant, with the same luck" if len(variants) > 1 else ""
    intervals = " Intervals are 95 % confidence intervals." if variants[0][1].runs > 1 else ""
    note = f" {' '.join(SERIES)}" if any(statistics.series for _, statistics in variants) else ""
    return f"{words[0].upper()}{words[1:]}{each}.{intervals}{note}"


def _sections(variants: Variants) -> Iterator[tuple[str, list[Block]]]:
    """Yield the headings of the sections and their contents, which are empty without numbers."""
    jobs = [(name, statistics) for name, statistics in variants if not statistics.series]
    series = [
        (name, statistics.cron_job)
        for name, statistics in variants
        if statistics.cron_job is not None
    ]
    if jobs:
        yield "Outcomes", [*_outcomes(jobs)]
        yield "Work done", [*_work(jobs)]
        yield "Time to completion", [*_times(jobs)]
    if series:
        yield from _cron_job_sections(series)
    per = "simulation" if series else "run"
    yield f"Pod-hours of a {per}", [*_hours(variants)]
    yield f"Failed Pods of a {per}, by rule", [*_rules(variants)]


def _outcomes(variants: Variants) -> Iterator[Block]:
    amounts, shares = [], [["variant", "complete", "failed", "unfinished"]]
    for name, statistics in variants:
        found = {outcome: statistics.share(outcome) for _, outcome in _OUTCOMES}
        parts = tuple(
            (kind, share.value)
            for kind, outcome in _OUTCOMES
            if (share := found[outcome]) is not None
        )
        complete = found["Complete"]
        words = "-" if complete is None else f"{complete.value:.1%}"
        amounts.append(Amount(name, parts, complete, words))
        shares.append([name, *(percent_or_none(found[outcome]) for _, outcome in _OUTCOMES)])
    kinds = [(kind, outcome.lower()) for kind, outcome in _OUTCOMES]
    yield Bars("Shares of the outcomes; the value is that of complete", amounts, 1.0, kinds)
    yield Table("Shares of the outcomes", shares)
    rows = [["variant", "outcome", "reason", "runs"]]
    for name, statistics in variants:
        rows += [
            [name, outcome, reason, f"{runs:,}"] for outcome, reason, runs in statistics.outcomes
        ]
    yield Table("Outcomes by reason", rows)
    if not any(statistics.times for _, statistics in variants):
        yield Note("No run completed, so there is no time to completion.", soft=False)


def _work(variants: Variants) -> Iterator[Block]:
    amounts = []
    for name, statistics in variants:
        done = run_statistics.work_done(statistics)
        if done is not None and run_statistics.has_parts(statistics):
            amounts.append(Amount(name, (("succeeded", done.value),), done, f"{done.value:.1%}"))
    if not amounts:
        return
    yield Bars("Share of the completions that succeeded", amounts, 1.0)
    found = {run_statistics.completions(statistics) for _, statistics in variants}
    of = found.pop() if len(found) == 1 else ""
    overlaps = any(each.overlap for _, statistics in variants for each in statistics.measures)
    head = ["variant", f"work done, of {of or 'the completions'}", "90 % done, median"]
    rows = [[*head, "most Pods at once", *(["done twice at once"] if overlaps else [])]]
    for name, statistics in variants:
        at = run_statistics.time_to_90_percent(statistics, 0.5)
        most, overlap = run_statistics.most_pods(statistics), run_statistics.overlap(statistics)
        row = [
            name,
            percent_or_none(run_statistics.work_done(statistics)),
            "never" if at is None else spoken_time(at),
            "-" if most is None else plain(most),
        ]
        if overlaps:
            row.append("-" if overlap is None else spoken_time(overlap))
        rows.append(row)
    yield Table("Work done", rows)


def _times(variants: Variants) -> Iterator[Block]:
    """Yield a histogram for each variant that completed, all with the same scale, and the numbers."""
    known = [(name, statistics) for name, statistics in variants if statistics.times]
    if not known:
        return
    low = min(statistics.times[0] for _, statistics in known)
    high = max(statistics.times[-1] for _, statistics in known)
    counts = [histogram(statistics.times, low, high, BINS) for _, statistics in known]
    names = [name for name, _ in known]
    places = (0.0, 0.5, 1.0) if low < high else (0.0,)
    ends = [spoken(low + (high - low) * place) for place in places]
    yield Histograms(
        "Histogram of the times to completion", list(zip(names, counts, strict=True)), ends
    )
    bins = [["runs that completed", *names]]
    for place in range(BINS):
        edges = (spoken(low + (high - low) * edge / BINS) for edge in (place, place + 1))
        bins.append([" to ".join(edges), *(str(of_bins[place]) for of_bins in counts)])
    yield Table("Histogram of the times to completion", bins, "The histogram as a table")
    rows = [["of the runs that completed", "median", "95th percentile", "longest"]]
    for name, statistics in variants:
        found = (statistics.time(quantile) for quantile in (0.5, 0.95))
        longest = spoken(statistics.times[-1]) if statistics.times else "-"
        rows.append(
            [name, *("-" if each is None else spoken_time(each) for each in found), longest]
        )
    yield Table("Times to completion", rows)


def _hours(variants: Variants) -> Iterator[Block]:
    most = max(statistics.pod_hours.high for _, statistics in variants)
    amounts = []
    rows = [["variant", "Pods", "Pod-hours", "in Pods without success", "failed indexes"]]
    for name, statistics in variants:
        used, wasted = statistics.pod_hours, statistics.wasted_hours
        parts = (("succeeded", used.value - wasted.value), ("failed", wasted.value))
        amounts.append(Amount(name, parts, used, f"{used.value:.3g} h"))
        means = (statistics.pods, used, wasted, statistics.failed_indexes)
        rows.append([name, *map(plain, means)])
    kinds = (("succeeded", "in Pods that succeeded"), ("failed", "in Pods without success"))
    yield Bars("Pod-hours", amounts, most, kinds)
    yield Table("Pod-hours", rows)


def _rules(variants: Variants) -> Iterator[Block]:
    found = [
        (name, rule, number)
        for name, statistics in variants
        for rule, number in statistics.failures
    ]
    if not found:
        return
    amounts = [
        Amount(
            rule if len(variants) == 1 else f"{name}: {rule}",
            (("ignored" if rule.endswith(" Ignore") else "failed", number.value),),
            number,
            f"{number.value:.3g}",
        )
        for name, rule, number in found
    ]
    kinds = (("failed", "counted, or ends an index or the Job"), ("ignored", "ignored"))
    most = max(number.high for _, _, number in found)
    yield Bars("Failed Pods by rule", amounts, most, kinds)
    yield Table(
        "Failed Pods by rule",
        [
            ["variant", "rule", "failed Pods"],
            *([name, rule, plain(number)] for name, rule, number in found),
        ],
    )


def _cron_job_sections(series: Series) -> Iterator[tuple[str, list[Block]]]:
    """Yield the headings of the sections and their contents."""
    yield "Scheduled times of a simulation", [*_scheduled(series)]
    yield "Jobs of a simulation", [*_jobs(series)]


def _scheduled(series: Series) -> Iterator[Block]:
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
    kinds = [(kind, words) for kind, _, words in _STARTS]
    most = _most(series, "due")
    yield Bars("Scheduled times: on time, late and missed", amounts, most, kinds)
    yield Table("Scheduled times", rows)
    reasons = [
        [name, MISSED[reason], plain(number)]
        for name, statistics in series
        for reason, number in statistics.missed
    ]
    if reasons:
        yield Table("Missed times by reason", [["variant", "missed because", "times"], *reasons])
    yield Note(
        "Without a fault: the share of the simulations in which every run that was due "
        "started on time, and no Job failed or was replaced."
    )


def _jobs(series: Series) -> Iterator[Block]:
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
    kinds = [("succeeded", "complete"), *((kind, words) for kind, _, words in _ENDS)]
    yield Bars("Jobs by outcome", amounts, _most(series, "jobs"), kinds)
    yield Table("Jobs", rows)


def _most(series: Series, measure: str) -> float:
    return max(statistics.means[measure].value for _, statistics in series)
