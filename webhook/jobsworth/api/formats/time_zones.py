"""Time zone names of CronJobs: ``Europe/Berlin``.

Source: ``time.LoadLocation`` of Go 1.26 with the database that it embeds, and ``validateTimeZone``
in ``pkg/apis/batch/validation`` of Kubernetes 1.36. A server with a database on its machine may
know more names.

    >>> validate("Europe/Berlin")
    []
    >>> validate("Europe/Belin")
    ['unknown time zone Europe/Belin']
"""

from __future__ import annotations

from kube_cel.formats.names import DIGITS, LETTERS, only

_PART_CHARACTERS = LETTERS + DIGITS + ".-_+"
_PART_MAX_LENGTH = 14

_known: frozenset[str] = frozenset()


def known() -> frozenset[str]:
    """Return the names in the database, without Go's built-in names "" and "Local"."""
    global _known  # noqa: PLW0603  (read once, on first use)
    if not _known:
        from jobsworth.api.formats.time_zone_names import NAMES

        _known = frozenset(read_names(NAMES))
    return _known


def read_names(text: str) -> list[str]:
    """Parse a table of names, in which a word with a trailing colon is the area of those that follow."""
    names, area = [], ""
    for word in text.split():
        if word.endswith(":"):
            area = word[:-1] + "/"
        else:
            names.append(area + word)
    return names


def unknown(name: str) -> str | None:
    """Return Go's error for a zone that it cannot load, or None if it can.

    >>> unknown("Mars/Olympus")
    'unknown time zone Mars/Olympus'
    >>> unknown("../etc/passwd")
    'time: invalid location name'
    """
    if name in ("", "Local"):
        return None
    if ".." in name or name[0] in "/\\":
        return "time: invalid location name"
    return None if name in known() else f"unknown time zone {name}"


def validate(name: str) -> list[str]:
    """Validate a CronJob's ``timeZone``.

    >>> for detail in validate("local"):
    ...     print(detail)
    timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones
    unknown time zone local
    """
    if not name:
        return ["timeZone must be nil or non-empty string"]
    if not all(map(_is_part, name.split("/"))):
        return [f"unknown time zone {name}"]
    wrong = []
    if name.lower() == "local":
        wrong.append(
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        )
    problem = unknown(name)
    return wrong if problem is None else [*wrong, problem]


def _is_part(part: str) -> bool:
    return (
        0 < len(part) <= _PART_MAX_LENGTH
        and part not in (".", "..")
        and part[0] != "-"
        and only(part, _PART_CHARACTERS)
    )
