"""``jobsworth why``: the reason for which a Job failed, or its wait, in one sentence."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from jobsworth.cli.cluster_options import ClusterOptions, reading_client, target_of
from jobsworth.cli.command import Command
from jobsworth.cli.missing_extras import missing_extra
from jobsworth.cli.options import Options, arguments, flag, integer, nested, text, words
from jobsworth.cli.output_files import outputs_of, write_lines
from jobsworth.cli.server_options import ServerOptions, server_of
from jobsworth.cli.terminal import print_note
from jobsworth.printable import printable
from jobsworth.usage_error import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from jobsworth.api.api_server import ApiServer
    from jobsworth.files.recordings.saved_jobs import SavedDiagnosis
    from jobsworth.findings.finding import Finding

    Object = dict[str, Any]

EXIT_DONE, EXIT_UNREADABLE = 0, 2
FORMATS = ("text", "json")
DEFAULT_LOG_LINES = 20
RIGHTS = "see the Role in docs/why.md for the rights that it takes"


class WhyOptions(Options):
    """The options of ``jobsworth why``."""

    cluster = nested(ClusterOptions)
    namespace = text(
        short="-n",
        metavar="NAME",
        help="The namespace of the object in a cluster; default: that of the context.",
    )
    request_timeout = integer(
        default=30, metavar="SECONDS", help="Timeout of a request to the cluster."
    )
    job = text(
        metavar="NAME",
        help="Of several objects in the files, explain this one: NAME of a Job, or cronjob/NAME.",
    )
    manifest = text(
        metavar="FILE",
        help="The manifest of the Job, to name the lines of the rules of its failure policy.",
    )
    log_lines = integer(
        default=DEFAULT_LOG_LINES,
        metavar="N",
        help="Lines of the log of a failed container.",
    )
    no_logs = flag(help="Do not read logs.")
    output = words(short="-o", metavar="FORMAT[=FILE]", help="text or json; several may be given.")
    server = nested(ServerOptions)
    paths = arguments("KIND/NAME|FILE...")


def run(options: WhyOptions) -> int:
    """Explain, and return the exit code.

    Raises:
        UsageError: an option's value or a file is wrong.
    """
    outputs = outputs_of(options.output, FORMATS)
    server = server_of(options.server)
    try:
        found = list(_found(options, server))
    except ImportError as error:
        raise UsageError(missing_extra("connections to a cluster", "cluster", error.name)) from None
    except _ClusterError as error:
        print(printable(f"Error: {error}"), file=sys.stderr)
        return EXIT_UNREADABLE
    if len(found) > 1 and any(name == "json" for name, _ in outputs):
        raise UsageError("--output json explains one object: choose it with --job")
    for name, file in outputs:
        write_lines(_rendered(name, found), file)
    return EXIT_DONE


class _ClusterError(Exception):
    """A call to the cluster failed; the message is for users."""


def _found(options: WhyOptions, server: ApiServer) -> Iterator[SavedDiagnosis]:
    files = [path for path in options.paths if _is_file(path)]
    if files and len(files) < len(options.paths):
        other = next(path for path in options.paths if path not in files)
        raise UsageError(
            f"{other} is no file, and {files[0]} is one: name either files or objects of a cluster"
        )
    from jobsworth.following.reading.job_findings import job_findings

    findings = job_findings(server)
    if files:
        if options.manifest is not None:
            raise UsageError(
                "--manifest is for a Job of a cluster: the lines are those of the files"
            )
        from jobsworth.files.recordings.saved_jobs import diagnoses_in

        yield from diagnoses_in(files, server, findings, _only(options.job))
        return
    if options.job is not None:
        raise UsageError("--job is for files: name the object of a cluster as an argument")
    yield from _of_cluster(options, server, findings)


def _only(job: str | None) -> tuple[str, str] | None:
    if job is None:
        return None
    from jobsworth.following.job_reference import BadReference, read_reference

    try:
        reference = read_reference(job, "")
    except BadReference as error:
        raise UsageError(f"--job: {error}") from None
    return reference.kind, reference.name


def _of_cluster(
    options: WhyOptions, server: ApiServer, findings: Callable[[Object], Sequence[Finding]]
) -> Iterator[SavedDiagnosis]:
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import rest_config
    from jobsworth.files.recordings.saved_jobs import SavedDiagnosis
    from jobsworth.following.drivers import run_reading
    from jobsworth.following.errors import JobNotFound
    from jobsworth.following.job_reference import BadReference, check_joined, read_reference
    from jobsworth.following.reading.job_reading import ReadingOptions
    from jobsworth.following.reading.object_reading import MalformedObject
    from jobsworth.following.reading.owner_reading import read_any
    from jobsworth.following.sources import ApiSource
    from jobsworth.whatif.replay.recording_reader import BadRecording

    places = {} if options.manifest is None else _rule_places(options.manifest)
    try:
        check_joined(options.paths)
        with rest_config(target_of(options.cluster)) as config:
            client = reading_client(config, timeout=options.request_timeout)
            namespace = options.namespace or config.namespace
            source = ApiSource(client, config.name, namespace)
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
                found = run_reading(read_any(reference, reading), source)
                yield SavedDiagnosis(found, places)
    except BadReference as error:
        raise UsageError(str(error)) from None
    except JobNotFound as error:
        raise InputError(str(error.in_cluster(config.name))) from None
    except ApiError as error:
        advice = f": {RIGHTS}" if error.code == 403 else ""
        raise _ClusterError(f"{error}{advice}") from None
    except (MalformedObject, BadRecording) as error:
        raise InputError(str(error)) from None


def _is_file(path: str) -> bool:
    """Return True for an argument that names a file or folder, not an object of a cluster."""
    from os.path import lexists

    return path == "-" or lexists(path) or path.endswith((".yaml", ".yml", ".json"))


def _rule_places(path: str) -> dict[str, str]:
    """Return the lines of the rules of the first Job in a file."""
    from jobsworth.files.manifest_reading import read_documents
    from jobsworth.files.recordings.saved_jobs import rule_places
    from jobsworth.manifests import ManifestError

    for document in read_documents([path]):
        if isinstance(document, ManifestError):
            raise InputError(str(document))
        if isinstance(document.value, dict) and document.value.get("kind") == "Job":
            return rule_places(document)
    raise InputError(f"{path}: no Job in this file")


def _rendered(name: str, found: list[SavedDiagnosis]) -> Iterator[str]:
    for number, each in enumerate(found):
        if name == "json":
            from jobsworth.reports import why_json

            yield why_json.render(why_json.why_value(each.diagnosis, each.rule_places))
            continue
        from jobsworth.reports.why_owner_text import why_lines

        if number:
            yield ""
        yield from why_lines(each.diagnosis, each.rule_places)


COMMAND = Command(
    "why",
    help="""Explain why a Job, CronJob or JobSet failed, or what it waits for: in one sentence, then with its
Pods, rules, the end of the log, Events, and what to change.

KIND/NAME is job/NAME, cronjob/NAME or jobset/NAME of a cluster, which is only read; NAME alone is a Job. FILE
has the objects, as kubectl get job,pods,events -o yaml prints them. Pods that are gone are reported as gone;
numbers come from the status. Logs may hold secrets: --no-logs leaves them out. Exit codes: 0; 2 if a file or
the cluster cannot be read, there is no such object, or the command line is wrong.""",
    epilog="""\b
Examples:
  jobsworth why job/train -n batch
  jobsworth why cronjob/nightly --context production
  jobsworth why jobset/pretrain --output json --no-logs
  kubectl get job,pods,events -n batch -o yaml | jobsworth why --job train -
  jobsworth why job/train --manifest job.yaml
""",
    options=WhyOptions,
    run=run,
)
