"""``jobsworth health``: expected against actual runs of CronJobs, stuck and failed Jobs."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from jobsworth.cli.cluster_options import (
    ClusterOptions,
    reading_client,
    request_timeout_option,
    target_of,
)
from jobsworth.cli.command import Command
from jobsworth.cli.options import Options, arguments, flag, given_time, group, option, words
from jobsworth.cli.output_files import STDOUT, outputs_of, write_lines
from jobsworth.cli.process_options import duration_in_seconds
from jobsworth.cli.reporting import fail_on
from jobsworth.cli.terminal import print_note, terminal_width, wants_color
from jobsworth.findings.finding import AT_LEAST, Threshold
from jobsworth.findings.result import EXIT_UNREADABLE
from jobsworth.installation import missing_extra
from jobsworth.printable import printable
from jobsworth.runs.health.cluster_health import ClusterHealth, ListedObjects
from jobsworth.usage_error import UsageError

DAY = 86_400
MAX_DAYS = 31
FORMATS = ("text", "json")
FILES = "files"
"""The name of the cluster in a report about files."""


class NamespaceOptions(Options):
    """Options for the namespaces of a cluster."""

    heading = "Cluster"

    namespace: tuple[str, ...] = words(
        "--namespace",
        "-n",
        metavar="NAME,...",
        help="The namespaces; default: the context's namespace.",
    )
    all_namespaces: bool = flag("--all-namespaces", "-A", help="All namespaces.")
    exempt_namespace: tuple[str, ...] = words(
        "--exempt-namespace", metavar="NAME,...", help="Namespaces to skip."
    )
    request_timeout: int = request_timeout_option()


class HealthOptions(Options):
    """The options of ``jobsworth health``."""

    since: str = option(
        "--since",
        default="7d",
        metavar="DURATION",
        help="Account for the scheduled times of this long, such as 12h or 7d, and list the Jobs without a "
        "CronJob that failed in it.",
    )
    stuck_after: str = option(
        "--stuck-after",
        default="10m",
        metavar="DURATION",
        help="Report a Job as stuck if its Pods have not started or terminated for this long.",
    )
    at: str | None = option(
        "--at",
        metavar="TIME",
        help="With files: the time at which they were saved, such as 2027-03-27T01:30Z; default: now.",
    )
    fail_on: Threshold | None = fail_on()
    info: bool = flag("--info", help="Also show info problems in the text.")
    output: tuple[str, ...] = words(
        "--output", "-o", metavar="FORMAT[=FILE]", help="text or json; several may be given."
    )
    quiet: bool = flag("--quiet", "-q", help="Do not print the summary.")
    cluster = group(ClusterOptions)
    namespaces = group(NamespaceOptions)
    files: tuple[str, ...] = arguments("files", "[FILE...]")


def run(options: HealthOptions) -> int:
    """Print the health of CronJobs and Jobs, and return the exit code.

    Raises:
        UsageError: an option's value is wrong.
        InputError: a file cannot be read.
    """
    outputs = outputs_of(options.output, FORMATS)
    window = _window(options.since)
    stuck_after = duration_in_seconds("--stuck-after", options.stuck_after)
    from jobsworth.client.api_errors import ApiError
    from jobsworth.reports.text_tables import wrapped_line
    from jobsworth.runs.health.cluster_health import cluster_health
    from jobsworth.runs.health.problems import problems_by_object, summary

    try:
        name, listed = _objects_of(options)
        now = given_time("--at", options.at)
        since = now - window
        health = cluster_health(
            listed, now, since=since, failed_since=since, stuck_after=stuck_after
        )
    except ApiError as error:
        print(printable(f"Error: {error}"), file=sys.stderr)
        return EXIT_UNREADABLE
    except ImportError as error:
        raise UsageError(missing_extra("connections to a cluster", "cluster", error.name)) from None
    for form, file in outputs:
        write_lines(_rendered(form, health, name, file, options), file)
    if not options.quiet:
        for line in wrapped_line(
            f"{name}: {summary(health)}", terminal_width(sys.stderr), hanging=2
        ):
            print_note(line)
    failing = AT_LEAST[options.fail_on or "error"]
    problems = (each for _, found in problems_by_object(health) for each in found)
    return int(any(each.severity in failing for each in problems))


def _window(text: str) -> int:
    seconds = int(duration_in_seconds("--since", text))
    if not 0 < seconds <= MAX_DAYS * DAY:
        raise UsageError(f'--since "{text}": use at least 1s and at most {MAX_DAYS}d')
    return seconds


def _objects_of(options: HealthOptions) -> tuple[str, ListedObjects]:
    """Return the name of the cluster, and its objects."""
    chosen = options.namespaces
    if options.files:
        if chosen.namespace or chosen.all_namespaces:
            raise UsageError(
                "--namespace and --all-namespaces are for a cluster: omit them with files"
            )
        from jobsworth.files.objects_in_files import listed_in

        return FILES, listed_in(options.files)
    if options.at is not None:
        raise UsageError("--at is for files: the health of a cluster is that of now")
    if chosen.namespace and chosen.all_namespaces:
        raise UsageError("--namespace and --all-namespaces exclude each other: use one of them")
    from jobsworth.audit.audited_objects import AuditScope
    from jobsworth.audit.cluster_audit import namespace_labels
    from jobsworth.audit.health_objects import list_health_objects
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.client.rest_config import rest_config

    def note(text: str) -> None:
        print_note(f"note: {text}")

    with rest_config(target_of(options.cluster)) as config:
        named: list[str | None] = list(dict.fromkeys(chosen.namespace))
        namespaces = [None] if chosen.all_namespaces else named or [config.namespace]
        scope = AuditScope(namespaces, exempt_namespaces=frozenset(chosen.exempt_namespace))
        api = reading_client(config, timeout=chosen.request_timeout)
        stored_objects = StoredObjects(api)
        namespace_labels(stored_objects, scope, config.name, note, wanted=False)
        return config.name, list_health_objects(stored_objects, api, scope, note)


def _rendered(
    form: str, health: ClusterHealth, name: str, file: str, options: HealthOptions
) -> Iterator[str]:
    if form == "json":
        from jobsworth.reports import health_report

        yield health_report.render(health, name)
    else:
        from jobsworth.reports import health_text

        shown = file == STDOUT
        yield from health_text.render(
            health,
            infos=options.info,
            width=terminal_width(sys.stdout) if shown else None,
            color=shown and wants_color(sys.stdout),
            files=options.files,
        )


COMMAND = Command(
    "health",
    help="""Compare the runs of CronJobs that were due with those that happened, and name Jobs that are stuck
or have failed, with the cause.

Reads a cluster, with the same kubeconfig as kubectl, or FILE: objects as
kubectl get cronjobs,jobs,pods,events -A -o yaml prints them; with --show-managed-fields, which tell when a
schedule was edited, fewer runs are unknown. jobsworth audit --interval --health-metrics
serves the same as metrics. Exit codes: 0 without problems, 1 with a problem of --fail-on, 2 if the cluster or
a file cannot be read, or the command line is wrong.""",
    epilog="""\b
Examples:
  jobsworth health -A
  jobsworth health -n batch --since 24h -o json
  kubectl get cronjobs,jobs,pods,events -A -o yaml | jobsworth health -
""",
    options=HealthOptions,
    run=run,
)
