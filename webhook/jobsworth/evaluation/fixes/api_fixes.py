"""Fixes for errors of the API server, where one answer is right or likely.

A rejected manifest does not run, so a fix cannot break anything that works. A fix is *safe* if the
intention is certain: exit codes are a set, ``podReplacementPolicy`` has one allowed value with a failure
policy, ``never`` is ``Never``. It is *unsafe* if a user could have meant another value: a missing limit
requires a number, and any number is a decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import GENERATED_LABELS
from jobsworth.api.batch.pod_failure_policy import FAIL_INDEX_NEEDS_LIMIT
from jobsworth.api.declare import Boolean, Int32, Int64, ListOf, Scalar, String, Struct
from jobsworth.evaluation.fixes.api_hints import MAX_SHOWN, hinted
from jobsworth.evaluation.fixes.misplaced_fields import declared, declared_type, fix_unknown_field
from jobsworth.evaluation.fixes.odd_characters import plain_fix
from jobsworth.evaluation.fixes.rejected_object import RejectedObject, Written
from jobsworth.findings.edits import locate
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, FileMode, Fix
from jobsworth.findings.near_names import fold, near
from jobsworth.validation.engine import kind_of

Fixer = Callable[[RejectedObject], Fix | None]

_INT64_DIGITS = 19
FILE_MODES = (".defaultMode", ".mode")
BOOLEANS = {
    "true": True, "yes": True, "on": True, "y": True, "false": False, "no": False, "off": False, "n": False,
}  # fmt: skip
JOB_RESTART_POLICIES = ("Never", "OnFailure")


def with_fixes(
    findings: Iterable[Finding],
    value: Any,
    server: ApiServer,
    written: Written,
    kind: Struct | None = None,
) -> list[Finding]:
    """Return the findings of the API server, with a fix where one is known.

    Args:
        findings: the findings for the object.
        value: the object.
        server: whose findings they are.
        written: returns the text of a scalar by its field path, without quotes: ``yes`` where the object
            has true. None if there is no such text.
        kind: the declared type of the object; None for a Job or CronJob of ``batch/v1``.
    """
    declared_kind = kind or kind_of(value)
    return [
        _with_fix(RejectedObject(each, value, server, written, declared_kind)) for each in findings
    ]


def _with_fix(rejected: RejectedObject) -> Finding:
    finding = rejected.finding
    if finding.severity != "error" or finding.source != "api" or finding.fix is not None:
        return finding
    by_reason = FIXERS_BY_REASON.get(finding.reason, ())
    for fixer in (plain_fix, *FIXERS.get(finding.rule, ()), *by_reason):
        fix = fixer(rejected)
        if fix is not None:
            rejected = rejected.replace(finding=finding.with_fix(fix))
            break
    return hinted(rejected)


def _unknown_field(rejected: RejectedObject) -> Fix | None:
    return fix_unknown_field(rejected.kind, rejected.finding.field, rejected.value, rejected.server)


def _wrong_type(rejected: RejectedObject) -> Fix | None:
    field = rejected.finding.field
    value, wanted = rejected.at(field), declared_type(rejected)
    if wanted is String and isinstance(value, bool | int | float):
        text = rejected.written(field)
        if text is None:
            return None
        shown = f': "{text}"' if len(text) <= MAX_SHOWN else ""
        return Fix(f"Quote the value{shown}", Edit("set", field, text), safe=True)
    if wanted in (Int32, Int64) and isinstance(value, str | float):
        number = _whole_number(value)
        if number is not None:
            title = "Remove the quotes" if isinstance(value, str) else "Remove the fraction"
            return Fix(title, Edit("set", field, number), safe=True)
        mode = _file_mode(value) if field.endswith(FILE_MODES) else None
        if mode is not None:
            return Fix(f"Remove the quotes: {mode}", Edit("set", field, mode), safe=True)
    if wanted is Boolean:
        meant = _boolean(value)
        if meant is not None:
            title = (
                "Remove the quotes" if str(meant).lower() == str(value).lower() else _set_to(meant)
            )
            return Fix(title, Edit("set", field, meant), safe=isinstance(value, str))
    if isinstance(wanted, ListOf) and isinstance(wanted.item, Scalar):
        wrapped = _as_list(field, value, wanted.item)
        if wrapped is not None:
            return wrapped
    from jobsworth.evaluation.fixes.shapes import fix_shape  # few objects have another shape

    return fix_shape(rejected, wanted)


def _boolean(value: Any) -> bool | None:
    """Return the boolean that a text means in YAML 1.1, or that 0 or 1 means; None for other values."""
    if isinstance(value, str):
        return BOOLEANS.get(value.strip().lower())
    return bool(value) if type(value) is int and value in (0, 1) else None


def _set_title(field: str, value: str) -> str:
    """Return the title of a fix that sets a field; an item of a list is named by its value alone."""
    name = field.rpartition(".")[2]
    value = f'"{value}"' if value.lower() in BOOLEANS else value
    return f"Set {value}" if name.endswith("]") else f"Set {name}: {value}"


def _set_to(value: bool) -> str:
    return f"Set {str(value).lower()}"


def _file_mode(value: Any) -> FileMode | None:
    """Return the mode that octal digits mean, such as ``"0400"`` or 755; None for other values."""
    digits = str(value)
    if not digits.isdecimal() or not digits.isascii() or len(digits.lstrip("0")) > len("777"):
        return None
    return None if set(digits) - set("01234567") else FileMode(int(digits, 8))


def _octal(rejected: RejectedObject) -> Fix | None:
    """Write the digits of a file mode as an octal number, with a leading zero."""
    field = rejected.finding.field
    mode = _file_mode(rejected.at(field))
    return None if mode is None else Fix(f"Set {mode}", Edit("set", field, mode), safe=True)


def _whole_number(value: str | float) -> int | None:
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    digits = value.removeprefix("-")
    if len(digits) > _INT64_DIGITS:
        return None  # no integer field takes it, and Python rejects more than 4,300 digits
    if not (digits.isdecimal() and digits.isascii()) or (digits[0] == "0" and digits != "0"):
        return None
    return int(value)


def _as_list(field: str, value: Any, item: Scalar) -> Fix | None:
    """Wrap a single value in a list; a string with blanks or commas may be several values."""
    if item is String:
        fits = isinstance(value, str) and value != "" and not set(value) & set(" \t\n,")
    else:
        fits = isinstance(value, int) and not isinstance(value, bool)
    return Fix("Wrap the value in a list", Edit("set", field, [value]), safe=True) if fits else None


def _exit_codes(rejected: RejectedObject) -> Fix | None:
    """Sort and deduplicate exit codes; remove 0, which is never examined (KEP-3329)."""
    field = rejected.finding.field
    path = field[: field.rindex("values") + len("values")]
    codes = rejected.at(path)
    if not isinstance(codes, list) or not all(type(code) is int for code in codes):
        return None
    operator = rejected.within(path.removesuffix(".values")).get("operator")
    wanted = sorted({code for code in codes if code != 0 or operator != "In"})
    if not wanted or wanted == codes:
        return None
    what = []
    if 0 in codes and operator == "In":
        what.append("remove 0, which no failed container exits with")
    if len(set(codes)) < len(codes):
        what.append("remove duplicate exit codes")
    if codes != sorted(codes):
        what.append("sort the exit codes")
    title = ", ".join(what)
    return Fix(title[0].upper() + title[1:], Edit("set", path, wanted), safe=True)


def _replacement(rejected: RejectedObject) -> Fix | None:
    if "podFailurePolicy" not in rejected.within(rejected.job):
        return _enumeration(rejected)
    return Fix(
        "Set podReplacementPolicy: Failed, which a failure policy requires",
        Edit("set", rejected.finding.field, "Failed"),
        safe=True,
    )


def _restart_policy(rejected: RejectedObject) -> Fix | None:
    """Set a restartPolicy that a Job allows: OnFailure or Never; with a failure policy, Never."""
    field = rejected.finding.field
    pod_path = f"{rejected.job}.template.spec"
    written = rejected.within(pod_path).get("restartPolicy")
    failing = rejected.within(rejected.job).get("podFailurePolicy") is not None
    if written in (None, ""):
        moved = _from_containers(
            rejected, pod_path, ("Never",) if failing else JOB_RESTART_POLICIES
        )
        if moved is not None:
            return moved
    if failing:
        title = "Set restartPolicy: Never, which a failure policy requires"
        return Fix(title, Edit("set", field, "Never"), safe=True)
    meant = near(written, JOB_RESTART_POLICIES) if isinstance(written, str) else None
    if meant is not None:
        return Fix(_set_title(field, meant.name), Edit("set", field, meant.name), safe=meant.sure)
    policy, other = ("OnFailure", "Never") if written == "Always" else ("Never", "OnFailure")
    title = f"Set restartPolicy: {policy} (the alternative is {other})"
    return Fix(title, Edit("set", field, policy), safe=False)


def _from_containers(
    rejected: RejectedObject, pod_path: str, allowed: tuple[str, ...]
) -> Fix | None:
    """Move the restartPolicy of the containers to the Pod, if all of them have the same."""
    containers = rejected.at(f"{pod_path}.containers")
    if not isinstance(containers, list) or not containers:
        return None
    dicts = [each for each in containers if isinstance(each, dict)]
    policies = {str(container.get("restartPolicy")) for container in dicts}
    if len(policies) != 1 or not policies <= set(allowed) or len(dicts) < len(containers):
        return None
    if any("restartPolicyRules" in container for container in dicts):
        return None
    first, *others = (
        f"{pod_path}.containers[{index}].restartPolicy" for index in range(len(dicts))
    )
    return Fix(
        "Move restartPolicy from the container to the Pod",
        Edit("move", first, f"{pod_path}.restartPolicy"),
        *(Edit("delete", other) for other in others),
        safe=True,
    )


def _indexed(rejected: RejectedObject) -> Fix | None:
    """Set completionMode: Indexed for limits per index and success policies (KEP-3850, KEP-3998)."""
    spec = rejected.within(rejected.job)
    if spec.get("completions") is None and spec.get("parallelism") is not None:
        return None
    mode = Edit("set", f"{rejected.job}.completionMode", "Indexed")
    return Fix("Set completionMode: Indexed", mode, safe=spec.get("completionMode") is None)


def _limit_per_index(rejected: RejectedObject) -> Fix | None:
    """Set backoffLimitPerIndex, which other fields require; the user has to choose the number."""
    edits = [Edit("set", f"{rejected.job}.backoffLimitPerIndex", 1)]
    title = "Set backoffLimitPerIndex: 1 (choose the number)"
    if rejected.within(rejected.job).get("completionMode") != "Indexed":
        edits.append(Edit("set", f"{rejected.job}.completionMode", "Indexed"))
        title = "Set completionMode: Indexed and backoffLimitPerIndex: 1 (choose the number)"
    return Fix(title, *edits, safe=False)


def _condition_status(rejected: RejectedObject) -> Fix | None:
    if rejected.finding.reason != "FieldValueRequired":
        return None
    edit = Edit("set", rejected.finding.field, "True")
    return Fix('Set status: "True"', edit, safe=True)


def _schedule(rejected: RejectedObject) -> Fix | None:
    from jobsworth.api.formats import time_zones
    from jobsworth.evaluation.fixes.schedule_fixes import fixed_schedule

    schedule = rejected.at("spec.schedule")
    found = fixed_schedule(schedule) if isinstance(schedule, str) else None
    if found is None:
        return None
    edits = [Edit("set", "spec.schedule", found.schedule)]
    if found.time_zone is not None:
        there = rejected.at("spec.timeZone")
        if time_zones.validate(found.time_zone) or there not in (None, found.time_zone):
            return None
        if there is None:
            edits.append(Edit("set", "spec.timeZone", found.time_zone))
    title = f"Set schedule: {found.schedule}"
    if found.time_zone is not None:
        title += f", timeZone: {found.time_zone}"
    return Fix(title, *edits, safe=found.sure)


def _time_zone(rejected: RejectedObject) -> Fix | None:
    from jobsworth.api.formats import time_zones
    from jobsworth.evaluation.fixes.zone_suggestions import suggest_zone

    written = rejected.at(rejected.finding.field)
    if not isinstance(written, str):
        return None
    known = sorted(time_zones.known())
    meant = suggest_zone(written, known)
    if meant is not None:
        name, sure = meant.zone, meant.sure
    else:
        # US/New_York: the city is right, the region is not.
        city = written.rpartition("/")[2].lower()
        cities = [zone for zone in known if zone.rpartition("/")[2].lower() == city]
        if len(cities) != 1:
            return None
        name, sure = cities[0], False
    return Fix(f"Set timeZone: {name}", Edit("set", rejected.finding.field, name), safe=sure)


def _selector(rejected: RejectedObject) -> Fix | None:
    """Delete a written selector, which came from another Job or kind: the API server generates it."""
    field = rejected.finding.field
    if field not in (f"{rejected.job}.selector", f"{rejected.job}.manualSelector"):
        return None
    if rejected.at(field) is None:
        return None
    if rejected.job == "spec":
        labels = rejected.within(f"{field}.matchLabels")
        generated = bool(labels) and set(labels) <= set(GENERATED_LABELS)
        return Fix(
            "Delete the selector: the API server generates it",
            Edit("delete", field),
            safe=generated,
        )
    return Fix(
        f"Delete {field.rpartition('.')[2]}: the API server generates the selector",
        Edit("delete", field),
        safe=True,
    )


def _generated_label(rejected: RejectedObject) -> Fix | None:
    field = rejected.finding.field
    label = field.partition("labels[")[2].removesuffix("]")
    if label not in GENERATED_LABELS or rejected.at(field) is None:
        return None
    return Fix("Delete the label: the API server generates it", Edit("delete", field), safe=True)


def _name(rejected: RejectedObject) -> Fix | None:
    from jobsworth.evaluation.fixes.names import fixed_name

    return fixed_name(rejected)


def _enumeration(rejected: RejectedObject) -> Fix | None:
    """Replace a misspelled value by the supported one that it resembles."""
    field = rejected.finding.field
    written = rejected.at(field)
    place = locate(rejected.value, field)
    found = declared(rejected.kind, place.steps).field
    if not isinstance(written, str) or place.missing or found is None:
        return None
    supported = rejected.finding.supported
    names = [name for name in (*found.enum, *found.values) if name in supported]
    # The server lists an operator of tolerations that it rejects while its gate is off.
    meant = None if written in names else near(written, names)
    if meant is None:
        return None
    edits, title = [Edit("set", field, meant.name)], _set_title(field, meant.name)
    if field.endswith("onExitCodes.operator") and meant.name == "In":
        # Operator In does not allow 0.
        codes = rejected.at(field.removesuffix("operator") + "values")
        if isinstance(codes, list) and 0 in codes and any(codes):
            others = [code for code in codes if code != 0]
            edits.append(Edit("set", field.removesuffix("operator") + "values", others))
            title += ", and remove 0"
    return Fix(title, *edits, safe=meant.sure)


def _known_value(rejected: RejectedObject) -> Fix | None:
    """Replace a value that JobSet's webhook does not know, such as the name of a ReplicatedJob."""
    field, supported = rejected.finding.place, rejected.finding.supported
    written = rejected.at(field)
    meant = near(written, supported) if isinstance(written, str) else None
    if meant is None:
        return None
    sure = fold(meant.name) == fold(written)
    return Fix(_set_title(field, meant.name), Edit("set", field, meant.name), safe=sure)


