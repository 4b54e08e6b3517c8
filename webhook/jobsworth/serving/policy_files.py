"""The policies of a process, which are reloaded when their files change.

The webhook, the controller, the audit and the registration of the webhook have them in this one way: of an
invalid policy the last valid version stays active, and what was loaded, removed or rejected is logged.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from jobsworth.policy.effective_policies import EffectivePolicies
from jobsworth.policy.policy_set import PolicySet
from jobsworth.serving.file_reload import POLL_SECONDS, Reloading
from jobsworth.wording import count

Level = Literal["info", "warning", "error"]

UNNAMED_NOTE = "a file that cannot be read enforces nothing"
"""What applies if no broken policy is known by its name."""


@dataclass(frozen=True, slots=True)
class PolicyLoad:
    """The result of loading changed policies.

    Attributes:
        seconds: the duration.
        policies: the policies that are active now; None if the files are rejected.
        removed: the names of policies that are not active any more.
        error: the reason why the files are rejected; None if they are not.
        kept: True if rejected files leave others active.
    """

    seconds: float
    policies: EffectivePolicies | None
    removed: tuple[str, ...] = ()
    error: Exception | None = None
    kept: bool = False

    @property
    def succeeded(self) -> bool:
        """True if all policies are active as the files define them."""
        return self.policies is not None and not self.policies.errors

    def messages(self) -> Iterator[tuple[Level, str]]:
        """Yield what to log, each with its level."""
        policies = self.policies
        if policies is None:
            effect = "the previous ones stay active" if self.kept else "no policy is active"
            yield "error", f"rejected the changed policy files, {effect}: {self.error}"
            return
        names = [policy.name for policy in policies.policies.policies]
        shown = ", ".join(names) or "none"
        yield "info", f"loaded {count(len(names), 'policy')} in {self.seconds:.2f} s: {shown}"
        if self.removed:
            yield "warning", f"policies were removed: {', '.join(self.removed)}"
        if policies.errors:
            notes = "; ".join(
                f"{name}: {note}" for name, note in broken_notes(policies.broken).items()
            )
            notes = notes or UNNAMED_NOTE
            errors = "\n".join(policies.errors)
            yield "error", f"rejected policies; fix the files ({notes}):\n{errors}"

    def lines(self) -> Iterator[str]:
        """Yield what to log, for a log without levels."""
        for level, message in self.messages():
            yield f"warning: {message}" if level == "warning" else message


class PolicyFiles:
    """The effective policies in some files.

    Args:
        load: reads the policies; any exception rejects the files.
        watched: the files and folders that it reads.
    """

    def __init__(self, load: Callable[[], EffectivePolicies], watched: Sequence[Path]) -> None:
        self._files = Reloading(load, watched)

    @property
    def active(self) -> EffectivePolicies | None:
        """The active policies; None if none could be loaded so far."""
        return self._files.value

    def check(self) -> PolicyLoad | None:
        """Load the policies if their files have changed; return None if they have not."""
        load = self._files.check()
        if load is None:
            return None
        removed: tuple[str, ...] = ()
        if load.value is not None and load.before is not None:
            removed = load.value.policies.missing(load.before.policies)
        kept = load.before is not None
        return PolicyLoad(load.seconds, load.value, removed, load.error, kept)

    def check_until_settled(self) -> PolicyLoad | None:
        """Do the same, and wait for the second check of changed files, for callers that check rarely."""
        load = self.check()
        if self._files.is_unsettled:
            time.sleep(POLL_SECONDS)
            return self.check()
        return load


def no_policies() -> PolicyFiles:
    """Return the policies of a process without any."""
    return PolicyFiles(lambda: EffectivePolicies(policies=PolicySet(())), ())


def broken_notes(broken: Mapping[str, bool]) -> dict[str, str]:
    """Return what applies instead of each broken policy, by its name."""
    return {
        name: "its last valid version is active" if kept else "it enforces nothing"
        for name, kept in broken.items()
    }
