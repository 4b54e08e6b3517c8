"""Options for the policies of commands that run continuously: the webhook and the controller."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jobsworth.cli.options import Options, nested, text, words
from jobsworth.cli.profile_options import ProfileOptions
from jobsworth.files.policies.profiles import profile_of
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles


class PolicyOptions(Options):
    """Options for policies, which are reloaded when their files change."""

    heading = "Policies"

    policy = words(
        metavar="PATH",
        help="A file or folder of JobPolicy documents; may be given several times.",
    )
    profiles = nested(ProfileOptions)
    last_good_policies = text(
        metavar="DIR",
        help="A folder with the last valid version of each policy, for those that are invalid at the "
        "start; jobsworth certs manage stores them.",
    )


class NativeOptions(Options):
    """The option for policies that the API server enforces."""

    native_policies = words(
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


def effective_policy_files(options: PolicyOptions) -> EffectivePolicyFiles | None:
    """Return the files with the policies, which are not read yet; None without policies.

    Raises:
        UsageError: a file or folder does not exist, or an option has no effect.
    """
    profile = profile_of(options.profiles.profile, options.profiles.profile_enforcement)
    if not options.policy and profile is None:
        return None
    from jobsworth.files.policies.effective_policy_files import EffectivePolicyFiles

    stored = Path(options.last_good_policies) if options.last_good_policies else None
    files = EffectivePolicyFiles([Path(path) for path in options.policy], profile, stored)
    files.require_paths()
    return files
