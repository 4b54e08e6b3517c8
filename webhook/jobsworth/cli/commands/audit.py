"""``jobsworth audit``: validate the Jobs and CronJobs stored in a cluster."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer, title
from jobsworth.audit.audited_objects import AuditProgress
from jobsworth.audit.cluster_audit import ClusterAudit
from jobsworth.cli.audit_input import (
    AuditInput,
    AuditReportOptions,
    ScopeOptions,
    audit_policy_files,
    audit_rules,
    audit_scope,
    audit_settings,
)
from jobsworth.cli.cluster_options import (
    ClusterOptions,
    reading_client,
    request_timeout_option,
    target_of,
)
from jobsworth.cli.command import Command
from jobsworth.cli.configuration_options import ConfigurationOptions
from jobsworth.cli.options import Options, flag, group, option
from jobsworth.cli.process_options import duration_in_seconds, listen_address, log_line
from jobsworth.cli.reporting import Reporter, check, reports_of
from jobsworth.cli.server_options import ReleaseOptions
from jobsworth.cli.terminal import Progress
from jobsworth.client.api_errors import ApiError
from jobsworth.client.rest_config import RestConfig
from jobsworth.files.configuration.resolved_settings import policies_of
from jobsworth.findings.result import EXIT_UNREADABLE, exit_code
from jobsworth.findings.summary import Summary
from jobsworth.installation import missing_extra
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError
from jobsworth.wording import count, plural

if TYPE_CHECKING:
    from jobsworth.client.transport import Client


class AuditedAsOptions(ReleaseOptions):
    """Options for the Kubernetes release that the audit assumes."""

    kubernetes_version: str | None = option(
        "--kubernetes-version",
        metavar="RELEASE",
        help="Validate for this release, for example before an upgrade; default: the cluster's release.",
    )


class RepetitionOptions(Options):
    """Options for an audit that runs continuously."""

    heading = "Continuous audit"

    interval: str | None = option(
        "--interval",
        metavar="DURATION",
        help="Repeat the audit at this interval until SIGTERM, and when a policy changes; report findings "
        "as metrics and Events instead of printing them.",
    )
    health_metrics: bool = flag(
        "--health-metrics",
        help="With --interval: also serve metrics of the health of CronJobs and Jobs (see jobsworth health).",
    )
    last_good_policies: str | None = option(
        "--last-good-policies",
        metavar="DIR",
        help="With --interval: a folder with the last valid version of each policy, for those that are "
        "invalid at the start.",
    )
    monitor_bind: str = option(
        "--monitor-bind",
        default=":8081",
        metavar="ADDRESS",
        help="With --interval: address of /healthz, /readyz and /metrics; 0 to disable.",
    )


class AuditOptions(Options):
    """The options of ``jobsworth audit``."""

    cluster = group(ClusterOptions)
    scope = group(ScopeOptions)
    request_timeout: int = request_timeout_option()
    server = group(AuditedAsOptions)
    configuration = group(ConfigurationOptions)
    report = group(AuditReportOptions)
    repetition = group(RepetitionOptions)


def run(options: AuditOptions) -> int:
    """Audit the objects stored in a cluster, report the findings, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or a configuration, or a policy.
    """
    gc.enable()  # a run over a large cluster is not short
    check(options.report)
    if options.scope.namespace and options.scope.all_namespaces:
        raise UsageError("--namespace and --all-namespaces exclude each other: use one of them")
    audit = AuditInput(
        options.scope,
        options.server,
        options.configuration,
        options.report,
        options.request_timeout,
        options.repetition.last_good_policies,
    )
    audit_settings(audit, None)  # report configuration errors before connecting
    interval = _interval(options)
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import rest_config

    try:
        with rest_config(target_of(options.cluster)) as config:
            if interval is not None:
                return _repeat(config, audit, options.repetition, interval)
            try:
                return _audit(config, audit)
            except ApiError as error:
                error.explanation = _explained(error, config)
                raise
    except ApiError as error:
        print(printable(f"Error: {error}"), file=sys.stderr)
        return EXIT_UNREADABLE
    except ImportError as error:
        raise _missing(error) from None


def _interval(options: AuditOptions) -> float | None:
    """Return the interval in seconds; None for an audit that runs once."""
    listen_address(options.repetition.monitor_bind)  # also without --interval
    if options.repetition.interval is None:
        if options.repetition.last_good_policies is not None:
            raise UsageError("--last-good-policies requires --interval")
        if options.repetition.health_metrics:
            raise UsageError(
                "--health-metrics requires --interval; jobsworth health prints a report"
            )
        return None
    if options.report.output != ("table",) or options.report.output_file:
        raise UsageError(
            "--interval reports findings as metrics and Events: omit --output and --output-file"
        )
    return duration_in_seconds("--interval", options.repetition.interval)


def _explained(error: ApiError, config: RestConfig) -> str:
    """Return the error with advice for the user who runs the audit."""
    if error.timed_out:
        return f"{error}: raise --request-timeout"
    if error.expired:
        return f"{error}: audit single namespaces with -n"
    if error.explanation or error.code < 300:
        return str(error)
    if error.code == 403:
        return (
            f"{config.name} denies access (403 {error}): grant the verb list on jobs and cronjobs"
        )
    return f"{config.url} responded: {error}"


def _cluster_audit(
    config: RestConfig, audit: AuditInput, api: Client, note: Callable[[str], None]
) -> ClusterAudit:
    from jobsworth.audit.cluster_audit import ClusterAudit
    from jobsworth.audit.stored_objects import StoredObjects

    return ClusterAudit(
        cluster=config.name,
        stored_objects=StoredObjects(api),
        scope=audit_scope(audit.scope, config.namespace),
        release=audit.server.kubernetes_version,
        has_own_policies=audit.scope.admission_policies,
        note=note,
    )


def _repeat(
    config: RestConfig, audit: AuditInput, options: RepetitionOptions, interval: float
) -> int:
    from jobsworth.audit.process import AuditProcess, AuditProcessOptions, NotedOnce

    api = reading_client(config, timeout=audit.timeout)
    AuditProcess(
        api,
        _cluster_audit(config, audit, api, NotedOnce(log_line)),
        lambda release: audit_rules(audit, release),
        audit_policy_files(audit),
        AuditProcessOptions(
            interval=interval,
            listen=listen_address(options.monitor_bind),
            health=options.health_metrics,
        ),
        log=log_line,
    ).run()
    return 0


def _audit(config: RestConfig, audit: AuditInput) -> int:
    from jobsworth.audit.cluster_audit import AuditedResults

    api = reading_client(config, timeout=audit.timeout)
    cluster = _cluster_audit(config, audit, api, _note)
    runs, release = cluster.releases()
    given = audit_settings(audit, release)
    rules, policies = audit_rules(audit, release), policies_of(given)
    audited = AuditedResults(
        cluster, cluster.settings(runs, rules, policies), given.fail_on or "error"
    )
    quiet, counts = audit.report.quiet, audited.progress
    progress = Progress(enabled=not quiet, noun="objects")
    results = []
    with Reporter(reports_of(audit.report), audit.report, progress) as reporter:
        for result in audited.results(
            lambda: progress.update(counts.read, counts.read + counts.left)
        ):
            results.append(result)
            reporter.add(result)
    summary = Summary(results, infos=audit.report.info)
    if not quiet:
        sentence = _sentence(config, runs, rules.server, summary, counts)
        if repeated := audited.owners.repeated:
            more = f"{repeated} more {plural('Job', repeated)}"
            sentence += f"; {more} of the same owners with the same findings"
        print(printable(sentence), file=sys.stderr)
    return exit_code(results)


def _sentence(
    config: RestConfig, runs: str, audited_as: ApiServer, summary: Summary, counts: AuditProgress
) -> str:
    release = audited_as.release
    runs_other = f" (the cluster runs {runs})" if runs and runs != release else ""
    parts = [f"{config.name}, as {title(release)}{runs_other}: {summary.sentence()}"]
    if counts.finished:
        parts.append(
            f"{counts.finished} finished or terminating, skipped (include with --include-finished)"
        )
    if counts.owned:
        parts.append(
            f"{count(counts.owned, 'Job')} created by CronJobs, skipped (include with --include-owned)"
        )
    if counts.exempt:
        parts.append(f"{counts.exempt} in exempt namespaces, skipped")
    return "; ".join(parts)


def _note(text: str) -> None:
    print(printable(f"note: {text}"), file=sys.stderr)


def _missing(error: ImportError) -> UsageError:
    return UsageError(missing_extra("connections to a cluster", "cluster", error.name))


COMMAND = Command(
    "audit",
    help="""Validate the Jobs and CronJobs stored in a cluster.

Uses the same kubeconfig as kubectl and is read-only. An API finding means that the API server would
reject the object if it were created today. Finished Jobs and Jobs created by a CronJob are skipped; the
CronJob itself is validated. Exit codes: 0 without errors, 1 with errors, 2 if the cluster is
unreachable or the command line is wrong.

With --interval it runs until SIGTERM, serves metrics, reloads changed policies, and writes Events.""",
    epilog="""\b
Examples:
  jobsworth audit --all-namespaces
  jobsworth audit --context staging -n batch,reports -o concise
  jobsworth audit -A --kubernetes-version 1.37   # before an upgrade
  jobsworth audit -A --policy policies/ -o json   # before a policy
  jobsworth audit -A --admission-policies   # by the cluster's own policies
  jobsworth audit -A --policy policies/ --interval 5m   # continuously
""",
    options=AuditOptions,
    run=run,
)
