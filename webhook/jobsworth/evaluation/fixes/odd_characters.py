"""Characters that look like others or like nothing: no-break spaces, zero-width ones, curly quotes, dashes.

They come from web pages, chats and word processors. A reader cannot see them, so hints name them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.meta.object_meta import LABEL_VALUE, MAP_KEY
from jobsworth.evaluation.fixes.misplaced_fields import declared
from jobsworth.findings.edits import locate
from jobsworth.findings.fix import Edit, Fix
from jobsworth.validation.engine import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.evaluation.fixes.rejected_object import RejectedObject

    Check = Callable[[str], object]

INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
)
SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02"
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\uff07\u00b4"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
ODD = frozenset(INVISIBLE + SPACES + DOUBLE_QUOTES + SINGLE_QUOTES + DASHES)

_PLAIN = str.maketrans(
    {
        **dict.fromkeys(INVISIBLE, ""),
        **dict.fromkeys(SPACES, " "),
        **dict.fromkeys(DOUBLE_QUOTES, '"'),
        **dict.fromkeys(SINGLE_QUOTES, "'"),
        **dict.fromkeys(DASHES, "-"),
    }
)
UNKNOWN_FIELD = "unknown_field"
_SUBJECTS = {UNKNOWN_FIELD: "the name", MAP_KEY: "the key"}
"""What a hint is about, by the rule of the error; for other rules, the value."""
MAX_NAMED = 3
"""The maximum number of characters named in a hint."""


def named(text: str) -> str:
    """Return the names of the odd characters in a text; empty without any.

    >>> named("Never\\u00a0"), named("Never")
    ('U+00A0 (no-break space)', '')
    """
    if text.isascii():
        return ""
    found = [each for each in dict.fromkeys(text) if each in ODD]
    if not found:
        return ""
    from unicodedata import name  # few texts have any

    names = [f"U+{ord(each):04X} ({name(each, 'no name').lower()})" for each in found[:MAX_NAMED]]
    return ", ".join(names) + (", …" if len(found) > MAX_NAMED else "")


def plain(text: str) -> str:
    """Return a text without odd characters, spaces around it, and quotes that are a part of it.

    >>> plain("\\u201c0 3 * * *\\u201d"), plain(" Never\\u00a0"), plain("a\\u2013b")
    ('0 3 * * *', 'Never', 'a-b')
    """
    text = text.translate(_PLAIN).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return text


def odd_hint(rejected: RejectedObject) -> str:
    """Return a hint that names the odd characters of the rejected value, key or field; empty without any."""
    finding = rejected.finding
    what, text = _SUBJECTS.get(finding.rule, "it"), rejected.at(finding.place)
    if finding.rule in _SUBJECTS:
        place = locate(rejected.value, finding.place)
        text = None if place.missing else place.steps[-1]
    names = named(text) if isinstance(text, str) else ""
    if not names:
        return ""
    if isinstance(text, str) and finding.rule == UNKNOWN_FIELD and text[0] in SPACES:
        return f"{what} begins with {names}: indent the line by spaces"
    return f"{what} contains {names}"


def plain_fix(rejected: RejectedObject) -> Fix | None:
    """Return the fix for a value that is valid without odd characters, spaces and quotes; None for others."""
    field = rejected.finding.place
    value = rejected.at(field)
    if not isinstance(value, str) or field.endswith(".restartPolicy"):
        return None  # of which two rules have their own fixes
    wanted = plain(value)
    check = _check_of(rejected)
    if wanted in ("", value) or check is None or not check(wanted):
        return None
    return Fix(f"Set {wanted}", Edit("set", field, wanted), safe=True)


def _check_of(rejected: RejectedObject) -> Check | None:
    """Return a function that returns True for a valid value of the field; None if it is not known."""
    finding = rejected.finding
    if finding.supported:
        return lambda text: text in finding.supported
    if finding.rule in _CHECKS:
        return _CHECKS[finding.rule]
    place = locate(rejected.value, finding.field)
    field = declared(kind_of(rejected.value), place.steps).field
    detail = None if field is None or place.missing else field.format
    return None if detail is None else (lambda text: not [*detail(text)])


def _is_label(text: str) -> bool:
    from jobsworth.api.formats.names import label_value

    return not label_value(text)


def _is_name(text: str) -> bool:
    from jobsworth.api.formats.names import dns_label

    return not dns_label(text)


def _is_variable(text: str) -> bool:
    return text.isascii() and text.isprintable() and "=" not in text


def _is_schedule(text: str) -> bool:
    from jobsworth.api.formats.cron import BadSchedule, parse

    try:
        parse(text)
    except BadSchedule:
        return False
    return True


def _is_zone(text: str) -> bool:
    from jobsworth.api.formats import time_zones

    return text in time_zones.known()


_CHECKS: dict[str, Check] = {
    LABEL_VALUE: _is_label,
    "CronJob.metadata": _is_name,
    "CronJobSpec.schedule": _is_schedule,
    "CronJobSpec.time_zone": _is_zone,
    "EnvVar.variable": _is_variable,
    "Job.metadata": _is_name,
}
