"""Options for rules, policies and the configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cli.options import Options, flag, nested, text, words, words_if_given
from jobsworth.cli.profile_options import ProfileOptions
from jobsworth.files.configuration.resolved_settings import Configurations, Overrides

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.files.configuration.resolved_settings import LoadPolicies
    from jobsworth.findings.finding import Threshold


class ConfigurationOptions(Options):
    """Options for rules, policies and the configuration; they override a configuration."""

    select = words_if_given(
        metavar="RULE,...",
        help="Report only these rules: codes, names, prefixes of codes (JW1), or `default`.",
    )
    ignore = words(metavar="RULE,...", help="Do not report these rules.")
    policy = words(
        metavar="PATH",
        help="Also apply these JobPolicy documents: a file or folder; may be given several times.",
    )
    profiles = nested(ProfileOptions)
    config = text(metavar="FILE", help="Use this configuration for every file.")
    isolated = flag(help="Use no configuration.")


def configurations_for(
    options: ConfigurationOptions,
    *,
    release: str | None,
    gates: str | None = None,
    allow_privileged: bool | None,
    load_policies: LoadPolicies | None = None,
    fail_on: Threshold | None = None,
    namespace: str | None = None,
    exclude: Sequence[str] = (),
) -> Configurations:
    """Build the configurations from the options of a command line.

    Raises:
        UsageError: an option's value is wrong, or the configuration that it names.
    """
    overrides = Overrides(
        release=release,
        gates=gates,
        allow_privileged=allow_privileged,
        select=options.select,
        ignore=options.ignore,
        policy=options.policy,
        load_policies=load_policies,
        profile=options.profiles.profile,
        profile_enforcement=options.profiles.profile_enforcement,
        fail_on=fail_on,
        namespace=namespace,
        exclude=exclude,
    )
    return Configurations(overrides, file=options.config, isolated=options.isolated)
