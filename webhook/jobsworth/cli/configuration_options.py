"""Options for rules, policies and the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.api_server import ApiServer, UnknownGate, UnknownRelease, parse_gates
from jobsworth.cli.options import (
    Options,
    choice_if_given,
    flag,
    nested,
    text,
    words,
    words_if_given,
)
from jobsworth.cli.profile_options import ProfileOptions
from jobsworth.files.configuration.settings import Settings
from jobsworth.lint.lint_rule import CONFIDENCES
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.cli.server_options import ReleaseOptions


class ConfigurationOptions(Options):
    """Options for rules, policies and the configuration; they override a configuration."""

    heading = "Rules, policies and configuration"

    select = words_if_given(
        metavar="RULE,...",
        help="Report only these rules: codes, names, prefixes of codes (JW1), or `default`.",
    )
    ignore = words(metavar="RULE,...", help="Do not report these rules.")
    min_confidence = choice_if_given(
        choices=CONFIDENCES,
        help="Report lint rules whose findings are at least so sure; default: likely.",
    )
    policy = words(
        metavar="PATH",
        help="Also apply these JobPolicy documents: a file or folder; may be given several times.",
    )
    admission_policy = words(
        metavar="PATH",
        help="Also apply these ValidatingAdmissionPolicies, with bindings and params: a file or folder; may "
        "be given several times.",
    )
    profiles = nested(ProfileOptions)
    config = text(metavar="FILE", help="Use this configuration for every file.")
    isolated = flag(help="Use no configuration.")


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
