"""Profiles: sets of policies that ship with jobsworth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from jobsworth.record import Record
from jobsworth.usage_error import UsageError

if TYPE_CHECKING:
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
