"""Hints beyond the server's message: valid names, and the syntax of a value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from jobsworth.api.batch.job import GENERATED_LABELS
from jobsworth.api.batch.pod_failure_policy import CONTAINER_EXISTS
from jobsworth.api.core.volume_mounts import VOLUME_EXISTS
from jobsworth.api.declare import String
from jobsworth.api.field_errors import IMMUTABLE, WEBHOOK
from jobsworth.api.formats.cron import BadSchedule, parse
from jobsworth.api.meta.object_meta import LABEL_VALUE
from jobsworth.evaluation.fixes.odd_characters import cause_in_name, odd_hint
from jobsworth.evaluation.fixes.rejected_object import RejectedObject
from jobsworth.findings.durations import seconds_of
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import near
from jobsworth.findings.placeholders import template_placeholder
from jobsworth.validation.decoding import QUANTITY
from jobsworth.validation.engine import Engine
from jobsworth.wording import count, shortened, value_text

DESCRIPTORS = ("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly")

RANGES = (
    "the minute is 0 to 59",
    "the hour is 0 to 23",
    "the day of the month is 1 to 31",
    "the month is 1 to 12 or JAN to DEC",
    "the day of the week is 0 (Sunday) to 6 or SUN to SAT",
)
"""The values of each field of a schedule."""

MAX_NAMES = 8
"""The maximum number of names listed in a hint."""

MAX_SHOWN = 40
"""The maximum length of a written number that a hint or the title of a fix repeats."""

_SUFFIXES = {
    "k": ("k", "Ki"), "kb": ("k", "Ki"), "kib": ("Ki",), "ki": ("Ki",),
    "mb": ("M", "Mi"), "mib": ("Mi",), "mi": ("Mi",),
    "g": ("G", "Gi"), "gb": ("G", "Gi"), "gib": ("Gi",), "gi": ("Gi",),
    "t": ("T", "Ti"), "tb": ("T", "Ti"), "tib": ("Ti",), "ti": ("Ti",),
}  # fmt: skip
"""Quantity suffixes for the units that people write."""


QUANTITIES = (
    "a quantity is a number, alone or with one of the suffixes m, k, M, G, T, Ki, Mi, Gi, Ti, such as 500m "
    "or 2Gi"
)

_DIGIT_LETTERS = re.compile(r"([0-9OolI]+(?:\.[0-9OolI]*)?)(m|k|[MGT]|[KMGT]i)?$")
_DIGITS = str.maketrans("OolI", "0011")


def hinted(rejected: RejectedObject) -> Finding:
    """Return the finding with a hint, and with a fix if the hint has one answer."""
    finding = rejected.finding
    odd = odd_hint(rejected)
    if odd:
        return finding.with_hint(odd)
    hint = HINTS.get(finding.rule)
    found = None if hint is None else hint(rejected)
    if found is None and finding.reason == "FieldValueInvalid":
        found = cause_in_name(rejected), None
    if found is None:
        return finding
    text, fix = found
    if text and not finding.hint:
        finding = finding.with_hint(text)
    return finding if fix is None or finding.fix is not None else finding.with_fix(fix)


def _missing_volume(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    field = rejected.finding.field
    pod = f"{rejected.job}.template.spec"
    name, names = rejected.at(field), _names_in(rejected, f"{pod}.volumes")
    if not isinstance(name, str):
        return None
    if not names:
        return f'the Pod has no volume "{name}": add it to {pod}.volumes', None
    if name in names:  # the API server counts only valid volumes
        return f'the volume "{name}" is rejected: correct it in {pod}.volumes', None
    return _another_name(f'the Pod has no volume "{name}"', field, name, names)


def _missing_container(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    field = rejected.finding.field
    pod = f"{rejected.job}.template.spec"
    name, containers = rejected.at(field), _names_in(rejected, f"{pod}.containers")
    names = [*containers, *_names_in(rejected, f"{pod}.initContainers")]
    if not isinstance(name, str) or not names:
        return None
    found = _another_name(f'the Pod has no container "{name}"', field, name, names)
    if len(names) > 1 or found[1] is not None:
        return found
    return found[0], Fix(f"Set containerName: {names[0]}", Edit("set", field, names[0]), safe=False)


def _missing_image(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    """Return the name of a container that the patch of an overlay probably meant to change."""
    container, _, _ = rejected.finding.field.rpartition(".")
    name, pod = rejected.at(f"{container}.name"), f"{rejected.job}.template.spec"
    if not isinstance(name, str):
        return None
    others = [
        str(each.get("name"))
        for field in ("containers", "initContainers")
        for each in _items_of(rejected, f"{pod}.{field}")
        if each.get("image") and each.get("name") != name
    ]
    meant = near(name, others)
    if meant is None:
        return None
    other = f'the Pod also has the container "{meant.name}"'
    return f"{other}: if a patch is to change that one, correct the name", None


def _names_in(rejected: RejectedObject, field: str) -> list[str]:
    """Return the names of the items of a list, which may be malformed."""
    return [str(item.get("name")) for item in _items_of(rejected, field)]


def _items_of(rejected: RejectedObject, field: str) -> list[dict[str, Any]]:
    items = rejected.at(field)
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _another_name(
    problem: str, field: str, name: str, names: Sequence[str]
) -> tuple[str, Fix | None]:
    """Return the hint with the names that exist, and a fix if one of them is nearly the written one."""
    some = ", ".join(names[:MAX_NAMES]) + (", …" if len(names) > MAX_NAMES else "")
    text = f"{problem}; it has {some}"
    meant = near(name, names)
    if meant is None:
        return text, None
    title = f"Set {field.rpartition('.')[2]}: {meant.name}"
    return text, Fix(title, Edit("set", field, meant.name), safe=False)


def _duration(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    field = rejected.finding.field
    value = rejected.at(field)
    seconds = seconds_of(value) if isinstance(value, str) else None
    name = field.rpartition(".")[2]
    if seconds is None or "seconds" not in name.lower():
        return _shape(rejected)
    title = f"Set {name}: {seconds}, which is {value} in seconds"
    return "", Fix(title, Edit("set", field, seconds), safe=True)


def _shape(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    from jobsworth.evaluation.fixes.misplaced_fields import declared_type
    from jobsworth.evaluation.fixes.shapes import shape_hint

    wanted = declared_type(rejected)
    hint = _unquoted(rejected) if wanted is String else ""
    if not hint and rejected.finding.fix is None:
        hint = shape_hint(rejected, wanted)
    return (hint, None) if hint else None


def _unquoted(rejected: RejectedObject) -> str:
    """Return the hint for a text that YAML reads as a boolean or number which is printed otherwise."""
    value, text = rejected.at(rejected.finding.field), rejected.written(rejected.finding.field)
    if text is None or len(text) > MAX_SHOWN or not isinstance(value, bool | int | float):
        return ""
    if isinstance(value, bool):
        reads = "" if text in ("true", "false") else "a boolean in YAML"
    else:
        reads = "" if text == repr(value) else "a number"
    return f'{text} without quotes is {reads}: write "{text}"' if reads else ""


def _quantity(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    field = rejected.finding.field
    value = rejected.at(field)
    if not isinstance(value, str):
        return None
    if not value.strip():
        text = (
            "the quantity is empty, as in a template without its value: set it, or delete the field"
        )
        return text, None
    answers = suggest_quantities(value)
    if not answers:
        meant = _with_digits(value)
        if meant:
            edit = Edit("set", field, meant)
            hint = f"did you mean {meant}, with digits in place of letters?"
            return hint, Fix(f"Set {meant}", edit, safe=False)
        return (QUANTITIES, None) if template_placeholder(value) is None else None
    if len(answers) == 1:
        return "", Fix(f"Set {answers[0]}", Edit("set", field, answers[0]), safe=True)
    return f"write {answers[0]} (powers of 1000) or {answers[1]} (powers of 1024)", None


def _with_digits(text: str) -> str:
    """Return the quantity that is meant by a text with letters that look like digits; empty for other text.

    >>> _with_digits("1OOm"), _with_digits("l0Gi"), _with_digits("Oil")
    ('100m', '10Gi', '')
    """
    found = _DIGIT_LETTERS.match(text)
    if found is None or not any(map(str.isdigit, found[1])):
        return ""
    return found[1].translate(_DIGITS) + (found[2] or "")


def _schedule(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    schedule = rejected.at("spec.schedule")
    if not isinstance(schedule, str):
        return None
    word = schedule.strip().lower()
    if word and " " not in word:
        meant = near(word, [*DESCRIPTORS, *(name[1:] for name in DESCRIPTORS)])
        if meant is not None:
            descriptor = f"@{meant.name.removeprefix('@')}"
            title = f'Set schedule: "{descriptor}"'
            return "", Fix(title, Edit("set", "spec.schedule", descriptor), safe=meant.sure)
    from jobsworth.evaluation.fixes.cron_dialects import recognized

    dialect = recognized(schedule)
    if dialect is not None:
        if not dialect.schedule:
            return dialect.hint, None
        edit = Edit("set", "spec.schedule", dialect.schedule)
        return dialect.hint, Fix(f'Set schedule: "{dialect.schedule}"', edit, safe=dialect.sure)
    if len(schedule.split()) == len(RANGES):
        return _range_hint(schedule), None
    return (
        "a schedule has five fields: minute, hour, day of month, month, day of week; "
        "such as 30 2 * * * for 02:30 each day",
        None,
    )


def _range_hint(schedule: str) -> str:
    """Return the values of the first field of a schedule that is wrong by itself; empty if each is right."""
    for index, field in enumerate(schedule.split()):
        alone = " ".join(field if at == index else "*" for at in range(len(RANGES)))
        try:
            parse(alone)
        except BadSchedule:
            return f"in field {index + 1}, {RANGES[index]}; also *, and lists, ranges and steps"
    return ""


def _success_code(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    if rejected.finding.fix is not None or rejected.at(rejected.finding.field) != 0:
        return None
    text = "a container that exits with 0 has not failed: name the exit codes of failures"
    return text, None


def _time_zone(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    from jobsworth.api.formats import time_zones
    from jobsworth.evaluation.fixes.zone_suggestions import suggest_zone

    written = rejected.at(rejected.finding.field)
    if not isinstance(written, str):
        return None
    meant = suggest_zone(written, sorted(time_zones.known()))
    if meant is not None:
        return meant.hint, None
    if rejected.finding.fix is not None:
        return None
    return "use a name of the tz database, such as Europe/Berlin or Etc/UTC", None


def _known_names(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    names = rejected.finding.supported
    if not names:
        return None
    some = ", ".join(names[:MAX_NAMES]) + (", …" if len(names) > MAX_NAMES else "")
    return f"write one of {some}", None


def _never_ends(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    if rejected.at(rejected.finding.field) != "Always":
        return None
    return "Always is for Pods that never finish; a Job's Pods must end", None


def _no_completions(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    return "set completions to the number of indexes", None


def _label_value(rejected: RejectedObject) -> tuple[str, Fix | None] | None:
    label = rejected.finding.entry[1:-1]
    if label not in GENERATED_LABELS or rejected.finding.field != "spec.template.labels":
        return None
    text = f"the API server sets the label {label} to the name of the Job: correct metadata.name"
    return text, None


HINTS: dict[str, Callable[[RejectedObject], tuple[str, Fix | None] | None]] = {
    VOLUME_EXISTS: _missing_volume,
    CONTAINER_EXISTS: _missing_container,
    "image.required": _missing_image,
    LABEL_VALUE: _label_value,
    QUANTITY: _quantity,
    "PodFailurePolicyOnExitCodesRequirement.exit_codes_are_a_sorted_set": _success_code,
    "type": _duration,
    WEBHOOK: _known_names,
    "CronJobSpec.schedule": _schedule,
    "CronJobSpec.time_zone": _time_zone,
    "JobSpec.pods_of_a_job_end": _never_ends,
    "JobSpec.indexes_need_completions": _no_completions,
}
"""Functions that return a hint, a fix, or both, by the key of the rule that reports the error."""


TEMPLATES = ("spec.template", "spec.template.spec")
"""The paths of the immutable part of a Job's Pod template."""
MAX_CHANGES = 3
MAX_VALUE_LENGTH = 40


