"""``jobsworth why``: the reason for which a Job failed, or its wait, in one sentence."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.cli.cluster_options import (
    ClusterOptions,
    reading_client,
    request_timeout_option,
    target_of,
)
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, given_time, group, number, option, words
from jobsworth.cli.output_files import STDOUT, outputs_of, write_lines
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.cli.terminal import print_note, terminal_width, wants_color
from jobsworth.findings.finding import Finding
from jobsworth.installation import missing_extra
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.printable import printable
from jobsworth.runs.why.answer import Answer
from jobsworth.usage_error import InputError, UsageError

Object = dict[str, Any]

EXIT_DONE, EXIT_UNREADABLE = 0, 2
FORMATS = ("text", "markdown", "json", "html")
DEFAULT_LOG_LINES = 20
SAVED = "name a file that kubectl get job,pods,events -o yaml has written"
RIGHTS = "see the Role in docs/why.md for the rights that it takes"


class WhyOptions(Options):
    """The options of ``jobsworth why``."""

    cluster = group(ClusterOptions)
    namespace: str | None = option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="The namespace of the object; default: that of the context, and with files all.",
    )
    request_timeout: int = request_timeout_option()
    job: str | None = option(
        "--job",
        metavar="NAME",
        help="If the files have several objects, explain this one: NAME of a Job, or cronjob/NAME.",
    )
    at: str | None = option(
        "--at",
        metavar="TIME",
        help="With files: the time at which they were saved, such as 2027-03-27T01:30Z; default: the last "
        "one that they name, and for standard input now.",
    )
    manifest: str | None = option(
        "--manifest",
        metavar="FILE",
        help="The manifest of the Job, to name the lines of the rules of its failure policy.",
    )
    log_lines: int = option(
        "--log-lines",
        default=DEFAULT_LOG_LINES,
        type=number,
        metavar="N",
        help="Lines of the log of a failed container.",
    )
    no_logs: bool = flag("--no-logs", help="Do not read logs.")
    timeline: bool = flag(
        "--timeline",
        help="Show each Pod over time, the decision of the Job controller about its failure, and what "
        "counted towards which limit.",
    )
    with_: str | None = option(
        "--with",
        "with_",
        metavar="FILE",
        help="Compare with the failure policy of the Job or CronJob in this file: what it would have done "
        "with the same failures. Implies --timeline.",
    )
    output: tuple[str, ...] = words(
        "--output",
        "-o",
        metavar="FORMAT[=FILE]",
        help="text, markdown, json, or html (a timeline); several may be given.",
    )
    server = group(ServerOptions)
    paths: tuple[str, ...] = arguments("paths", "KIND/NAME|FILE...")


def run(options: WhyOptions) -> int:
    """Explain, and return the exit code.

    Raises:
        UsageError: an option's value or a file is wrong.
    """
    outputs = outputs_of(options.output, FORMATS)
    server = server_of(options.server)
    other = None if options.with_ is None else _other_policy(options.with_, server)
    try:
        found = [
            _illustrated(each, options, outputs, other, server) for each in _found(options, server)
        ]
    except ImportError as error:
        raise UsageError(missing_extra("connections to a cluster", "cluster", error.name)) from None
    except _ClusterError as error:
        print(printable(f"Error: {error}"), file=sys.stderr)
        return EXIT_UNREADABLE
    single = [name for name, _ in outputs if name in ("json", "html")]
    if len(found) > 1 and single:
        raise UsageError(f"--output {single[0]} explains one object: choose it with --job")
    for name, file in outputs:
        write_lines(_rendered(name, found, file), file)
    return EXIT_DONE


class _ClusterError(Exception):
    """A call to the cluster failed; the message is for users."""


def _illustrated(
    found: Answer,
    options: WhyOptions,
    outputs: Sequence[tuple[str, str]],
    other: Mapping[str, Any] | None,
    server: ApiServer,
) -> Answer:
    """Return a diagnosis with what the options ask for beside it."""
    from jobsworth.runs.recorded.recording_reader import BadRecording

    html = any(name == "html" for name, _ in outputs)
    try:
        if options.with_ is not None and other is not None:
            return found.compared(options.with_, other, server)
        if options.timeline or html:
            return found.with_timeline(server)
    except BadRecording as error:
        raise InputError(*str(error).split("\n")) from None
    return found


def _other_policy(path: str, server: ApiServer) -> Mapping[str, Any]:
    """Return the spec of the Job, or of the CronJob's Job, in a file."""
    from jobsworth.files.defaulted_manifests import defaulter
    from jobsworth.files.simulations.simulated_manifests import read_manifest
    from jobsworth.validation.engine import engine_for

    manifest = read_manifest(path, server, defaulter(server, (), print_note))
    if manifest.object["kind"] == "JobSet":
        raise InputError(f"{path}: a recording is of one Job. Name a file with a Job or CronJob")
    engine = engine_for(server)
    spec: dict[str, Any] = engine.created_job(engine.decode_object(manifest.value))["spec"]
    return spec


def _found(options: WhyOptions, server: ApiServer) -> Iterator[Answer]:
    files = [path for path in options.paths if _is_file(path)]
    if files and len(files) < len(options.paths):
        other = next(path for path in options.paths if path not in files)
        raise UsageError(
            f"{other} is not a file, and {files[0]} is one: name either files or objects of a cluster"
        )
    from jobsworth.evaluation.stored_findings import job_findings

    findings = job_findings(server)
    if files:
        if options.manifest is not None:
            raise UsageError(
                "--manifest is for a Job of a cluster: the lines are those of the files"
            )
        from jobsworth.files.objects_in_files import diagnoses_in

        at = None
        if options.at is not None or STDIN in files:
            at = given_time("--at", options.at)
        only = _only(options.job)
        yield from diagnoses_in(
            files, server, findings, only=only, at=at, namespace=options.namespace
        )
        return
    if options.at is not None:
        raise UsageError("--at is for files: a cluster is read now")
    if options.job is not None:
        raise UsageError("--job is for files: name the object of a cluster as an argument")
    yield from _of_cluster(options, server, findings)


