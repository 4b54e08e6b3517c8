"""The API server that validation imitates: a Kubernetes release and its feature gates."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping

from jobsworth.api.feature_gates import KNOWN_GATES, RENAMED_GATES

RELEASES = tuple(f"1.{minor}" for minor in range(25, 39))
"""The supported Kubernetes releases."""

PREVIEW = "1.38.0-beta.0"
"""The pre-release that the last of them is declared from; empty once that release is recorded."""

NEWEST_RELEASE = RELEASES[-2 if PREVIEW else -1]
"""The newest release that is out, which is the default."""

ALLOW_PRIVILEGED = True
"""The default of every command and function. kube-apiserver's own is false, but most installers set
``--allow-privileged``."""


class UnknownRelease(ValueError):
    """A Kubernetes release that this version of jobsworth does not support."""


class NewerRelease(UserWarning):
    """A release is newer than this version of jobsworth knows, and is judged as the newest known one."""


class UnknownGate(ValueError):
    """A feature gate that does not exist in a release, or is locked there."""


def minor(release: str) -> int:
    """Return the minor version of a release: 31 for "1.31"."""
    return int(release[2:])


EXACT_SINCE = 38
"""The first minor version that computes with quantities exactly, and prints those above exa."""
DECLARATIVE_METADATA_SINCE = 38
_VERSION = re.compile(r"v?(1\.[1-9][0-9]{0,3})(?:\+|\.[0-9]+(?:[-+.][0-9A-Za-z.+-]*)?)?")


def written_release(text: str) -> str:
    """Return the release in a version as people and clusters write it; empty for another text.

    >>> [written_release(each) for each in ("1.31", "v1.33.5-eks-abc123", "1.36.3-gke.1000", "v1.30.0+k3s1")]
    ['1.31', '1.33', '1.36', '1.30']
    >>> written_release("29+"), written_release("2.1"), written_release("1.31.x")
    ('', '', '')
    """
    found = _VERSION.fullmatch(text)
    return found[1] if found is not None else ""


def preview_of(release: str) -> str:
    """Return the pre-release from which a release is declared, such as ``beta.0``; empty for none."""
    return PREVIEW.removeprefix(f"{release}.0-") if PREVIEW.startswith(f"{release}.") else ""


def title(release: str) -> str:
    """Return the name of a release for users: ``Kubernetes 1.38 (preview, as of beta.0)``."""
    preview = preview_of(release)
    return f"Kubernetes {release}" + (f" (preview, as of {preview})" if preview else "")


def nearest_release(release: str) -> str:
    """Return a release, or the nearest known one."""
    return RELEASES[min(max(minor(release) - minor(RELEASES[0]), 0), len(RELEASES) - 1)]


class ApiServer:
    """A kube-apiserver of one release, with its feature gates.

    Immutable, hashable and cheap to compare: it is the cache key of everything compiled from declarations.

    Args:
        release: "1.31", or a version such as "v1.33.5-eks-abc123"; the newest one by default. A newer release
            than the known ones is judged as the newest of them, with the warning :class:`NewerRelease`.
        gates: feature gates that differ from the defaults of the release.
        allow_privileged: the server runs with ``--allow-privileged``; without it a kube-apiserver rejects
            privileged containers. None for the default, :data:`ALLOW_PRIVILEGED`.

    Raises:
        UnknownRelease: the release is older than :data:`RELEASES`, or not a release.
        UnknownGate: a gate is unknown, does not exist in this release, or is locked to the other value.
    """

    __slots__ = ("_enabled", "allow_privileged", "gates", "minor", "release")

    def __init__(
        self,
        release: str = NEWEST_RELEASE,
        gates: Mapping[str, bool] | None = None,
        *,
        allow_privileged: bool | None = None,
    ) -> None:
        self.allow_privileged = ALLOW_PRIVILEGED if allow_privileged is None else allow_privileged
        self.release = _known_release(release)
        self.minor = minor(self.release)
        self._enabled: dict[str, bool] = {}
        for name, wanted in (gates or {}).items():
            self._set(self._gate_named(name), wanted)
        self.gates = tuple(sorted(self._enabled.items()))

    def _gate_named(self, name: str) -> str:
        """Return the present name of a gate, by the name that it has in this release."""
        for present, (since, former) in RENAMED_GATES.items():
            if name in (present, former):
                if name == self.name_of(present):
                    return present
                then = f"since {since}" if name == former else f"before {since}"
                raise UnknownGate(
                    f'feature gate "{name}" does not exist in Kubernetes {self.release}: '
                    f'it is called "{self.name_of(present)}" {then}'
                )
        return name

    def name_of(self, gate: str) -> str:
        """Return the name that a gate has in this release."""
        since, former = RENAMED_GATES.get(gate, ("", gate))
        return former if since and self.minor < minor(since) else gate

    def _set(self, name: str, wanted: bool) -> None:
        if name not in KNOWN_GATES:
            from jobsworth.findings.near_names import did_you_mean

            hint = did_you_mean(name, KNOWN_GATES)
            raise UnknownGate(f'unknown feature gate "{name}"{f": {hint}" if hint else ""}')
        stage = self._stage(name)
        if stage is None:
            first = KNOWN_GATES[name][0][0]
            raise UnknownGate(
                f'feature gate "{name}" does not exist in Kubernetes {self.release}: introduced in {first}'
            )
        since, name_of_stage, default, locked = stage
        if name_of_stage == "removed":
            raise UnknownGate(
                f'feature gate "{name}" does not exist in Kubernetes {self.release}: removed in {since}'
            )
        if locked and wanted != default:
            raise UnknownGate(
                f'feature gate "{name}" is locked to {str(default).lower()} in Kubernetes {self.release}'
            )
        self._enabled[name] = wanted

    def _stage(self, name: str) -> tuple[str, str, bool, bool] | None:
        reached = [stage for stage in KNOWN_GATES[name] if minor(stage[0]) <= self.minor]
        return reached[-1] if reached else None

    @property
    def exact_quantities(self) -> bool:
        """True if it computes with quantities exactly."""
        return self.minor >= EXACT_SINCE

    @property
    def shows_immutable_metadata(self) -> bool:
        """True if its errors about identity and deletion show the value that an update may not set.

        Since 1.38 the declarative validation of ObjectMeta reports them, which shows none.
        """
        return self.minor < DECLARATIVE_METADATA_SINCE

    def enabled(self, gate: str) -> bool:
        """Return True if a feature gate is on; False in releases that do not have it yet.

        Raises:
            KeyError: there is no such gate.
        """
        answer = self._enabled.get(gate)
        if answer is None:
            stage = self._stage(gate)
            answer = self._enabled[gate] = stage is not None and stage[2]
        return answer

    def with_fields_of(self, gates: Iterable[str]) -> ApiServer:
        """Return a server that has these gates on as well, even if the release does not let users do so."""
        other = ApiServer(self.release, allow_privileged=self.allow_privileged)
        other._enabled.update(self.gates)
        other._enabled.update((gate, True) for gate in gates if self._stage(gate) is not None)
        other.gates = tuple(sorted(other._enabled.items()))
        return other

    def knows(self, since: str, until: str) -> bool:
        """Return True if the release is in the range `since` to `until`; an empty end is open."""
        return not ((since and minor(since) > self.minor) or (until and minor(until) < self.minor))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ApiServer)
            and self.minor == other.minor
            and self.gates == other.gates
            and self.allow_privileged == other.allow_privileged
        )

    def __hash__(self) -> int:
        return hash((self.minor, self.gates, self.allow_privileged))

    def __repr__(self) -> str:
        gates = ",".join(f"{name}={str(on).lower()}" for name, on in self.gates)
        return title(self.release) + (f" with {gates}" if gates else "")


def parse_gates(text: str) -> dict[str, bool]:
    """Parse feature gates in the syntax of ``--feature-gates``: ``A=true,B=false``.

    Raises:
        UnknownGate: a part is not of the form ``Name=true`` or ``Name=false``.
    """
    gates = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, value = part.partition("=")
        if not separator or value.lower() not in ("true", "false"):
            raise UnknownGate(f'invalid feature gate "{part}": write Name=true or Name=false')
        gates[name.strip()] = value.lower() == "true"
    return gates


def _known_release(text: str) -> str:
    release = written_release(text)
    if release and minor(release) > minor(RELEASES[-1]):
        warnings.warn(
            f"Kubernetes {release} is newer than this version of jobsworth: judged as {RELEASES[-1]}",
            NewerRelease,
            stacklevel=1,  # so that it is reported once
        )
        return RELEASES[-1]
    if release not in RELEASES:
        raise UnknownRelease(
            f'unknown Kubernetes release "{text}": use {RELEASES[0]} to {RELEASES[-1]}'
        )
    return release