def with_changes(
    found: Sequence[Finding], value: dict[str, Any], old: dict[str, Any] | None, engine: Engine
) -> list[Finding]:
    """Return the findings with hints on what differs in an immutable field.

    Args:
        found: the API server's findings.
        value: the object.
        old: the object that it updates; None for a create.
        engine: the engine of the API server.
    """
    if old is None or not any(finding.rule == IMMUTABLE for finding in found):
        return list(found)
    new, stored = engine.default(value), engine.default(old)

    def hint(finding: Finding) -> str:
        if value["kind"] == "Job" and finding.field in TEMPLATES:
            return immutable_hint(*engine.compared_template(value, old))
        return immutable_hint(_at(new, finding.field), _at(stored, finding.field))

    return [
        each.with_hint(hint(each)) if each.rule == IMMUTABLE and not each.hint else each
        for each in found
    ]


def _at(value: Any, field: str) -> Any:
    for step in field.split("."):
        value = value.get(step) if isinstance(value, dict) else None
    return value


def immutable_hint(new: Any, old: Any) -> str:
    """Return the hint for an immutable field, which names what differs.

    Args:
        new: the value of the field, with the API server's defaults.
        old: the stored value, with the same defaults, and with what may change from the new one.
    """
    changes = list(_changes(old, new, ""))
    shown = "; ".join(changes[:MAX_CHANGES])
    if len(changes) > MAX_CHANGES:
        shown += f"; and {len(changes) - MAX_CHANGES} more"
    advice = "delete the Job and create it again (kubectl replace --force), or give it another name"
    return f"changed: {shown}; {advice}" if shown else advice


