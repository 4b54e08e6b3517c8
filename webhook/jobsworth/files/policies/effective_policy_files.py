"""Read policy files for commands that run continuously: a broken document does not affect the other ones.

Of a policy whose document is broken, the last good version stays active: the one that this process has seen,
or else the stored one, which outlives processes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from jobsworth.files.policies.policy_files import PolicyFileError, PolicySources
from jobsworth.files.policies.profiles import Profile
from jobsworth.policy.document import API_VERSION, KIND
from jobsworth.policy.effective_policies import (
    EffectivePolicies,
    PolicyVersion,
    effective,
    name_of,
    version_from_json,
)
from jobsworth.usage_error import UsageError


class EffectivePolicyFiles:
    """The effective policies in some files and folders, with those of a profile.

    Args:
        paths: the files and folders.
        profile: the profile to apply as well; None for none.
        stored: a folder with the last good version of each policy, in a file of the policy's name; None for
            none. The versions in it that change replace those that this process has seen.
    """

    def __init__(
        self, paths: Sequence[Path], profile: Profile | None = None, stored: Path | None = None
    ) -> None:
        self.paths = tuple(paths)
        self._profile = profile
        self._stored = stored
        self._seen: dict[str, PolicyVersion] = {}
        self._last_good: dict[str, PolicyVersion] = {}

    @property
    def watched(self) -> tuple[Path, ...]:
        """The files and folders that determine the policies."""
        return self.paths if self._stored is None else (*self.paths, self._stored)

    def require_paths(self) -> None:
        """Check that the files and folders exist.

        Raises:
            UsageError: one does not.
        """
        for path in self.paths:
            if not os.path.lexists(path):
                raise UsageError(f"--policy: {path}: no such file or folder; check the path")

    def load(self) -> EffectivePolicies:
        """Read the files and return the policies that are active from now on."""
        stored = _versions_in(self._stored) if self._stored is not None else {}
        changed = {name: one for name, one in stored.items() if self._seen.get(name) != one}
        self._seen = stored
        last_good = {**self._last_good, **changed}
        sources = PolicySources([str(path) for path in self.paths])
        truncated = _truncated(sources, last_good)
        shipped = sources.of_profile(self._profile)
        loaded = effective(
            [PolicyVersion(each.file, each.value) for each in sources.documents],
            last_good,
            shipped=[each.value for each in shipped],
            unreadable={*sources.unreadable, *truncated},
            flawed=sources.flawed,
        )
        self._last_good = dict(loaded.versions)
        message = f"no {KIND} of {API_VERSION} found in it (delete the file to remove its policies)"
        empty = [PolicyFileError(path, 1, 1, "", message) for path in truncated]
        errors = [*sources.errors, *empty, *map(sources.placed, loaded.problems)]
        return replace(loaded, errors=tuple(map(str, errors)))


def _truncated(sources: PolicySources, last_good: Mapping[str, PolicyVersion]) -> list[str]:
    """Return the files without policies that may be half written: named ones, and those that had policies.

    A file that is deleted, and an emptied folder, have no policies any more.
    """
    found = {document.file for document in sources.documents}
    names = {name_of(document.value) for document in sources.documents}
    had = {one.file for name, one in last_good.items() if name not in names}
    named = {path for path in sources.empty if not os.path.isdir(path)}
    return sorted(
        named | {file for file in had - found - sources.unreadable if os.path.lexists(file)}
    )


def _versions_in(folder: Path) -> dict[str, PolicyVersion]:
    """Return the versions that a folder stores, without those that cannot be read."""
    found = {}
    try:
        files = sorted(each for each in folder.iterdir() if not each.name.startswith("."))
    except OSError:
        return {}  # nothing is stored yet
    for file in files:
        try:
            found[file.name] = version_from_json(file.read_bytes())
        except (OSError, ValueError):
            continue
    return found
