"""The input of an audit: options for the cluster's objects, and the settings that they lead to."""

from __future__ import annotations

from dataclasses import dataclass

from jobsworth.audit.audited_objects import AuditScope
from jobsworth.audit.cluster_audit import AuditRules
from jobsworth.cli import reporting
from jobsworth.cli.configuration_options import ConfigurationOptions, server_settings, with_rules
from jobsworth.cli.options import Options, flag, texts, words
from jobsworth.cli.policy_options import policy_files
from jobsworth.cli.server_options import ReleaseOptions
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.files.configuration.resolved_settings import resolved
from jobsworth.files.configuration.settings import Settings
from jobsworth.files.policies.profiles import profile_of
from jobsworth.manifests.parsing.manifest_files import STDIN
from jobsworth.serving.policy_files import PolicyFiles
from jobsworth.usage_error import UsageError


class AuditReportOptions(reporting.ReportOptions):
    """Report options with the table format, which only the audit has."""

    formats = ("table", *reporting.FORMATS)

    output: tuple[str, ...] = texts(
        "--output",
        "-o",
        default=("table",),
        words=formats,
        metavar="FORMAT[=FILE]",
        help="Report format: table, text, concise (one line per finding), json, sarif (code scanning), junit "
        "(test reports), or github (workflow annotations). With =FILE, write it to a file; may be given "
        "several times.",
    )
    info: bool = flag(
        "--info",
        help="Also show info findings in the text, concise and github reports; the other formats have them "
        "always.",
    )


class ScopeOptions(Options):
    """Options for the namespaces and objects to audit."""

    heading = "Scope"

    namespace: tuple[str, ...] = words(
        "--namespace",
        "-n",
        metavar="NAME,...",
        help="Namespaces to audit; default: the context's namespace.",
    )
    all_namespaces: bool = flag("--all-namespaces", "-A", help="Audit all namespaces.")
    include_finished: bool = flag("--include-finished", help="Also audit finished Jobs.")
    exempt_namespace: tuple[str, ...] = words(
        "--exempt-namespace",
        metavar="NAME,...",
        help="Namespaces to skip, such as those that the webhook exempts.",
    )
    include_owned: bool = flag("--include-owned", help="Also audit Jobs created by CronJobs.")
    admission_policies: bool = flag(
        "--admission-policies",
        help="Also evaluate the cluster's own admission policies, with their bindings and params.",
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


def audit_rules(audit: AuditInput, release: str | None) -> AuditRules:
    """Return the rules of an audit as this release, or as the configured one.

    Raises:
        UsageError: a configuration is invalid, or admission policies are those of the cluster and of files.
    """
    from jobsworth.audit.cluster_audit import AuditRules

    settings = resolved(audit_settings(audit, release), None)
    if audit.scope.admission_policies and settings.admission_policies is not None:
        raise UsageError(
            "--admission-policies and --admission-policy exclude each other: use one of them"
        )
    return AuditRules(settings.server, settings.selection, settings.admission_policies)


def audit_policy_files(audit: AuditInput) -> PolicyFiles | None:
    """Return the policies of an audit that runs continuously, which are not read yet; None without any.

    Raises:
        UsageError: a file or folder does not exist, or an option has no effect.
    """
    settings = audit_settings(audit, None)
    return policy_files(
        settings.policy or (),
        profile_of(settings.profile, settings.profile_enforcement),
        audit.last_good,
    )
