"""``jobsworth audit``: what would be said of the Jobs and CronJobs that a cluster has already."""

from __future__ import annotations

import gc
import sys
from dataclasses import dataclass

from jobsworth.api.server import RELEASES, ApiServer, minor
from jobsworth.cli import reporting
from jobsworth.cli.cluster_options import ClusterOptions, target_of
from jobsworth.cli.command import Command, UsageError
from jobsworth.cli.configuration.resolved_settings import (
    STDIN,
    ConfigurationOptions,
    configurations_for,
)
from jobsworth.cli.options import Options, choice, flag, integer, nested, text, words
from jobsworth.cli.progress import Progress
from jobsworth.cli.server_options import ReleaseOptions
from jobsworth.reports.result import VALID, Located, StoredResult, Summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from jobsworth.audit.audited_objects import AuditProgress, AuditScope
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.cli.configuration.resolved_settings import Configurations
    from jobsworth.client.configuration import RestConfig
    from jobsworth.client.errors import ApiError
    from jobsworth.evaluation.evaluator import Evaluator
    from jobsworth.lint.selection import Selection
    from jobsworth.policy.policy_set import PolicySet

    Labels = Mapping[str, Mapping[str, str]]

EXIT_VALID, EXIT_INVALID, EXIT_UNREADABLE = 0, 1, 2


class AuditedAsOptions(ReleaseOptions):
    """The options that choose the release by which a cluster is audited."""

    kubernetes_version = text(
        metavar="RELEASE",
        help="Judge as this release would, to ask about an upgrade; that of the cluster by default.",
    )


class AuditReportOptions(reporting.ReportOptions):
    """The options for reports, of which an audit has one more form."""

    output = choice(
        short="-o",
        default="table",
        choices=("table", "text", "concise", "json", "sarif", "junit", "github"),
        help="How to report: tables, every finding, one line a finding, for programs, code "
        "scanning, test reports, or as annotations of a GitHub workflow.",
    )


class ScopeOptions(Options):
    """The options that choose where to look in a cluster, and at what."""

    namespace = words(
        short="-n",
        metavar="NAME,...",
        help="Where to look; the context's namespace by default.",
    )
    all_namespaces = flag(short="-A", help="Look everywhere.")
    include_finished = flag(help="Judge Jobs that have finished, too.")
    include_owned = flag(help="Judge the Jobs that CronJobs made, too.")


class AuditOptions(Options):
    """The options of ``jobsworth audit``."""

    cluster = nested(ClusterOptions)
    scope = nested(ScopeOptions)
    request_timeout = integer(
        default=30, metavar="SECONDS", help="How long to wait for an answer of the cluster."
    )
    server = nested(AuditedAsOptions)
    configuration = nested(ConfigurationOptions)
    report = nested(AuditReportOptions)


def run(options: AuditOptions) -> int:
    """Judge what a cluster stores, report what was found, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or a configuration, or a policy.
    """
    gc.enable()  # a run over a large cluster is not short
    reporting.check(options.report)
    if options.scope.namespace and options.scope.all_namespaces:
        raise UsageError("--namespace and --all-namespaces both say where to look: use one of them")
    asked = Audit(
        options.scope,
        options.server.kubernetes_version,
        options.server.feature_gates,
        options.configuration,
        options.report,
        options.request_timeout,
    )
    _configurations(asked, asked.release)  # what is wrong there is told before anybody is asked
    from jobsworth.client.configuration import rest_config
    from jobsworth.client.errors import ApiError

    try:
        with rest_config(target_of(options.cluster)) as config:
            try:
                return _audit(config, asked)
            except ApiError as error:
                error.explanation = _explained(error, config)
                raise
    except ApiError as error:
        print(f"Error: {error}", file=sys.stderr)
        return EXIT_UNREADABLE
    except ImportError as error:
        raise _missing(error) from None


def _explained(error: ApiError, config: RestConfig) -> str:
    """The error with what somebody who audits can do about it."""
    if error.timed_out:
        return f"{error}: give it longer with --request-timeout"
    if error.expired:
        return f"{error}: audit single namespaces with -n"
    if error.explanation or error.code < 300:
        return str(error)
    if error.code == 403:
        return (
            f"{config.name} may not do this (403 {error}): the verb list on jobs and cronjobs "
            "is needed"
        )
    return f"{config.url} answers: {error}"


@dataclass(frozen=True, slots=True)
class Audit:
    """An audit to make.

    Attributes:
        scope: where to look.
        release: to judge by; None for that of the cluster.
        gates: feature gates that the cluster has set otherwise than by default.
        configuration: what else is judged by.
        report: how to report.
        timeout: seconds to wait for an answer of the cluster.
    """

    scope: ScopeOptions
    release: str | None
    gates: str | None
    configuration: ConfigurationOptions
    report: AuditReportOptions
    timeout: int


