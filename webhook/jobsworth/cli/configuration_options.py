"""Options for rules, policies and the configuration."""

from __future__ import annotations

import click

from jobsworth.api.api_server import ApiServer, UnknownGate, UnknownRelease, parse_gates
from jobsworth.cli.options import Options, flag, group, option, words
from jobsworth.cli.policy_options import ProfileOptions
from jobsworth.cli.server_options import ReleaseOptions
from jobsworth.files.configuration.settings import Settings
from jobsworth.lint.lint_rule import CONFIDENCES, Confidence
from jobsworth.usage_error import UsageError


class ConfigurationOptions(Options):
    """Options for rules, policies and the configuration; they override a configuration."""

    heading = "Rules, policies and configuration"

    select: tuple[str, ...] | None = words(
        "--select",
        default=None,
        metavar="RULE,...",
        help="Report only these rules: codes, names, prefixes of codes (JW1), or `default`.",
    )
    ignore: tuple[str, ...] = words(
        "--ignore", metavar="RULE,...", help="Do not report these rules."
    )
    min_confidence: Confidence | None = option(
        "--min-confidence",
        type=click.Choice(CONFIDENCES),
        help="Report lint rules with at least this confidence; default: likely.",
    )
    policy: tuple[str, ...] = words(
        "--policy",
        metavar="PATH",
        help="Also apply these JobPolicy documents: a file or folder; may be given several times.",
    )
    admission_policy: tuple[str, ...] = words(
        "--admission-policy",
        metavar="PATH",
        help="Also apply these admission policies of the cluster, with bindings and params: a file or "
        "folder; may be given several times.",
    )
    profiles = group(ProfileOptions)
    config: str | None = option(
        "--config", metavar="FILE", help="Use this configuration for every file."
    )
    isolated: bool = flag("--isolated", help="Use no configuration.")


def server_settings(options: ReleaseOptions, *, allow_privileged: bool | None) -> Settings:
    """Return the settings of the API server from the options of a command line.

    Raises:
        UsageError: the release or a gate is unknown.
    """
    release = options.kubernetes_version
    try:
        if release is not None:
            ApiServer(release)
        gates = parse_gates(options.feature_gates or "")
    except (UnknownRelease, UnknownGate) as error:
        raise UsageError(str(error)) from None
    return Settings(release=release, gates=gates, allow_privileged=allow_privileged)


def with_rules(settings: Settings, options: ConfigurationOptions) -> Settings:
    """Return settings with the rules and policies of the options of a command line.

    Raises:
        UsageError: there is no such rule, or it cannot be ignored.
    """
    settings = settings.replace(
        min_confidence=options.min_confidence,
        policy=options.policy or None,
        admission_policy=options.admission_policy or None,
        profile=options.profiles.profile,
        profile_enforcement=options.profiles.profile_enforcement,
    )
    if options.select is None and not options.ignore:
        return settings
    from jobsworth.lint.catalogue import UnknownCode
    from jobsworth.lint.selection import ignored, named, selected

    option = "--select"
    try:
        if options.select is not None:
            settings = settings.replace(
                select=selected(options.select), named=named(options.select)
            )
        option = "--ignore"
        return settings.replace(ignore=ignored(options.ignore))
    except UnknownCode as error:
        raise UsageError(f"{option}: {error}") from None
