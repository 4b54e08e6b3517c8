"""Options for policies: the profile, the files, and the request that they match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from jobsworth.cli.options import Options, group, option, words
from jobsworth.evaluation.subject import Requester
from jobsworth.files.policies.profiles import (
    ENFORCEMENTS,
    PROFILE_CHOICES,
    Profile,
    ProfileChoice,
    profile_of,
)
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from jobsworth.policy.violation import Effect
    from jobsworth.serving.policy_files import PolicyFiles


class ProfileOptions(Options):
    """Options for the profile."""

    profile: ProfileChoice | None = option(
        "--profile",
        type=click.Choice(PROFILE_CHOICES),
        help="Also apply the policies of this profile: docs/profiles.md.",
    )
    profile_enforcement: Effect | None = option(
        "--profile-enforcement",
        type=click.Choice(ENFORCEMENTS),
        help="The strongest effect of a violation of the profile; default: warn.",
    )


class PolicyOptions(Options):
    """Options for policies, which are reloaded when their files change."""

    heading = "Policies"

    policy: tuple[str, ...] = words(
        "--policy",
        metavar="PATH",
        help="A file or folder of JobPolicy documents; may be given several times.",
    )
    profiles = group(ProfileOptions)
    last_good_policies: str | None = option(
        "--last-good-policies",
        metavar="DIR",
        help="A folder with the last valid version of each policy, for those that are invalid at the "
        "start; jobsworth certs manage stores them.",
    )


class NativeOptions(Options):
    """The option for policies that the API server enforces."""

    native_policies: tuple[str, ...] = words(
        "--native-policies",
        metavar="NAME=HASH,...",
        help="Policies that the API server enforces as jobsworth policy export --to chart-values wrote them: "
        "leave to it what it enforces of them.",
    )


def exports_of(options: NativeOptions) -> dict[str, str]:
    """Return the hash of each policy that the API server enforces.

    Raises:
        UsageError: a value has not the form ``NAME=HASH``.
    """
    found = {}
    for word in options.native_policies:
        name, equals, digest = word.partition("=")
        if not (name and equals and digest):
            raise UsageError(f'--native-policies: "{word}" is not of the form NAME=HASH')
        found[name] = digest
    return found


def users_of(queueing_controllers: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the users that are service accounts.

    Raises:
        UsageError: a queueing controller is not written as ``NAMESPACE/NAME``.
    """
    users = []
    for account in queueing_controllers:
        namespace, slash, name = account.partition("/")
        if not (namespace and slash and name) or "/" in name:
            raise UsageError(
                f'--queueing-controllers: "{account}" is not a service account; use NAMESPACE/NAME'
            )
        users.append(f"system:serviceaccount:{namespace}:{name}")
    return tuple(users)


def policy_files_of(options: PolicyOptions) -> PolicyFiles | None:
    """Return the policies of a command, which are not read yet; None without any.

    Raises:
        UsageError: a file or folder does not exist, or an option has no effect.
    """
    profile = profile_of(options.profiles.profile, options.profiles.profile_enforcement)
    return policy_files(options.policy, profile, options.last_good_policies)


def policy_files(
    paths: Sequence[str], profile: Profile | None, stored: str | None, *, must_exist: bool = True
) -> PolicyFiles | None:
    """Return policies that are reloaded when their files change; None without any.

    Args:
        paths: files and folders.
        profile: the profile to apply as well; None for none.
        stored: a folder with the last valid version of each policy; None for none.
        must_exist: the files and folders must exist now.

    Raises:
        UsageError: a file or folder does not exist.
    """
    if not paths and profile is None:
        return None
    from pathlib import Path

    from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles
    from jobsworth.serving.policy_files import PolicyFiles

    files = EffectivePolicyFiles(
        [Path(path) for path in paths], profile, Path(stored) if stored else None
    )
    if must_exist:
        files.require_paths()
    return PolicyFiles(files.load, files.watched)


class RequestOptions(Options):
    """Options for the request that policies match."""

    heading = "The request, for policies"

    namespace: str | None = option(
        "--namespace",
        "-n",
        metavar="NAME",
        help="The namespace of manifests without one; by default: default.",
    )
    namespace_labels: str | None = option(
        "--namespace-labels", metavar="KEY=VALUE,...", help="Labels of the namespace, if known."
    )
    user: str | None = option(
        "--user", metavar="NAME", help="The user who sends the manifest, if known."
    )
    group: tuple[str, ...] = words(
        "--group", metavar="NAME", help="A group of the user; may be given several times."
    )


def requester_of(options: RequestOptions) -> Requester:
    """Return the sender of manifests.

    Raises:
        UsageError: the labels are not of the form KEY=VALUE.
    """
    from jobsworth.evaluation.subject import Requester

    return Requester(
        namespace=options.namespace or "",
        namespace_labels=_labels(options.namespace_labels),
        user=options.user,
        groups=options.group,
    )


def _labels(text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    labels = {}
    for part in filter(None, text.split(",")):
        key, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f'--namespace-labels: "{part}" is not of the form KEY=VALUE')
        labels[key] = value
    return labels