def _audit(config: RestConfig, asked: Audit) -> int:
    from jobsworth.audit.audited_objects import AuditProgress, audited_objects
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.client.retry import Retry
    from jobsworth.client.transport import Client
    from jobsworth.evaluation.evaluator import Evaluator

    api = Client(
        config,
        user_agent="jobsworth",
        connections=1,
        timeout=asked.timeout,
        retry=Retry(4, reads_while_busy=True),
        compressed=True,
    )
    inventory = StoredObjects(api)
    runs, release = _releases(inventory, asked.release)
    settings = _configurations(asked, release).of(STDIN)
    policies = None if settings.policies is None else settings.policies.policies
    scope = _scope(asked.scope, config.namespace)
    labels = _labels(inventory, scope, policies, config)
    stored_by = ApiServer(_known(runs)) if runs else None
    evaluator = Evaluator(settings.server, settings.selection, policies, stored_by=stored_by)
    tally = AuditProgress()
    quiet = asked.report.quiet
    progress = Progress(enabled=not quiet, noun="objects")
    judged = _judged(
        audited_objects(inventory, scope, tally),
        evaluator,
        settings.selection,
        labels,
        lambda: progress.update(tally.read, tally.read + tally.left),
    )
    results = reporting.report(judged, asked.report, progress)
    summary = Summary(results)
    if not quiet:
        print(_sentence(config, runs, settings.server, summary, tally), file=sys.stderr)
    return EXIT_INVALID if summary.findings["error"] else EXIT_VALID


def _judged(
    objects: Iterator[dict[str, Any]],
    evaluator: Evaluator,
    selection: Selection,
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
        found = evaluator.evaluate(subject).reported(selection)
        if found:
            result.replace_findings([Located(finding, policy=policy) for policy, finding in found])
        done()
        yield result


def _configurations(asked: Audit, release: str | None) -> Configurations:
    return configurations_for(
        asked.configuration,
        release=release,
        gates=asked.gates,
        allow_privileged=True,  # what is stored was let in
    )


def _releases(inventory: StoredObjects, release: str | None) -> tuple[str, str | None]:
    """The release that the cluster runs (empty where it does not tell), and the one to judge by.

    Args:
        inventory: of the cluster.
        release: the one that is asked for; None for the cluster's, as far as it is known.
    """
    from jobsworth.client.errors import ApiError

    runs = ""
    try:
        runs = inventory.release()
    except ApiError as error:
        if error.code in (0, 200, 401):
            raise
        if release is None:
            _note(f"the cluster does not tell its version: judged as Kubernetes {RELEASES[-1]}")
    if release is None and runs:
        release = _known(runs)
        if release != runs:
            _note(f"the cluster runs Kubernetes {runs}, which is not known: judged as {release}")
    return runs, release


def _known(release: str) -> str:
    """The release, or the nearest one that is known."""
    return RELEASES[min(max(minor(release) - minor(RELEASES[0]), 0), len(RELEASES) - 1)]


def _scope(options: ScopeOptions, own_namespace: str) -> AuditScope:
    from jobsworth.audit.audited_objects import AuditScope

    named: list[str | None] = list(dict.fromkeys(options.namespace))
    namespaces = [None] if options.all_namespaces else named or [own_namespace]
    return AuditScope(namespaces, options.include_finished, options.include_owned)


def _labels(
    inventory: StoredObjects, scope: AuditScope, policies: PolicySet | None, config: RestConfig
) -> Labels:
    """The labels of the namespaces, where a policy asks for them; and see whether they are there.

    Raises:
        ApiError: a namespace that is named is not there.
    """
    from jobsworth.client.errors import ApiError

    wanted = policies is not None and policies.asks_namespace_labels
    labels: dict[str, Mapping[str, str]] = {}
    for namespace in scope.namespaces:
        if namespace is None and not wanted:
            continue
        try:
            labels |= inventory.namespace_labels(namespace)
        except ApiError as error:
            if error.not_found:
                error.explanation = f'{config.name} has no namespace "{namespace}"'
            if error.code != 403:
                raise
            if wanted:
                _note(
                    "the labels of namespaces cannot be read (get and list on namespaces are "
                    "needed): policies that choose by them warn of every object, and deny none"
                )
    return labels


def _sentence(
    config: RestConfig, runs: str, judged_by: ApiServer, summary: Summary, tally: AuditProgress
) -> str:
    release = judged_by.release
    runs_other = f" (the cluster runs {runs})" if runs and runs != release else ""
    parts = [f"{config.name}, as Kubernetes {release}{runs_other}: {summary.sentence()}"]
    if tally.finished:
        parts.append(f"{tally.finished} finished or being deleted, skipped (--include-finished)")
    if tally.owned:
        noun = "Job stands" if tally.owned == 1 else "Jobs stand"
        parts.append(f"for {tally.owned} {noun} their CronJob (--include-owned)")
    return "; ".join(parts)


def _note(text: str) -> None:
    print(f"note: {text}", file=sys.stderr)


def _missing(error: ImportError) -> UsageError:
    return UsageError(
        f"the audit needs the package {error.name or error}: run pip install 'jobsworth[cluster]'"
    )


COMMAND = Command(
    "audit",
    help="""Judge the Jobs and CronJobs that a cluster has already.

Reads them from the cluster that kubectl would ask, and changes nothing there. A finding of the API
means: it would be refused if it were created today. Jobs that have finished are left out, and a
CronJob stands for the Jobs that it made. The exit code is 0 without errors, 1 with errors, 2 when the
cluster could not be asked or the command line is wrong.""",
    epilog="""\b
Examples:
  jobsworth audit --all-namespaces
  jobsworth audit --context staging -n batch,reports -o concise
  jobsworth audit -A --kubernetes-version 1.37      # what an upgrade would refuse
  jobsworth audit -A --policy policies/ -o json     # what a new policy would have to say
""",
    options=AuditOptions,
    run=run,
)
