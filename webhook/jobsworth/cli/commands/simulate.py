"""``jobsworth simulate``: run a Job, CronJob or JobSet in virtual time, once or many times."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, given_time, group, number, option, words
from jobsworth.cli.output_files import outputs_of, write_lines
from jobsworth.cli.policy_options import ProfileOptions, RequestOptions, requester_of
from jobsworth.cli.process_options import duration_in_seconds
from jobsworth.cli.question_options import QuestionOptions, asked, questions_of
from jobsworth.cli.reporting import as_utf8
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.cli.terminal import print_note
from jobsworth.files.policies.profiles import profile_of
from jobsworth.files.simulations.parallel_runs import Variant
from jobsworth.files.simulations.simulated_manifests import SimulatedManifest
from jobsworth.printable import printable
from jobsworth.runs.run_record import RunRecord
from jobsworth.runs.run_statistics import RunStatistics
from jobsworth.runs.simulation.requirements import RunRequirement
from jobsworth.runs.simulation.scenario import Scenario
from jobsworth.usage_error import InputError, UsageError

EXIT_DONE, EXIT_UNMET = 0, 1


class SimulateOptions(Options):
    """The options of ``jobsworth simulate``."""

    scenario: str | None = option(
        "--scenario",
        metavar="FILE",
        help="What happens to the Pods: a document of kind JobScenario; by default the one in the same file "
        "as the object, else a default scenario.",
    )
    print_scenario: bool = flag(
        "--print-scenario", help="Print the scenario as YAML, to edit it, instead of running it."
    )
    questions = group(QuestionOptions)
    seed: int = option(
        "--seed",
        default=1,
        type=number,
        metavar="N",
        help="The seed of all that is left to chance.",
    )
    from_: str | None = option(
        "--from",
        "from_",
        metavar="TIME",
        help="The start: 2027-03-27 or 2027-03-27T01:30Z; without Z in the time zone of the CronJob.",
    )
    until: str | None = option(
        "--until",
        metavar="DURATION",
        help="The time at which a run ends at the latest: 8h; see the scenario.",
    )
    runs: int = option(
        "--runs",
        default=1,
        type=number,
        metavar="N",
        help="Run so many times, with the seeds from --seed on.",
    )
    jobs: int | None = option(
        "--jobs",
        type=number,
        metavar="N",
        help="Processes for many runs; by default one per processor.",
    )
    compare: tuple[str, ...] = words(
        "--compare",
        metavar="FILE",
        help="Also run the Job, CronJob or JobSet in this file, and compare them.",
    )
    sweep: str | None = option(
        "--sweep",
        metavar="PATH=A,B,...",
        help="Run a variant for each value of a field: spec.backoffLimitPerIndex=0,1,2, or "
        "scenario.spec.disruptions[0].pods=0,1,3 for one of the scenario.",
    )
    assert_: tuple[str, ...] = words(
        "--assert",
        "assert_",
        metavar="EXPRESSION",
        help="A requirement such as 'complete >= 0.95' or 'time.p95 <= 2h'; if one does not hold, the exit "
        "code is 1. For a CronJob: 'missed <= 0', 'late <= 0', 'failed <= 0' and others.",
    )
    policy: tuple[str, ...] = words(
        "--policy",
        metavar="PATH",
        help="Run the object as the mutating webhook would leave it with these JobPolicy documents.",
    )
    profiles = group(ProfileOptions)
    request = group(RequestOptions)
    output: tuple[str, ...] = words(
        "--output",
        "-o",
        metavar="FORMAT[=FILE]",
        help="text, json, html or svg (a picture for a page); "
        "several may be given. html shows one run or the statistics of many; svg shows one run.",
    )
    server = group(ServerOptions)
    paths: tuple[str, ...] = arguments("paths", "FILE")


def run(options: SimulateOptions) -> int:
    """Simulate a Job, and return the exit code.

    Raises:
        UsageError: an option's value or a file is wrong.
        InputError: the simulation exceeds a limit.
    """
    if len(options.paths) != 1:
        raise UsageError("name one file with a Job, CronJob or JobSet; --compare adds others")
    from jobsworth.runs.simulation.run_limits import SimulationTooLarge

    try:
        return _simulate(options)
    except SimulationTooLarge as error:
        raise InputError(f"not simulated: {error}") from None


def _simulate(options: SimulateOptions) -> int:
    from jobsworth.runs.virtual_time import SECOND

    outputs = outputs_of(options.output, FORMATS)
    start = None if options.from_ is None else given_time("--from", options.from_)
    requirements = _requirements(options.assert_)
    until = None
    if options.until is not None:
        until = round(duration_in_seconds("--until", options.until) * SECOND)
    variants = _variants(options, start, until)
    if options.print_scenario:
        return EXIT_DONE
    _check_answerable(requirements, variants)
    if options.runs == 1 and len(variants) == 1:
        statistics = [_run_one(variants[0], options, outputs)]
    else:
        statistics = _run_many(variants, options, outputs)
    return _check(requirements, variants, statistics)


def _variants(options: SimulateOptions, start: int | None, until: int | None) -> list[Variant]:
    """Read the files, and return the variants to run; with --print-scenario, print it instead."""
    from jobsworth.files.defaulted_manifests import defaulter
    from jobsworth.files.simulations.parallel_runs import Variant
    from jobsworth.files.simulations.simulated_manifests import (
        read_manifest,
        read_scenario_document,
        with_field,
    )
    from jobsworth.runs.simulation.default_scenario import default_scenario
    from jobsworth.runs.simulation.run_limits import check_runs
    from jobsworth.runs.simulation.scenario_reader import BadScenario, is_local, read_scenario

    server = server_of(options.server)
    default = defaulter(
        server,
        options.policy,
        print_note,
        profile=profile_of(options.profiles.profile, options.profiles.profile_enforcement),
        requester=requester_of(options.request),
    )
    first = read_manifest(options.paths[0], server, default)
    document: Any = default_scenario(first.object, first.children)
    read: Callable[[Any], Scenario] = read_scenario
    given = read_scenario_document(
        options.scenario or options.paths[0], optional=options.scenario is None
    )
    if given is not None:
        document, read = given
    document = asked(document, options.questions)

    def reader(value: Any) -> Scenario:
        try:
            found = read(value)
        except BadScenario as error:  # a value of --sweep in the default scenario
            raise InputError(f"the scenario is invalid: {error}") from None
        found = replace(found, server=server)
        if start is None:
            return found
        return replace(found, start=start, local=is_local(options.from_))

    scenario = reader(document)
    if options.print_scenario:
        from jobsworth.manifests.editing.yaml_writer import to_yaml

        as_utf8(sys.stdout)
        print(to_yaml([document]), end="")
        return []
    swept = None if options.sweep is None else _swept(options.sweep)
    values = 1 if swept is None else len(swept[1])
    check_runs((1 + len(options.compare)) * values, options.runs)
    manifests = [first, *(read_manifest(path, server, default) for path in options.compare)]
    variants = []

    def variant(label: str, run: SimulatedManifest, conditions: Scenario) -> Variant:
        return Variant(label, run.object, conditions, until, run.children)

    for manifest in manifests:
        if manifest.what:
            print_note(f"{manifest.name}: simulated is {manifest.what}")
        manifest.check_scenario(scenario)
        name = manifest.name if len(manifests) > 1 else ""
        if swept is None:
            variants.append(variant(name or manifest.name, manifest, scenario))
            continue
        path, fields = swept
        for value in fields:
            shown = value if isinstance(value, str) else json.dumps(value)
            label = f"{name + ' ' if name else ''}{path.rpartition('.')[2]}={shown}"
            if path.startswith("scenario."):
                changed = reader(with_field(document, path.removeprefix("scenario."), value))
                manifest.check_scenario(changed)
                variants.append(variant(label, manifest, changed))
            else:
                variants.append(variant(label, _with_field(manifest, path, value), scenario))
    return variants


DEEPEST_ANSWER = 16
"""The number of dots of a path that an error repeats."""


def _with_field(manifest: SimulatedManifest, path: str, value: Any) -> SimulatedManifest:
    """Return a manifest with another value in a field of ``--sweep``."""
    top = path.partition(".")[0].partition("[")[0]
    if top not in manifest.object and path.count(".") < DEEPEST_ANSWER:
        raise UsageError(
            f'--sweep: the {manifest.object["kind"]} has no field "{top}" at its top; did you mean '
            f"spec.{path}, or scenario.{path}?"
        )
    try:
        return manifest.with_fields({path: value})
    except InputError as error:
        first, *lines = str(error).split("\n")
        raise UsageError(f"--sweep {path}: {first}", *lines) from None


def _swept(text: str) -> tuple[str, list[Any]]:
    path, equals, values = text.partition("=")
    if not equals or not path or not values:
        raise UsageError(f'--sweep: "{text}" is not of the form PATH=A,B,...')
    return path, [_value(value.strip()) for value in values.split(",")]


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):  # no JSON, or nested too deeply for any field
        return text


def _requirements(texts: tuple[str, ...]) -> list[RunRequirement]:
    from jobsworth.runs.simulation.requirements import BadRequirement, read_requirement

    try:
        return [read_requirement(text) for text in texts]
    except BadRequirement as error:
        raise UsageError(f"--assert: {error}") from None


def _check_answerable(requirements: list[RunRequirement], variants: list[Variant]) -> None:
    """Refuse requirements on measures that an object does not have.

    Raises:
        UsageError: a requirement has no true answer.
    """
    from jobsworth.runs.simulation.requirements import OF_JOB_SETS, SERIES, measures_of

    for requirement in requirements:
        for variant in variants:
            kind, name = variant.object["kind"], variant.object["metadata"]["name"]
            if requirement.applies_to(kind):
                continue
            measure = f'--assert: "{requirement.measure}" is a measure of'
            if kind == "Job":
                series = requirement.measure in measures_of("CronJob")
                whose = "CronJobs" if series else "JobSets"
                raise UsageError(f"{measure} {whose}, and {name} is a Job")
            if kind == "JobSet":
                raise UsageError(
                    f"{measure} Jobs and CronJobs, and {name} is a JobSet. Assert one of "
                    f"{', '.join(OF_JOB_SETS)}"
                )
            raise UsageError(
                f"{measure} one Job, and CronJob {name} starts one for each scheduled time: runs that are "
                "missed, late or replaced have no place in it. Assert 'failed <= 0' and 'missed <= 0', or "
                f"another of {', '.join(SERIES)}"
            )


FORMATS = ("text", "json", "html", "svg")
OF_ONE_RUN = ("svg",)


def _run_one(
    variant: Variant, options: SimulateOptions, outputs: list[tuple[str, str]]
) -> RunStatistics:
    from jobsworth.cli.terminal import Progress
    from jobsworth.runs.run_statistics import statistics_of, summarize
    from jobsworth.runs.simulation.default_scenario import NAME as DEFAULT_NAME
    from jobsworth.runs.simulation.run_limits import SimulationTooLarge
    from jobsworth.runs.simulation.scenario_run import run_once

    if variant.object["kind"] == "JobSet" and any(name == "html" for name, _ in outputs):
        raise UsageError(
            "--output html shows one run of a Job or CronJob: for a JobSet, set --runs"
        )
    several = (variant.object["spec"].get("completions") or 1) > 1
    noun = "completions" if several else "simulated minutes"
    progress = Progress(enabled=True, noun=noun)
    try:
        record = run_once(
            variant.object,
            variant.scenario,
            options.seed,
            variant.until,
            progress.update,
            children=variant.children,
        )
    except SimulationTooLarge as error:
        raise SimulationTooLarge(f"{variant.name}: {error}") from None
    finally:
        progress.clear()
    suggests = record.scenario == DEFAULT_NAME or bool(questions_of(options.questions))
    for name, file in outputs:
        write_lines(_rendered(name, record, suggests=suggests), file)
    return statistics_of([summarize(record)])


def _rendered(name: str, record: RunRecord, *, suggests: bool) -> Iterable[str]:
    if name == "json":
        from jobsworth.documents.declared import report_text
        from jobsworth.reports.simulation_report import run_report

        return [report_text(run_report(record), indent=1)]
    if name == "html":
        from jobsworth.reports.timelines.timeline_page import timeline_page

        return [timeline_page(record)]
    if name == "svg":
        from jobsworth.reports.timelines.timeline_svg import timeline_svg

        return [timeline_svg([(f"{record.kind} {record.name}", record)])]
    from jobsworth.reports.timelines.timeline_text import run_lines, suggestion_lines

    return map(printable, [*run_lines(record), *(suggestion_lines(record) if suggests else ())])


def _run_many(
    variants: list[Variant], options: SimulateOptions, outputs: list[tuple[str, str]]
) -> list[RunStatistics]:
    from jobsworth.cli.terminal import Progress
    from jobsworth.documents.declared import report_text
    from jobsworth.files.simulations.parallel_runs import processors, run_all
    from jobsworth.reports.simulation_report import variants_report
    from jobsworth.reports.timelines.statistics_text import comparison_lines, statistics_lines
    from jobsworth.runs.run_statistics import statistics_of
    from jobsworth.runs.simulation.occurrences import release_note

    for name, _ in outputs:
        if name in OF_ONE_RUN:
            raise UsageError(f"--output {name} shows one run: leave --runs, --compare, --sweep out")
    note = release_note(variants[0].scenario.server)
    if note:
        print_note(f"note: {note}")
    progress = Progress(enabled=True, noun="runs")
    seeds = range(options.seed, options.seed + options.runs)
    try:
        found = run_all(variants, seeds, options.jobs or processors(), progress.update)
    finally:
        progress.clear()
    statistics = [statistics_of(summaries) for summaries in found]
    named = list(zip([variant.name for variant in variants], statistics, strict=True))
    for name, file in outputs:
        if name == "json":
            lines: Iterable[str] = [report_text(variants_report(named), indent=1)]
        elif name == "html":
            from jobsworth.reports.timelines.statistics_page import statistics_page

            lines = [statistics_page(_heading(variants), named)]
        elif len(named) == 1:
            lines = statistics_lines(statistics[0])
        else:
            lines = comparison_lines(named)
        write_lines(lines, file)
    return statistics


def _heading(variants: list[Variant]) -> str:
    """Return the simulated object and its scenario."""
    first = variants[0]
    kind, name = first.object["kind"], first.object["metadata"]["name"]
    return f"{kind} {name}, scenario {first.scenario.name}"


def _check(
    requirements: list[RunRequirement], variants: list[Variant], statistics: list[RunStatistics]
) -> int:
    code = EXIT_DONE
    for variant, found in zip(variants, statistics, strict=True):
        for requirement in requirements:
            result = requirement.check(found)
            name = f"{variant.name}: " if len(variants) > 1 else ""
            print(printable(f"{name}{result}"), file=sys.stderr)
            if not result.holds:
                code = EXIT_UNMET
    return code


COMMAND = Command(
    "simulate",
    help="""Run a Job, CronJob or JobSet in virtual time, and show what its failure handling does.

The decisions are those of the Job controller of Kubernetes 1.36 (the same code as jobsworth reconcile); Pods
behave as a scenario says. A JobSet is run with its restarts; of a ScaledJob, RayJob or MPIJob, the Job
that its operator creates. The same seed gives the same output.""",
    epilog="""\b
Examples:
  jobsworth simulate job.yaml
  jobsworth simulate job.yaml --duration 2h --drain 10m:2 --spot 8h
  jobsworth simulate job.yaml --image-typo
  jobsworth simulate jobset.yaml --runs 200 --assert 'restarts <= 1'
  jobsworth simulate job.yaml --print-scenario > scenario.yaml
  jobsworth simulate job.yaml --scenario scenario.yaml -o html=run.html
  jobsworth simulate job.yaml --runs 1000 --assert 'complete >= 0.95'
  jobsworth simulate job.yaml --runs 200 --sweep spec.backoffLimit=0,1,2,3
  jobsworth simulate old.yaml --compare new.yaml --runs 500
  jobsworth simulate cronjob.yaml --until 8d --webhook-away 1d:20m
""",
    options=SimulateOptions,
    run=run,
)
