"""Regular expressions of cron schedules, for JSON Schemas: they match every schedule that can be parsed.

They use nothing that Go's regular expressions lack, since kubeconform reads the schemas. A schema cannot
compare two numbers, so of ranges only the short ones, months and days of the week, must not run backwards.

    >>> import re
    >>> patterns = [schema["pattern"] for schema, _ in CONDITIONS if "pattern" in schema]
    >>> all(re.search(pattern, "30 2 * * MON-FRI") for pattern in patterns)
    True
"""

from __future__ import annotations

from typing import Any

from jobsworth.api.formats.cron import DESCRIPTORS, RANGES, Range
from jobsworth.api.schema_conditions import when

_WORD, _GAP, _SPACE = r"[^\t-\r ]+", "[^!-~]+", "[^!-~]*"
"""Characters beyond ASCII, of which Go takes some as white space, may be in words and between them."""

_ZONE = f"(?:(?:CRON_)?TZ=[^ ]*{_GAP})?"
_FIVE_FIELDS = rf"^{_ZONE}{_SPACE}[^@\t-\r ][^\t-\r ]*(?:{_GAP}{_WORD}){{4}}{_SPACE}$"
_DESCRIPTOR = f"^{_ZONE}(?:{'|'.join(DESCRIPTORS)}|@every .*)$"

WITHOUT_ZONE = "^(?:[^T]|T+[^TZ])*T*$"
"""A text without ``TZ``."""

_FIELDS = (
    ("minute", "numbers from 0 to 59", "[1-5]?[0-9]"),
    ("hour", "numbers from 0 to 23", "1?[0-9]|2[0-3]"),
    ("day of the month", "numbers from 1 to 31", "[1-9]|[12][0-9]|3[01]"),
    ("month", "numbers from 1 to 12, or JAN to DEC", "[1-9]|1[0-2]"),
    ("day of the week", "numbers from 0 (Sunday) to 6, or SUN to SAT", "[0-6]"),
)
"""The name, the values and the pattern of the numbers of each of the five fields."""

_SIGN_AND_ZEROS = r"\+?0*"
_STEP = rf"{_SIGN_AND_ZEROS}[1-9][0-9]*"
_EACH_I = "[Ii\u0130]"
_MAX_WRITTEN_OUT = 7
"""The most values of a field whose ranges are written out."""


def _conditions() -> list[tuple[dict[str, Any], str]]:
    found: list[tuple[dict[str, Any], str]] = [
        (
            {"anyOf": [{"pattern": _FIVE_FIELDS}, {"pattern": _DESCRIPTOR}]},
            f"expected exactly 5 fields, or one of {', '.join(DESCRIPTORS)} and @every <duration>",
        )
    ]
    for index, (name, values, numbers) in enumerate(_FIELDS):
        before = f"(?:{_WORD}{_GAP}){{{index}}}" if index else ""
        part = rf"(?:[*?](?:-[^,/\t-\r ]*)?|{_span(RANGES[index], numbers)})(?:/{_STEP})?"
        pattern = f"^{_ZONE}{_SPACE}{before}(?:{part})?(?:,(?:{part})?)*(?:[^!-~]|$)"
        detail = f"{name}: expected *, {values}, ranges from low to high, or steps such as */5"
        found.append((when({"pattern": _FIVE_FIELDS}, {"pattern": pattern}), detail))
    return found


def _span(range_: Range, numbers: str) -> str:
    """Return the pattern of a value or a range."""
    if range_.maximum - range_.minimum < _MAX_WRITTEN_OUT:
        values = [
            f"{_SIGN_AND_ZEROS}{number}|{_in_any_case(name)}"
            for name, number in range_.names.items()
        ]
        return "|".join(
            f"(?:{low})(?:-(?:{'|'.join(values[index:])}))?" for index, low in enumerate(values)
        )
    value = "|".join([f"{_SIGN_AND_ZEROS}(?:{numbers})", *map(_in_any_case, range_.names)])
    return f"(?:{value})(?:-(?:{value}))?"


def _in_any_case(name: str) -> str:
    """Return the pattern of a name as Go lowercases it, for which a dotted capital I is an i."""
    return "".join(_EACH_I if each == "i" else f"[{each.upper()}{each}]" for each in name)


CONDITIONS = _conditions()
"""The schemas of a schedule, and for each the error of schedules that do not satisfy it."""
