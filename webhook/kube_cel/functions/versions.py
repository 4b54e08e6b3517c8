"""Semantic versions (k8s.io/apiserver, ``pkg/cel/library/semverlib.go``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kube_cel.values import MAX_UINT, CelError, Function, check

_DIGITS = "0123456789"
_SIGNS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-" + _DIGITS)


@dataclass(frozen=True, slots=True, eq=False)
class Version:
    """A version; its build does not count when versions are compared."""

    type_name = "kubernetes.Semver"

    numbers: tuple[int, ...]
    previews: tuple[str, ...]
    build: tuple[str, ...]

    @property
    def characters(self) -> int:
        """At least the identifiers, which a comparison reads."""
        return len(self.previews) + len(self.build)

    def __str__(self) -> str:
        text = ".".join(map(str, self.numbers))
        if self.previews:
            text += "-" + ".".join(self.previews)
        return text + ("+" + ".".join(self.build) if self.build else "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self.compare(other) == 0

    def __hash__(self) -> int:
        return hash((self.numbers, self.previews))

    def compare(self, other: Version) -> int:
        """Return -1, 0 or 1 (semver.org, 11)."""
        if self.numbers != other.numbers:
            return 1 if self.numbers > other.numbers else -1
        if not self.previews or not other.previews:
            return int(not self.previews) - int(not other.previews)
        for one, mine in zip(self.previews, other.previews, strict=False):
            if one != mine:
                return 1 if _rank(one) > _rank(mine) else -1
        longer = len(self.previews) - len(other.previews)
        return (longer > 0) - (longer < 0)


def _rank(identifier: str) -> tuple[bool, int, str]:
    """Numbers come before words; both in their order. Numbers have no leading zeros."""
    if identifier.isdigit():
        return False, len(identifier), identifier
    return True, 0, identifier


def _parse(text: str) -> Version:
    if not text:
        raise CelError("Version string empty")
    parts = text.split(".", 2)
    if len(parts) != 3:
        raise CelError("No Major.Minor.Patch elements found")
    major, minor = _number(parts[0], "major"), _number(parts[1], "minor")
    rest, plus, build = parts[2].partition("+")
    patch, dash, preview = rest.partition("-")
    previews = tuple(preview.split(".")) if dash else ()
    builds = tuple(build.split(".")) if plus else ()
    numbers = (major, minor, _number(patch, "patch"))
    for each in previews:
        _check_identifier(each, "Prerelease")
        if each.isdigit() and len(each) > 1 and each[0] == "0":
            raise CelError(f'Numeric PreRelease version must not contain leading zeroes "{each}"')
    for each in builds:
        _check_identifier(each, "Build meta data")
    return Version(numbers, previews, builds)


def _number(text: str, name: str) -> int:
    if text.strip(_DIGITS) or not text:
        raise CelError(f'Invalid character(s) found in {name} number "{text}"')
    if len(text) > 1 and text[0] == "0":
        raise CelError(f'{name.capitalize()} number must not contain leading zeroes "{text}"')
    if len(text) > 20 or int(text) > MAX_UINT:
        raise CelError(f'strconv.ParseUint: parsing "{text}": value out of range')
    return int(text)


def _check_identifier(text: str, name: str) -> None:
    if not text:
        raise CelError(f"{name} is empty")
    if not _SIGNS.issuperset(text):
        raise CelError(f'Invalid character(s) found in {name.lower()} "{text}"')


def _normalized(text: str) -> str:
    """Return a version without ``v`` and leading zeros, and with missing numbers as 0."""
    parts = text.removeprefix("v").split(".", 2)
    for at, part in enumerate(parts):
        if len(part) > 1:
            rest = part.lstrip("0")
            parts[at] = rest if rest[:1].isdigit() else "0" + rest
    if len(parts) < 3 and any(sign in parts[-1] for sign in "+-"):
        raise CelError("short version cannot contain PreRelease/Build meta data")
    return ".".join(parts + ["0"] * (3 - len(parts)))


def _read(text: Any, normalize: Any = False) -> Version:
    check(str, text)
    check(bool, normalize)
    return _parse(_normalized(text) if normalize else text)


def _is_version(text: Any, normalize: Any = False) -> bool:
    check(str, text)
    check(bool, normalize)
    try:
        _read(text, normalize)
    except CelError:
        return False
    return True


def _compare(one: Any, other: Any) -> int:
    check(Version, one, other)
    return int(one.compare(other))


def _part(at: int) -> Function:
    def part(value: Any) -> int:
        check(Version, value)
        return int(value.numbers[at])

    return part


FUNCTIONS: dict[str, Function] = {
    "semver": _read,
    "isSemver": _is_version,
    ".major": _part(0),
    ".minor": _part(1),
    ".patch": _part(2),
    ".compareTo": _compare,
    ".isGreaterThan": lambda one, other: _compare(one, other) > 0,
    ".isLessThan": lambda one, other: _compare(one, other) < 0,
}
