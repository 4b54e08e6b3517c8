"""``jobsworth audit --health``: expected against actual runs of CronJobs, stuck and failed Jobs."""

from __future__ import annotations

import re
import sys
import time
from typing import TYPE_CHECKING

from jobsworth.cli.audit_input import check_namespaces
from jobsworth.cli.options import Options, flag, text
from jobsworth.cli.output_files import STDOUT, write_lines
from jobsworth.cli.process_options import duration_in_seconds
from jobsworth.cli.terminal import print_note, terminal_width
from jobsworth.findings.finding import AT_LEAST
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobsworth.audit.audited_objects import AuditScope
    from jobsworth.cli.audit_input import AuditReportOptions
    from jobsworth.client.rest_config import RestConfig
    from jobsworth.whatif.health.cluster_health import ClusterHealth

FORMATS = ("table", "text", "json")
DAY = 86_400
MAX_DAYS = 31
_DAYS = re.compile(r"([0-9]{1,4})d")


class HealthOptions(Options):
    """Options for the health of CronJobs and Jobs."""

    heading = "Health"

    health = flag(
        help="Instead of findings, report expected against actual runs of CronJobs, stuck and failed Jobs; "
        "with --interval, as metrics beside those of the findings."
    )
    since = text(
        default="7d",
        metavar="DURATION",
        help="With --health: account for the scheduled times of this long, such as 12h or 7d, and list the "
        "Jobs without a CronJob that failed in it.",
    )
    stuck_after = text(
        default="10m",
        metavar="DURATION",
        help="With --health: a Job is stuck whose Pods have not started, or not terminated, for so long.",
    )


class HealthSettings:
    """The values of the options, parsed.

    Attributes:
        since: the length of the window in seconds.
        stuck_after: seconds.

    Raises:
        UsageError: a value is wrong.
    """

    def __init__(self, options: HealthOptions) -> None:
        self.since = _window(options.since)
        self.stuck_after = duration_in_seconds("--stuck-after", options.stuck_after)


def _window(text: str) -> int:
    days = _DAYS.fullmatch(text)
    seconds = int(duration_in_seconds("--since", text)) if days is None else int(days[1]) * DAY
    if not 0 < seconds <= MAX_DAYS * DAY:
        raise UsageError(f'--since "{text}": use at least 1s and at most {MAX_DAYS}d')
    return seconds


def check_report(report: AuditReportOptions) -> list[tuple[str, str]]:
    """Return the formats of the report with their files.

    Raises:
        UsageError: a format is none of the health report.
    """
    outputs = []
    for each in report.output:
        name, _, file = each.partition("=")
        if name not in FORMATS:
            raise UsageError(f"--output: --health has the formats text and json, not {name}")
        outputs.append((name, file or report.output_file or STDOUT))
    return outputs


def print_health(
    config: RestConfig,
    scope: AuditScope,
    settings: HealthSettings,
    report: AuditReportOptions,
    *,
    timeout: int,
) -> int:
    """Print the health of a cluster's CronJobs and Jobs, and return the exit code.

    Raises:
        ApiError: the cluster cannot be read.
        UsageError: a format is none of the health report.
    """
    from jobsworth.audit.health_objects import list_health_objects
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.cli.cluster_options import reading_client
    from jobsworth.whatif.health.cluster_health import cluster_health
    from jobsworth.whatif.health.problems import problems_by_object, summary

    outputs = check_report(report)
    api = reading_client(config, timeout=timeout)
    stored_objects = StoredObjects(api)

    def note(text: str) -> None:
        print_note(f"note: {text}")

    check_namespaces(stored_objects, scope, config, note)
    listed = list_health_objects(stored_objects, api, scope, note)
    now = int(time.time())
    since = now - settings.since
    health = cluster_health(
        listed, now, since=since, failed_since=since, stuck_after=settings.stuck_after
    )
    for name, file in outputs:
        write_lines(_rendered(name, health, config, report, file), file)
    if not report.quiet:
        print_note(f"{config.name}: {summary(health)}")
    failing = AT_LEAST[report.fail_on or "error"]
    fails = any(
        each.severity in failing for _, found in problems_by_object(health) for each in found
    )
    return 1 if fails else 0


def _rendered(
    name: str, health: ClusterHealth, config: RestConfig, report: AuditReportOptions, file: str
) -> Iterator[str]:
    if name == "json":
        from jobsworth.reports import health_json

        yield health_json.render(health, config.name)
    else:
        from jobsworth.reports import health_text

        width = terminal_width(sys.stdout) if file == STDOUT else None
        yield from health_text.render(health, infos=report.info, width=width)
