"""Options for the policies of commands that run continuously: the webhook and the controller."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from jobsworth.cli.options import Options, nested, text, words
from jobsworth.cli.profile_options import ProfileOptions
from jobsworth.files.policies.profiles import profile_of

if TYPE_CHECKING:
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
