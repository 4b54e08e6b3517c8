"""``jobsworth audit``: validate the Jobs and CronJobs stored in a cluster."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass

from jobsworth.api.api_server import RELEASES, ApiServer, minor
from jobsworth.cli import reporting
from jobsworth.cli.cluster_options import ClusterOptions, target_of
from jobsworth.cli.command import Command, UsageError
from jobsworth.cli.configuration.resolved_settings import (
    STDIN,
    ConfigurationOptions,
    configurations_for,
)
from jobsworth.cli.missing_extras import missing_extra
from jobsworth.cli.options import Options, flag, integer, nested, several, text, words
from jobsworth.cli.server_options import ReleaseOptions
from jobsworth.cli.terminal import Progress
from jobsworth.printable import printable
from jobsworth.reports.result import (
    EXIT_UNREADABLE,
    VALID,
    LocatedFinding,
    StoredResult,
    Summary,
    exit_code,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from jobsworth.audit.audited_objects import AuditProgress, AuditScope
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.cli.configuration.resolved_settings import Configurations, ResolvedSettings
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import RestConfig
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.policy.policy_set import PolicySet

    Labels = Mapping[str, Mapping[str, str]]


class AuditedAsOptions(ReleaseOptions):
    """Options for the Kubernetes release that the audit assumes."""

    kubernetes_version = text(
        metavar="RELEASE",
        help="Validate for this release, for example before an upgrade; default: the cluster's release.",
    )


class AuditReportOptions(reporting.ReportOptions):
    """Report options with the table format, which only the audit has."""

    formats = ("table", *reporting.FORMATS)

    output = several(
        short="-o",
        default=("table",),
        metavar="FORMAT[=FILE]",
        help="Report format: table, text, concise (one line per finding), json, sarif (code scanning), junit "
        "(test reports), or github (workflow annotations). With =FILE, write it to a file; may be given "
        "several times.",
    )


class ScopeOptions(Options):
    """Options for the namespaces and objects to audit."""

    namespace = words(
        short="-n",
        metavar="NAME,...",
        help="Namespaces to audit; default: the context's namespace.",
    )
    all_namespaces = flag(short="-A", help="Audit all namespaces.")
    include_finished = flag(help="Also audit finished Jobs.")
    include_owned = flag(help="Also audit Jobs created by CronJobs.")


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


def run(options: AuditOptions) -> int:
    """Audit the objects stored in a cluster, report the findings, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or a configuration, or a policy.
    """
    gc.enable()  # a run over a large cluster is not short
    reporting.check(options.report)
    if options.scope.namespace and options.scope.all_namespaces:
        raise UsageError("--namespace and --all-namespaces exclude each other: use one of them")
    audit = AuditInput(
        options.scope,
        options.server.kubernetes_version,
        options.server.feature_gates,
        options.configuration,
        options.report,
        options.request_timeout,
    )
    _configurations(audit, audit.release)  # report configuration errors before connecting
    from jobsworth.client.api_errors import ApiError
    from jobsworth.client.rest_config import rest_config

    try:
        with rest_config(target_of(options.cluster)) as config:
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


@dataclass(frozen=True, slots=True)
class AuditInput:
    """An audit to run.

    Attributes:
        scope: the namespaces and objects to audit.
        release: the release to assume; None for the cluster's.
        gates: feature gates that the cluster sets differently from their defaults.
        configuration: lint rules and policies.
        report: the report's content, format and destination.
        timeout: the timeout of a request to the cluster, in seconds.
    """

    scope: ScopeOptions
    release: str | None
    gates: str | None
    configuration: ConfigurationOptions
    report: AuditReportOptions
    timeout: int


def _audit(config: RestConfig, audit: AuditInput) -> int:
    from jobsworth.audit.audited_objects import AuditProgress, audited_objects
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.client.retry import Retry
    from jobsworth.client.transport import Client
    from jobsworth.evaluation.evaluator import Evaluator

    api = Client(
        config,
        user_agent="jobsworth",
        connections=1,
        timeout=audit.timeout,
        retry=Retry(4, reads_while_busy=True),
        compressed=True,
    )
    stored_objects = StoredObjects(api)
    runs, release = _releases(stored_objects, audit.release)
    settings = _configurations(audit, release).of(STDIN)
    policies = None if settings.policies is None else settings.policies.policies
    scope = _scope(audit.scope, config.namespace)
    labels = _labels(stored_objects, scope, policies, config)
    stored_by = ApiServer(_known(runs)) if runs else None
    evaluator = Evaluator(settings.server, settings.selection, policies, stored_by=stored_by)
    counts = AuditProgress()
    quiet = audit.report.quiet
    progress = Progress(enabled=not quiet, noun="objects")
    audited = _audited(
        audited_objects(stored_objects, scope, counts),
        evaluator,
        settings,
        labels,
        lambda: progress.update(counts.read, counts.read + counts.left),
    )
    results = reporting.report(audited, audit.report, progress)
    summary = Summary(results, infos=audit.report.info)
    if not quiet:
        sentence = _sentence(config, runs, settings.server, summary, counts)
        print(printable(sentence), file=sys.stderr)
    return exit_code(results)


def _audited(
    objects: Iterator[dict[str, Any]],
    evaluator: Evaluator,
    settings: ResolvedSettings,
    labels: Labels,
    done: Callable[[], None],
) -> Iterator[StoredResult]:
    from jobsworth.evaluation.subject import Subject

    for stored in objects:
        kind, meta = stored["kind"], stored["metadata"]
        namespace, name = meta["namespace"], meta["name"]
        result = StoredResult(
            file=f"{namespace}/{kind}/{name}",
            document=0,
            kind=kind,
            namespace=namespace,
            name=name,
            status=VALID,
            findings=[],
        )
        subject = Subject(stored, "stored", namespace_labels=labels.get(namespace))
        result.fail_on, result.selected = settings.fail_on, settings.selection.named
        found = evaluator.evaluate(subject).reported(settings.selection)
        if found:
            result.replace_findings(
                [LocatedFinding(finding, policy=policy) for policy, finding in found]
            )
        done()
        yield result


def _configurations(audit: AuditInput, release: str | None) -> Configurations:
    return configurations_for(
        audit.configuration,
        release=release,
        gates=audit.gates,
        allow_privileged=True,  # a stored object has been accepted
        fail_on=audit.report.fail_on,
    )


def _releases(stored_objects: StoredObjects, release: str | None) -> tuple[str, str | None]:
    """Return the cluster's release (empty if unknown), and the release to assume.

    Args:
        stored_objects: the objects stored in the cluster.
        release: the requested release; None for the cluster's, if known.
    """
    from jobsworth.client.api_errors import ApiError

    runs = ""
    try:
        runs = stored_objects.release()
    except ApiError as error:
        if error.code in (0, 200, 401):
            raise
        if release is None:
            _note(f"the cluster does not report its version: audited as Kubernetes {RELEASES[-1]}")
    if release is None and runs:
        release = _known(runs)
        if release != runs:
            _note(
                f"the cluster runs Kubernetes {runs}, an unknown release: audited as Kubernetes {release}"
            )
    return runs, release


def _known(release: str) -> str:
    """Return the release, or the nearest known one."""
    return RELEASES[min(max(minor(release) - minor(RELEASES[0]), 0), len(RELEASES) - 1)]


def _scope(options: ScopeOptions, own_namespace: str) -> AuditScope:
    from jobsworth.audit.audited_objects import AuditScope

    named: list[str | None] = list(dict.fromkeys(options.namespace))
    namespaces = [None] if options.all_namespaces else named or [own_namespace]
    return AuditScope(namespaces, options.include_finished, options.include_owned)


def _labels(
    stored_objects: StoredObjects, scope: AuditScope, policies: PolicySet | None, config: RestConfig
) -> Labels:
    """Read the namespaces' labels if a policy requires them, and check that the namespaces exist.

    Raises:
        ApiError: a named namespace does not exist.
    """
    from jobsworth.client.api_errors import ApiError

    wanted = policies is not None and policies.needs_namespace_labels
    labels: dict[str, Mapping[str, str]] = {}
    for namespace in scope.namespaces:
        if namespace is None and not wanted:
            continue
        try:
            labels |= stored_objects.namespace_labels(namespace)
        except ApiError as error:
            if error.not_found:
                error.explanation = f'{config.name} has no namespace "{namespace}"'
            if error.code != 403:
                raise
            if wanted:
                _note(
                    "cannot read namespace labels; grant get and list on namespaces. Until then, policies "
                    "that select by them only warn, about every object"
                )
    return labels


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
unreachable or the command line is wrong.""",
    epilog="""\b
Examples:
  jobsworth audit --all-namespaces
  jobsworth audit --context staging -n batch,reports -o concise
  jobsworth audit -A --kubernetes-version 1.37      # objects that an upgrade would reject
  jobsworth audit -A --policy policies/ -o json     # findings of a new policy
""",
    options=AuditOptions,
    run=run,
)