FIXERS: dict[str, tuple[Fixer, ...]] = {
    FAIL_INDEX_NEEDS_LIMIT: (_limit_per_index,),
    "CronJob.metadata": (_name,),
    "CronJobSpec.schedule": (_schedule,),
    "CronJobSpec.time_zone": (_time_zone,),
    "Job.generated_selector": (_selector, _generated_label),
    "Job.hostnames_of_indexes": (_name,),
    "Job.metadata": (_name,),
    "JobSpec.failed_pods_are_replaced_with_a_failure_policy": (_replacement,),
    "JobSpec.limits_per_index_need_indexes": (_indexed,),
    "JobSpec.max_failed_indexes_need_limit": (_limit_per_index,),
    "JobSpec.pods_of_a_job_end": (_restart_policy,),
    "JobSpec.success_policy_needs_indexes": (_indexed,),
    "JobTemplateSpec.no_selector": (_selector,),
    "PodFailurePolicyOnExitCodesRequirement.exit_codes_are_a_sorted_set": (_exit_codes,),
    "PodFailurePolicyOnPodConditionsPattern.status_is_known": (_condition_status,),
    "defaultMode.bounds": (_octal,),
    "mode.bounds": (_octal,),
}
"""Functions that fix an error, by the key of the rule that reports it."""

FIXERS_BY_REASON: dict[str, tuple[Fixer, ...]] = {
    "UnknownField": (_unknown_field,),
    "FieldValueTypeInvalid": (_wrong_type,),
    "FieldValueNotSupported": (_enumeration,),
    "InternalError": (_known_value,),
}
"""Functions that fix an error of any rule, by the server's reason: they need only the declaration."""
