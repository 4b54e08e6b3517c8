"""Options for the profile, a set of policies that ships with jobsworth."""

from __future__ import annotations

from jobsworth.cli.options import Options, choice_if_given
from jobsworth.files.policies.profiles import ENFORCEMENTS, PROFILE_CHOICES


class ProfileOptions(Options):
    """Options for the profile."""

    profile = choice_if_given(
        choices=PROFILE_CHOICES,
        help="Also apply the policies of this profile: docs/profiles.md.",
    )
    profile_enforcement = choice_if_given(
        choices=ENFORCEMENTS,
        help="The strongest effect of a violation of the profile; default: warn.",
    )
