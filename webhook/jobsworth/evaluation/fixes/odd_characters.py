"""Hints that name odd characters in a rejected value, and fixes that replace them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.meta.object_meta import LABEL_VALUE, MAP_KEY
from jobsworth.evaluation.fixes.misplaced_fields import declared
from jobsworth.findings.edits import locate
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.odd_characters import SPACES, named, plain
from jobsworth.validation.engine import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.evaluation.fixes.rejected_object import RejectedObject

    Check = Callable[[str], object]

UNKNOWN_FIELD = "unknown_field"
_SUBJECTS = {UNKNOWN_FIELD: "the name", MAP_KEY: "the key"}
"""The subject of a hint, by the rule of the error; for other rules, the value."""


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
