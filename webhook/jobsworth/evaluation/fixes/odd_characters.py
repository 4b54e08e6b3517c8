"""Hints that name odd characters in a rejected value, and fixes that replace them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobsworth.api.meta.object_meta import LABEL_VALUE, MAP_KEY
from jobsworth.evaluation.fixes.misplaced_fields import declared
from jobsworth.evaluation.fixes.rejected_object import RejectedObject
from jobsworth.findings.edits import locate
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.odd_characters import SPACES, named, plain
from jobsworth.findings.placeholders import template_placeholder
from jobsworth.printable import printable
from jobsworth.wording import listing

Check = Callable[[str], object]

UNKNOWN_FIELD = "unknown_field"
_SUBJECTS = {UNKNOWN_FIELD: "the name", MAP_KEY: "the key"}
"""The subject of a hint, by the rule of the error; for other rules, the value."""


def odd_hint(rejected: RejectedObject) -> str:
    """Return a hint that names the odd characters of the rejected value, key or field; empty without any."""
    finding = rejected.finding
    what, text = _subject(rejected)
    names = named(text) if isinstance(text, str) else ""
    if isinstance(text, str) and not names and text.endswith("\n") and "\n" not in text[:-1]:
        return (
            f"{what} ends with a line feed, which a block adds: write it on one line, or begin the block "
            "with |-"
        )
    if not names:
        return ""
    if isinstance(text, str) and finding.rule == UNKNOWN_FIELD and text[0] in SPACES:
        return f"{what} begins with {names}: indent the line by spaces"
    return f"{what} contains {names}"


def _subject(rejected: RejectedObject) -> tuple[str, Any]:
    """Return the word for what an error is about, and its value."""
    finding = rejected.finding
    if finding.rule not in _SUBJECTS:
        return "it", rejected.at(finding.place)
    place = locate(rejected.value, finding.place)
    return _SUBJECTS[finding.rule], None if place.missing else place.steps[-1]


def cause_in_name(rejected: RejectedObject) -> str:
    """Return a hint that names the characters for which a name is rejected; empty for other reasons.

    A character that the format does not allow between letters is wrong everywhere, another one at the start
    or the end.
    """
    what, text = _subject(rejected)
    is_valid = _NAME_CHECKS.get(rejected.finding.field) or _check_of(rejected)
    if not isinstance(text, str) or not text or template_placeholder(text) is not None:
        return ""
    if is_valid is None or not is_valid("aaa"):
        return ""
    wrong = [each for each in dict.fromkeys(text) if not is_valid(f"a{each}a")]
    if wrong:
        return f"{what} contains {listing([*dict.fromkeys(map(_named, wrong))])}"
    if not is_valid(f"{text[0]}a"):
        return f"{what} starts with {_named(text[0])}"
    return "" if is_valid(f"a{text[-1]}") else f"{what} ends with {_named(text[-1])}"


def _named(character: str) -> str:
    if character == " ":
        return "a space"
    if character.isupper():
        return "a capital letter"
    return "a digit" if character.isdigit() else f'"{printable(character)}"'


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
    field = declared(rejected.kind, place.steps).field
    detail = None if field is None or place.missing else field.format
    return None if detail is None else (lambda text: not [*detail(text)])


def _is_label(text: str) -> bool:
    from kube_cel.formats.names import label_value

    return not label_value(text)


def _is_name(text: str) -> bool:
    from kube_cel.formats.names import dns_label

    return not dns_label(text)


def _is_subdomain(text: str) -> bool:
    from kube_cel.formats.names import dns_subdomain

    return not dns_subdomain(text)


def _is_key(text: str) -> bool:
    from kube_cel.formats.names import label_key

    return not label_key(text)


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
    MAP_KEY: _is_key,
}
_NAME_CHECKS: dict[str, Check] = dict.fromkeys(
    ("metadata.name", "metadata.generateName"), _is_subdomain
)