def _changes(old: Any, new: Any, path: str) -> list[str]:
    old, new = _written(old), _written(new)
    if old == new:
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        names = dict.fromkeys([*old, *new])
        return [
            change
            for name in names
            for change in _changes(
                old.get(name), new.get(name), f"{path}[{name}]" if "/" in name else f"{path}.{name}"
            )
        ]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [
            change
            for index, (was, now) in enumerate(zip(old, new, strict=True))
            for change in _changes(was, now, f"{path}[{index}]")
        ]
    name = path.removeprefix(".")
    change = f"{_summary_of(old)} -> {_summary_of(new)}"
    return [f"{name} {change}" if name else change]


def _written(value: Any) -> Any:
    """Return a value without the labels that the API server generates; None if nothing else is in it."""
    if not isinstance(value, dict) or value.keys().isdisjoint(GENERATED_LABELS):
        return value
    return {name: part for name, part in value.items() if name not in GENERATED_LABELS} or None


def _summary_of(value: Any) -> str:
    if isinstance(value, dict):
        return "{…}" if value else "{}"
    if isinstance(value, list):
        return f"[{count(len(value), 'item')}]" if value else "[]"
    return shortened(value_text(value, "(unset)"), MAX_VALUE_LENGTH)


def suggest_quantities(text: str) -> list[str]:
    """Return the quantities that a text with the unit of another notation may mean; empty for other text.

    >>> suggest_quantities("1GB"), suggest_quantities("64 mib"), suggest_quantities("lots")
    (['1G', '1Gi'], ['64Mi'], [])
    """
    text = text.strip().replace(" ", "")
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    digits = number.replace(".", "", 1)
    if not (digits.isascii() and digits.isdigit()):
        return []
    return [f"{number}{suffix}" for suffix in _SUFFIXES.get(text[len(number) :].lower(), ())]