def _only(job: str | None) -> tuple[str, str] | None:
    if job is None:
        return None
    from jobsworth.live.job_reference import BadReference, read_reference

    try:
        reference = read_reference(job, "")
    except BadReference as error:
        raise UsageError(f"--job: {error}") from None
    return reference.kind, reference.name


def _of_cluster(
    options: WhyOptions,
    server: ApiServer,
    findings: Callable[[Object, frozenset[str]], Sequence[Finding]],
) -> Iterator[Answer]:
    from jobsworth.client.api_errors import ApiError, NotConfigured
    from jobsworth.client.rest_config import rest_config
    from jobsworth.live.errors import JobNotFound
    from jobsworth.live.job_reading import ReadingOptions
    from jobsworth.live.job_reference import BadReference, check_joined, read_reference
    from jobsworth.live.object_reading import MalformedObject
    from jobsworth.live.owner_reading import read_any
    from jobsworth.runs.recorded.recording_reader import BadRecording
    from jobsworth.runs.why.answer import Answer

    places = {} if options.manifest is None else _rule_places(options.manifest)
    try:
        check_joined(options.paths)
        with rest_config(target_of(options.cluster)) as config:
            client = reading_client(config, timeout=options.request_timeout)
            namespace = options.namespace or config.namespace
            reading = ReadingOptions(
                server,
                time.time,
                0 if options.no_logs else options.log_lines,
                lambda text: print_note(f"note: {text}"),
                findings,
                config.name,
            )
            for path in options.paths:
                reference = read_reference(path, namespace)
                yield Answer(read_any(client, reference, reading), places)
    except BadReference as error:
        raise UsageError(str(error)) from None
    except JobNotFound as error:
        raise InputError(str(error.in_cluster(config.name))) from None
    except ApiError as error:
        advice = f": {RIGHTS}" if error.code == 403 else ""
        if isinstance(error, NotConfigured):
            advice = f"; or {SAVED}"
        raise _ClusterError(f"{error}{advice}") from None
    except (MalformedObject, BadRecording) as error:
        raise InputError(str(error)) from None


def _is_file(path: str) -> bool:
    """Return True for an argument that names a file or folder, not an object of a cluster."""
    from os.path import lexists

    return path == STDIN or lexists(path) or path.endswith((".yaml", ".yml", ".json"))


def _rule_places(path: str) -> dict[str, str]:
    """Return the lines of the rules of the first Job in a file."""
    from jobsworth.files.manifest_reading import read_documents
    from jobsworth.files.objects_in_files import rule_places
    from jobsworth.manifests import ManifestError

    for document in read_documents([path]):
        if isinstance(document, ManifestError):
            raise InputError(str(document))
        if isinstance(document.value, dict) and document.value.get("kind") == "Job":
            return rule_places(document)
    raise InputError(f"{path}: no Job in this file")


def _rendered(name: str, found: list[Answer], file: str) -> Iterator[str]:
    if name == "json":
        from jobsworth.reports import why_json

        yield why_json.render(found[0])
        return
    if name == "html":
        yield _page(found[0])
        return
    from jobsworth.reports.sections import markdown_lines, text_lines
    from jobsworth.reports.why_sections import all_why_sections

    sections = list(all_why_sections(found))
    if name == "markdown":
        yield from markdown_lines(sections)
        return
    shown = file == STDOUT
    width = terminal_width(sys.stdout) if shown else None
    yield from text_lines(sections, width, color=shown and wants_color(sys.stdout))


def _page(found: Answer) -> str:
    from jobsworth.reports.timelines.timeline_page import timeline_page
    from jobsworth.reports.why_sections import page_sections
    from jobsworth.runs.why.run_forms import recorded_timeline

    assert found.job is not None
    assert found.replayed is not None
    recording = found.job.recording
    record = recorded_timeline(recording, found.replayed)
    return timeline_page(record, recorded_in=recording.file, sections=page_sections(found))


COMMAND = Command(
    "why",
    help="""Explain why a Job, CronJob or JobSet failed, or what it waits for: in a short line, with the
cause, a command that helps and what comes next; then its Pods, rules, the end of the log and Events.

KIND/NAME is job/NAME, cronjob/NAME or jobset/NAME of a cluster, which is only read; NAME alone is a Job. FILE
has the objects, as kubectl get job,pods,events -o yaml prints them. Pods that are gone are reported as gone;
numbers come from the status. Logs may hold secrets: --no-logs leaves them out.

With --timeline: how each Pod ended, the rule of podFailurePolicy that took the failure, and what counted
towards which limit, as the planner of the Job controller decides it. With --with: the same failures under
another failure policy, where the two diverge, and what follows, as far as the recording knows. Exit codes: 0;
2 if a file or the cluster cannot be read, the object is not found, the API server rejects the other policy,
or the command line is wrong.""",
    epilog="""\b
Examples:
  jobsworth why job/train -n batch
  jobsworth why cronjob/nightly --context production
  jobsworth why jobset/pretrain --output json --no-logs
  kubectl get job,pods,events -n batch -o yaml | jobsworth why --job train -
  jobsworth why job/train --manifest job.yaml
  jobsworth why job/train --timeline -o text -o html=train.html
  jobsworth why recording.yaml --with job.yaml -o markdown
""",
    options=WhyOptions,
    run=run,
)
