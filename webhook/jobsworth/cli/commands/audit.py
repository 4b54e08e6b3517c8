"""``jobsworth audit``: validate the Jobs and CronJobs stored in a cluster."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer, nearest_release
from jobsworth.cli.audit_health import HealthOptions, HealthSettings, check_report, print_health
from jobsworth.cli.audit_input import (
    AuditInput,
    AuditReportOptions,
    ScopeOptions,
    audit_admission_policies,
    audit_namespace_labels,
    audit_scope,
    audit_settings,
    cluster_and_audited_release,
    needs_namespace_labels,
)
from jobsworth.cli.cluster_options import ClusterOptions, reading_client, target_of
from jobsworth.cli.command import Command
from jobsworth.cli.configuration_options import ConfigurationOptions
from jobsworth.cli.missing_extras import missing_extra
from jobsworth.cli.options import Options, flag, integer, nested, text
from jobsworth.cli.process_options import duration_in_seconds, listen_address
from jobsworth.cli.reporting import Reporter, check, reports_of
from jobsworth.cli.server_options import ReleaseOptions
from jobsworth.cli.terminal import Progress
from jobsworth.files.configuration.resolved_settings import policies_of, resolved
from jobsworth.findings.located_finding import LocatedFinding
from jobsworth.findings.result import EXIT_UNREADABLE, VALID, StoredResult, exit_code
from jobsworth.findings.summary import Summary
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from jobsworth.audit.audited_objects import AuditProgress
    from jobsworth.audit.job_owners import OwnersFindings
    from jobsworth.cli.audit_input import Labels
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import RestConfig
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.files.configuration.resolved_settings import ResolvedSettings


class AuditedAsOptions(ReleaseOptions):
    """Options for the Kubernetes release that the audit assumes."""

    kubernetes_version = text(
        metavar="RELEASE",
        help="Validate for this release, for example before an upgrade; default: the cluster's release.",
    )


class RepetitionOptions(Options):
    """Options for an audit that runs continuously."""

    heading = "Continuous audit"

    interval = text(
        metavar="DURATION",
        help="Repeat the audit at this interval until SIGTERM, and when a policy changes; report findings "
        "as metrics and Events instead of printing them.",
    )
    last_good_policies = text(
        metavar="DIR",
        help="With --interval: a folder with the last valid version of each policy, for those that are "
        "invalid at the start.",
    )
    listen = text(
        default=":8081",
        metavar="ADDRESS",
        help="With --interval: address of /healthz, /readyz and /metrics; 0 to disable.",
    )


class PlanOptions(Options):
    """Options for a plan."""

    plan = flag(
        help="Instead of findings, print the defaults that policies with reconcile: apply would set in "
        "stored objects."
    )


class AuditOptions(Options):
    """The options of ``jobsworth audit``."""

    cluster = nested(ClusterOptions)
    scope = nested(ScopeOptions)
    request_timeout = integer(
        default=30, metavar="SECONDS", help="Timeout of a request to the cluster."
    )
    server = nested(AuditedAsOptions)
    configuration = nested(ConfigurationOptions)
    report = nested(AuditReportOptions)
    repetition = nested(RepetitionOptions)
    planning = nested(PlanOptions)
    health = nested(HealthOptions)


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
    interval, listen = _repetition(options)
    if options.planning.plan and interval is not None:
        raise UsageError("--plan prints once: omit --interval")
    health = _health(options)
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import rest_config

    try:
        with rest_config(target_of(options.cluster)) as config:
            if interval is not None:
                from jobsworth.cli.repeated_audit import repeat_audit

                return repeat_audit(config, audit, interval, listen, health_settings=health)
            try:
                if health is not None:
                    scope = audit_scope(audit.scope, config.namespace)
                    return print_health(config, scope, health, audit.report, timeout=audit.timeout)
                return _audit(config, audit, plan=options.planning.plan)
            except ApiError as error:
                error.explanation = _explained(error, config)
                raise
    except ApiError as error:
        print(printable(f"Error: {error}"), file=sys.stderr)
        return EXIT_UNREADABLE
    except ImportError as error:
        raise _missing(error) from None


def _repetition(options: AuditOptions) -> tuple[float | None, tuple[str, int | None]]:
    """Return the interval in seconds, None for an audit that runs once, and the address to listen on."""
    listen = listen_address(options.repetition.listen)
    if options.repetition.interval is None:
        if options.repetition.last_good_policies is not None:
            raise UsageError("--last-good-policies requires --interval")
        return None, listen
    if options.report.output != ("table",) or options.report.output_file:
        raise UsageError(
            "--interval reports findings as metrics and Events: omit --output and --output-file"
        )
    return duration_in_seconds("--interval", options.repetition.interval), listen


def _health(options: AuditOptions) -> HealthSettings | None:
    """Return the settings of the health report; None without ``--health``."""
    settings = HealthSettings(options.health)
    if not options.health.health:
        return None
    if options.planning.plan:
        raise UsageError("--plan and --health are different reports: use one of them")
    if options.repetition.interval is None:
        check_report(options.report)
    return settings


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


def _audit(config: RestConfig, audit: AuditInput, *, plan: bool) -> int:
    from jobsworth.audit.audited_objects import AuditProgress, audited_objects
    from jobsworth.audit.job_owners import OwnersFindings
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.evaluation.evaluator import Evaluator

    stored_objects = StoredObjects(reading_client(config, timeout=audit.timeout))
    asked = audit.server.kubernetes_version
    runs, release = cluster_and_audited_release(stored_objects, asked, _note)
    given = audit_settings(audit, release)
    policies = policies_of(given)
    settings = resolved(given, policies)
    scope = audit_scope(audit.scope, config.namespace)
    admission = audit_admission_policies(stored_objects, audit.scope, settings, _note)
    wanted = needs_namespace_labels(policies, admission)
    labels = audit_namespace_labels(stored_objects, scope, config, _note, wanted=wanted)
    if plan:
        from jobsworth.cli.audit_plan import print_plan

        return print_plan(stored_objects, scope, policies, settings.server, labels)
    stored_by = ApiServer(nearest_release(runs)) if runs else None
    evaluator = Evaluator(
        settings.server,
        settings.selection,
        policies,
        stored_by=stored_by,
        admission_policies=admission,
    )
    counts = AuditProgress()
    quiet = audit.report.quiet
    progress = Progress(enabled=not quiet, noun="objects")
    owners = OwnersFindings()
    audited = _audited(
        audited_objects(stored_objects, scope, counts),
        evaluator,
        settings,
        labels,
        lambda: progress.update(counts.read, counts.read + counts.left),
        owners=owners,
    )
    results = []
    with Reporter(reports_of(audit.report), audit.report, progress) as reporter:
        for result in audited:
            results.append(result)
            reporter.add(result)
    summary = Summary(results, infos=audit.report.info)
    if not quiet:
        sentence = _sentence(config, runs, settings.server, summary, counts)
        if owners.repeated:
            noun = "Job" if owners.repeated == 1 else "Jobs"
            sentence += f"; {owners.repeated} more {noun} of the same owners with the same findings"
        print(printable(sentence), file=sys.stderr)
    return exit_code(results)


def _audited(
    objects: Iterator[dict[str, Any]],
    evaluator: Evaluator,
    settings: ResolvedSettings,
    labels: Labels,
    done: Callable[[], None],
    *,
    owners: OwnersFindings,
) -> Iterator[StoredResult]:
    from jobsworth.audit.job_owners import owner_of
    from jobsworth.evaluation.subject import Subject

    for stored in objects:
        kind, meta = stored["kind"], stored["metadata"]
        namespace, name = meta["namespace"], meta["name"]
        owner = owner_of(stored) if kind == "Job" else None
        result = StoredResult(
            file=f"{namespace}/{kind}/{name}",
            document=0,
            kind=kind,
            namespace=namespace,
            name=name,
            status=VALID,
            findings=[],
            owner="" if owner is None else owner.title,
        )
        subject = Subject(stored, "stored", namespace_labels=labels.get(namespace))
        result.fail_on, result.selected = settings.fail_on, settings.selection.named
        found = owners.of(stored, evaluator.evaluate(subject).reported(settings.selection))
        if found is None:
            done()
            continue
        if found:
            result.replace_findings(
                [LocatedFinding(finding, policy=policy) for policy, finding in found]
            )
        done()
        yield result


def _sentence(
    config: RestConfig, runs: str, audited_as: ApiServer, summary: Summary, counts: AuditProgress
) -> str:
    release = audited_as.release
    runs_other = f" (the cluster runs {runs})" if runs and runs != release else ""
    parts = [f"{config.name}, as Kubernetes {release}{runs_other}: {summary.sentence()}"]
    if counts.finished:
        parts.append(
            f"{counts.finished} finished or terminating, skipped (include with --include-finished)"
        )
    if counts.owned:
        noun = "Job" if counts.owned == 1 else "Jobs"
        parts.append(
            f"{counts.owned} {noun} created by CronJobs, skipped (include with --include-owned)"
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
  jobsworth audit -A --kubernetes-version 1.37      # objects that an upgrade would reject
  jobsworth audit -A --policy policies/ -o json     # findings of a new policy
  jobsworth audit -A --admission-policies           # findings of the cluster's own policies
  jobsworth audit -A --policy policies/ --plan      # the defaults that would be set
  jobsworth audit -A --policy policies/ --interval 5m   # continuously: metrics and Events
  jobsworth audit -A --health --since 7d            # CronJobs that do not run, stuck and failed Jobs
""",
    options=AuditOptions,
    run=run,
)
