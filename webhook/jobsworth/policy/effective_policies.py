"""The effective policies: of each policy the version that is active while some documents are broken.

A broken document must not reduce what is enforced, so its last good version stays active. A policy that was
never valid enforces nothing. A policy is deleted when it is missing from files without errors: a file with an
error may be about to define it.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from jobsworth.policy import consistency, reader
from jobsworth.policy.consistency import Conflict
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.policy_set import PolicySet
from jobsworth.policy.problems import Problem, Problems


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """A version of a policy.

    Attributes:
        file: the file that it was read from.
        document: the JobPolicy, as decoded from YAML or JSON.
    """

    file: str
    document: Any

    def to_json(self) -> str:
        """Return the version as canonical JSON: equal versions have equal texts."""
        return _canonical({"file": self.file, "document": self.document})


def version_from_json(text: str | bytes) -> PolicyVersion:
    """Return the version that a text of :meth:`PolicyVersion.to_json` represents.

    Raises:
        ValueError: the text is none.
    """
    value = json.loads(text)
    if not (isinstance(value, dict) and isinstance(value.get("file"), str) and "document" in value):
        raise ValueError("not a version of a policy")
    return PolicyVersion(value["file"], value["document"])


@dataclass(frozen=True, slots=True, kw_only=True)
class EffectivePolicies:
    """The policies that are active, and what is wrong with the documents that are not.

    Attributes:
        policies: the active policies.
        versions: the active version of each policy by name, without those that ship with jobsworth.
        shipped: the active documents that ship with jobsworth.
        broken: the policies whose documents are not active: True if the last good version is active, False if
            the policy enforces nothing.
        problems: the problems, by the number of their document.
        errors: all errors as texts, with their position.
    """

    policies: PolicySet
    versions: Mapping[str, PolicyVersion] = field(default_factory=dict)
    shipped: tuple[Any, ...] = ()
    broken: Mapping[str, bool] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A hash of the active policies, which does not depend on the files that hold them."""
        own = [self.versions[name].document for name in sorted(self.versions)]
        return hashlib.sha256(_canonical([own, list(self.shipped)]).encode()).hexdigest()[:16]

    @property
    def valid(self) -> frozenset[str]:
        """The names of the policies that are active as the files define them."""
        return frozenset(self.versions) - frozenset(self.broken)


def effective(
    found: Sequence[PolicyVersion],
    last_good: Mapping[str, PolicyVersion],
    *,
    shipped: Sequence[Any] = (),
    unreadable: Set[str] = frozenset(),
    flawed: Set[int] = frozenset(),
) -> EffectivePolicies:
    """Compile the valid documents, and the last good versions of the others.

    Where policies conflict, those that have changed give way, first the one whose default is rejected: an
    unchanged conflict stays active, because it was.

    Args:
        found: the documents in the files.
        last_good: the last good version of each policy by name.
        shipped: documents that ship with jobsworth; an active policy of the same name replaces each.
        unreadable: the files and folders with errors that concern no document in `found`.
        flawed: the numbers of the documents whose text has an error, such as a duplicate key.
    """
    return _Selection(found, last_good, unreadable, flawed).result(shipped)


class _Selection:
    """The choice of a version for each policy."""

    def __init__(
        self,
        found: Sequence[PolicyVersion],
        last_good: Mapping[str, PolicyVersion],
        unreadable: Set[str],
        flawed: Set[int],
    ) -> None:
        self._last_good = last_good
        self._compiled: dict[str, JobPolicy] = {}
        self._versions: dict[str, PolicyVersion] = {}
        self._numbers: dict[str, int] = {}
        self._broken: dict[str, bool] = {}
        self._problems: list[Problem] = []
        faulty = set(unreadable)
        names = Counter(name_of(version.document) for version in found)
        first: dict[str, int] = {}
        for number, version in enumerate(found):
            problems = Problems(number)
            policy = reader.read_document(version.document, problems)
            name = name_of(version.document)
            has_name = bool(name) and not problems.at_or_below("metadata.name")
            reader.check_name(version.document, first, problems)
            self._problems.extend(problems.found)
            if policy is not None and names[name] == 1 and number not in flawed:
                self._compiled[policy.name] = policy
                self._versions[policy.name] = version
                self._numbers[policy.name] = number
                continue
            faulty.add(version.file)
            if has_name:
                self._broken[name] = False
        for name in dict.fromkeys((*self._broken, *last_good)):
            if name in self._broken or (
                name in last_good
                and name not in self._versions
                and _is_within(last_good[name].file, faulty)
            ):
                self._restore(name)

    def result(self, shipped: Sequence[Any]) -> EffectivePolicies:
        while self._settle_conflict(_compiled(shipped, self._versions).values()):
            pass
        active = _compiled(shipped, self._versions)
        return EffectivePolicies(
            policies=PolicySet((*self._compiled.values(), *active.values())),
            versions=self._versions,
            shipped=tuple(each for each in shipped if name_of(each) in active),
            broken=self._broken,
            problems=tuple(self._problems),
        )

    def _restore(self, name: str) -> None:
        """Replace a policy by its last good version; remove it if there is none."""
        self._numbers.pop(name, None)
        self._compiled.pop(name, None)
        self._versions.pop(name, None)
        version = self._last_good.get(name)
        policy = None
        if version is not None:
            # A later release of jobsworth may reject what an earlier one accepted.
            policy = reader.read_document(version.document, Problems(0))
        self._broken[name] = policy is not None
        if version is not None and policy is not None:
            self._compiled[name], self._versions[name] = policy, version

    def _settle_conflict(self, shipped: Iterable[JobPolicy]) -> bool:
        """Restore one of the policies that are in conflict, and return True; False if there is none left."""
        unsettled: list[Conflict] = []
        for conflict in consistency.conflicts_between([*self._compiled.values(), *shipped]):
            for name in (conflict.policy, conflict.holder):
                if self._has_changed(name):
                    self._problems.append(_problem(self._numbers[name], name, conflict))
                    self._restore(name)
                    return True
            unsettled.append(conflict)
        for conflict in unsettled:
            for name in (conflict.policy, conflict.holder):
                if name in self._numbers:
                    self._problems.append(_problem(self._numbers[name], name, conflict))
                    break
        return False

    def _has_changed(self, name: str) -> bool:
        if name not in self._numbers:
            return False
        before = self._last_good.get(name)
        return before is None or before.document != self._versions[name].document


def _problem(number: int, name: str, conflict: Conflict) -> Problem:
    if name == conflict.policy:
        return Problem(number, conflict.field, conflict.message, conflict.hint)
    message = f"the limits reject a default of policy {conflict.policy}: {conflict.message}"
    return Problem(number, "spec.limits", message, conflict.hint)


def _compiled(
    shipped: Sequence[Any], replaced: Mapping[str, PolicyVersion]
) -> dict[str, JobPolicy]:
    found = {}
    for document in shipped:
        if name_of(document) not in replaced:
            policy = reader.read_document(document, Problems(0), check_schema=False)
            assert policy is not None  # the tests check what ships
            found[policy.name] = policy
    return found


def name_of(document: Any) -> str:
    """Return the name of a policy; empty if it has none."""
    metadata = document.get("metadata") if isinstance(document, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def _is_within(file: str, faulty: Set[str]) -> bool:
    return any(file == each or file.startswith(f"{each.rstrip('/')}/") for each in faulty)


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
