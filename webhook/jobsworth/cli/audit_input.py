"""The input of an audit: options for the cluster's objects, and the settings that they lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.api.api_server import RELEASES, nearest_release
from jobsworth.cli import reporting
from jobsworth.cli.configuration_options import ConfigurationOptions, server_settings, with_rules
from jobsworth.cli.options import Options, flag, several, words
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jobsworth.audit.audited_objects import AuditScope
    from jobsworth.audit.stored_objects import StoredObjects
    from jobsworth.cli.server_options import ReleaseOptions
    from jobsworth.client.rest_config import RestConfig
    from jobsworth.files.configuration.resolved_settings import ResolvedSettings
    from jobsworth.files.configuration.settings import Settings
    from jobsworth.policy.admission_policies.policy_set import AdmissionPolicySet
    from jobsworth.policy.policy_set import PolicySet

    Labels = Mapping[str, Mapping[str, str]]
    Note = Callable[[str], None]


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
    info = flag(
        help="Also show info findings in the text, concise and github reports; the other formats have them "
        "always."
    )


class ScopeOptions(Options):
    """Options for the namespaces and objects to audit."""

    heading = "Scope"

    namespace = words(
        short="-n",
        metavar="NAME,...",
        help="Namespaces to audit; default: the context's namespace.",
    )
    all_namespaces = flag(short="-A", help="Audit all namespaces.")
    include_finished = flag(help="Also audit finished Jobs.")
    exempt_namespace = words(
        metavar="NAME,...", help="Namespaces to skip, such as those that the webhook exempts."
    )
    include_owned = flag(help="Also audit Jobs created by CronJobs.")
    admission_policies = flag(
        help="Also evaluate the cluster's own ValidatingAdmissionPolicies, with their bindings and params."
    )


@dataclass(frozen=True, slots=True)
class AuditInput:
    """An audit to run.

    Attributes:
        scope: the namespaces and objects to audit.
        server: the release to assume, by default the cluster's, and its feature gates.
        configuration: lint rules and policies.
        report: the report's content, format and destination.
        timeout: the timeout of a request to the cluster, in seconds.
        last_good: a folder with the last good version of each policy, for an audit that runs continuously.
    """

    scope: ScopeOptions
    server: ReleaseOptions
    configuration: ConfigurationOptions
    report: AuditReportOptions
    timeout: int
    last_good: str | None = None


def audit_settings(audit: AuditInput, release: str | None) -> Settings:
    """Return the settings of an audit as this release, or as the configured one, without defaults.

    Args:
        audit: the audit.
        release: the release; None for the configured one.

    Raises:
        UsageError: an option's value or a configuration is invalid.
    """
    # A stored object has been accepted.
    server = server_settings(audit.server, allow_privileged=True)
    settings = with_rules(server, audit.configuration).replace(fail_on=audit.report.fail_on)
    if release is not None:
        settings = settings.replace(release=release)
    config = audit.configuration
    return Configurations(settings, file=config.config, isolated=config.isolated).unresolved(STDIN)


def cluster_and_audited_release(
    stored_objects: StoredObjects, release: str | None, note: Note
) -> tuple[str, str | None]:
    """Return the cluster's release (empty if unknown), and the release to assume.

    Args:
        stored_objects: the objects stored in the cluster.
        release: the requested release; None for the cluster's, if known.
        note: reports that the release is unknown.
    """
    from jobsworth.client.api_errors import ApiError

    runs = ""
    try:
        runs = stored_objects.release()
    except ApiError as error:
        if error.code in (0, 200, 401):
            raise
        if release is None:
            note(f"the cluster does not report its version: audited as Kubernetes {RELEASES[-1]}")
    if release is None and runs:
        release = nearest_release(runs)
        if release != runs:
            note(
                f"the cluster runs Kubernetes {runs}, an unknown release: audited as Kubernetes {release}"
            )
    return runs, release


def audit_scope(options: ScopeOptions, own_namespace: str) -> AuditScope:
    """Return the objects to audit: those of the context's namespace, unless options name others."""
    from jobsworth.audit.audited_objects import AuditScope

    named: list[str | None] = list(dict.fromkeys(options.namespace))
    namespaces = [None] if options.all_namespaces else named or [own_namespace]
    return AuditScope(
        namespaces,
        options.include_finished,
        options.include_owned,
        frozenset(options.exempt_namespace),
    )


def check_namespaces(
    stored_objects: StoredObjects, scope: AuditScope, config: RestConfig, note: Note
) -> None:
    """Check that the namespaces exist, as far as they can be read.

    Raises:
        ApiError: a named namespace does not exist.
    """
    audit_namespace_labels(stored_objects, scope, config, note, wanted=False)


def audit_admission_policies(
    stored_objects: StoredObjects, options: ScopeOptions, settings: ResolvedSettings, note: Note
) -> AdmissionPolicySet | None:
    """Return the cluster's ValidatingAdmissionPolicies if they are requested, else those of the settings.

    Raises:
        UsageError: policies are given as files, too.
        ApiError: the cluster's policies cannot be read.
    """
    if not options.admission_policies:
        return settings.admission_policies
    if settings.admission_policies is not None:
        raise UsageError(
            "--admission-policies and --admission-policy exclude each other: use one of them"
        )
    from jobsworth.client.api_errors import ApiError

    try:
        found = stored_objects.admission_policies(settings.server.release, note)
    except ApiError as error:
        if error.code == 403:
            error.explanation = (
                "cannot read the admission policies: grant list on validatingadmissionpolicies and "
                "validatingadmissionpolicybindings of admissionregistration.k8s.io"
            )
        raise
    for each in found.notes:
        note(each)
    return found


def needs_namespace_labels(
    policies: PolicySet | None, admission_policies: AdmissionPolicySet | None
) -> bool:
    """Return True if policies may depend on the labels of namespaces."""
    of_ours = policies is not None and policies.needs_namespace_labels
    return of_ours or admission_policies is not None


def audit_namespace_labels(
    stored_objects: StoredObjects,
    scope: AuditScope,
    config: RestConfig,
    note: Note,
    *,
    wanted: bool,
) -> Labels:
    """Read the namespaces' labels if a policy requires them, and check that the namespaces exist.

    Args:
        stored_objects: the objects stored in the cluster.
        scope: the objects to audit.
        config: of the cluster.
        note: reports that labels cannot be read.
        wanted: a policy requires them: see :func:`needs_namespace_labels`.

    Raises:
        ApiError: a named namespace does not exist.
    """
    from jobsworth.client.api_errors import ApiError

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
                note(
                    "cannot read namespace labels; grant get and list on namespaces. Until then, policies "
                    "that select by them only warn, about every object"
                )
    return labels
