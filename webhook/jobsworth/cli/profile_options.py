"""Options for the profile, a set of policies that ships with jobsworth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.cli.command import UsageError
from jobsworth.cli.options import Options, choice_if_given
from jobsworth.record import Record

if TYPE_CHECKING:
    from typing import Literal

    from jobsworth.policy.violation import Effect

    ProfileName = Literal["baseline", "strict"]
    ProfileChoice = ProfileName | Literal["none"]

PROFILES: tuple[ProfileName, ...] = ("baseline", "strict")
PROFILE_CHOICES: tuple[ProfileChoice, ...] = (*PROFILES, "none")
ENFORCEMENTS: tuple[Effect, ...] = ("warn", "audit", "deny")
DEFAULT_ENFORCEMENT: Effect = "warn"


class Profile(Record):
    """A profile to apply.

    Attributes:
        name: its name.
        enforcement: the strongest effect of a violation.
    """

    name: ProfileName
    enforcement: Effect


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


def profile_of(name: ProfileChoice | None, enforcement: Effect | None) -> Profile | None:
    """Return the profile with its enforcement, by default ``warn``; None for none.

    Raises:
        UsageError: there is an enforcement, and no profile.
    """
    if name is None and enforcement is not None:
        raise UsageError(
            "--profile-enforcement has no effect without a profile: add --profile baseline"
        )
    if name is None or name == "none":
        return None
    return Profile(name, enforcement or DEFAULT_ENFORCEMENT)
