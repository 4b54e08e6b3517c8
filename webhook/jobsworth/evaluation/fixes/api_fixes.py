"""Fixes of what the API server refuses, where one answer is right, or at least near.

Nothing runs of a manifest that was refused, so a fix cannot break anything that works. It is *safe*
where it can be said what was meant: exit codes are a set, ``podReplacementPolicy`` has one value
beside a failure policy, ``never`` is ``Never``. It is *unsafe* where somebody else could have meant
something else: a limit that is missing needs a number, and any number is a decision.
"""

from __future__ import annotations

from jobsworth.api.batch.job import GENERATED_LABELS
from jobsworth.api.declare import Boolean, Int32, Int64, ListOf, Scalar, String
from jobsworth.evaluation.fixes.misplaced_fields import declared, mend_unknown_field
from jobsworth.findings.edits import at, locate
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import near
from jobsworth.record import Record
from jobsworth.validation.engine import kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from jobsworth.api.server import ApiServer

    Written = Callable[[str], str | None]
    Mend = Callable[["Refused"], Fix | None]

JOB_RESTART_POLICIES = ("Never", "OnFailure")


class Refused(Record):
    """A finding of the API server, and the object that it refuses.

    Attributes:
        finding: what the server says.
        value: the object, as it was written.
        server: the server that says so.
        written: gives the text of a scalar by its field, without quotes; None where it has none.
    """

    finding: Finding
    value: dict[str, Any]
    server: ApiServer
    written: Written

    @property
    def job(self) -> str:
        """The path of the JobSpec."""
        return "spec.jobTemplate.spec" if self.value["kind"] == "CronJob" else "spec"

    def at(self, path: str) -> Any:
        """What was written at a path; None where nothing was."""
        place = locate(self.value, path)
        return None if place.missing else at(self.value, place.steps)

    def within(self, path: str) -> dict[str, Any]:
        """The object that was written at a path; empty where none was."""
        found = self.at(path)
        return found if isinstance(found, dict) else {}

    def says(self, *phrases: str) -> bool:
        """Whether the server's message has one of some phrases."""
        return any(phrase in self.finding.message for phrase in phrases)


def with_fixes(
    findings: Iterable[Finding], value: Any, server: ApiServer, written: Written
) -> list[Finding]:
    """The findings of the API server, those with a fix for which there is one.

    Args:
        findings: what the server says of the object.
        value: the object, a Job or CronJob of ``batch/v1``.
        server: whose findings they are.
        written: gives the text of a scalar by its field, without quotes: ``yes`` where the object
            has true. None where there is no such text.
    """
    return [_with_fix(finding, value, server, written) for finding in findings]


def _with_fix(
    finding: Finding, value: dict[str, Any], server: ApiServer, written: Written
) -> Finding:
    if finding.severity != "error" or finding.source != "api" or finding.fix is not None:
        return finding
    refused = Refused(finding, value, server, written)
    for ending, mend in _MENDS.get(finding.reason, ()):
        if _ends_with(finding.field, ending):
            fix = mend(refused)
            if fix is not None:
                return finding.with_fix(fix)
    return finding


def _ends_with(field: str, ending: str) -> bool:
    """Whether a path, without the position in a list at its end, ends with some steps."""
    bare = field.rpartition("[")[0] if field.endswith("]") else field
    return not ending or bare == ending or bare.endswith(f".{ending}")


def _unknown_field(refused: Refused) -> Fix | None:
    return mend_unknown_field(
        kind_of(refused.value), refused.finding.field, refused.value, refused.server
    )


def _wrong_type(refused: Refused) -> Fix | None:
    field = refused.finding.field
    value, wanted = refused.at(field), declared_type(refused)
    if wanted is String and isinstance(value, bool | int | float):
        text = refused.written(field)
        return (
            None if text is None else Fix("put it in quotes", Edit("set", field, text), safe=True)
        )
    if wanted in (Int32, Int64) and isinstance(value, str | float):
        number = _whole_number(value)
        if number is not None:
            title = "remove the quotes" if isinstance(value, str) else "write it without a fraction"
            return Fix(title, Edit("set", field, number), safe=True)
    if wanted is Boolean and isinstance(value, str) and value.lower() in ("true", "false"):
        return Fix("remove the quotes", Edit("set", field, value.lower() == "true"), safe=True)
    if isinstance(wanted, ListOf) and isinstance(wanted.item, Scalar):
        return _as_list(field, value, wanted.item)
    return None


def declared_type(refused: Refused) -> Any:
    """The declared type of the field that is refused."""
    place = locate(refused.value, refused.finding.field)
    return declared(kind_of(refused.value), (*place.steps, *place.missing)).type


def _whole_number(value: str | float) -> int | None:
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    digits = value.removeprefix("-")
    if not (digits.isdecimal() and digits.isascii()) or (digits[0] == "0" and digits != "0"):
        return None
    return int(value)


def _as_list(field: str, value: Any, item: Scalar) -> Fix | None:
    """One value where a list is wanted; a text with blanks might be several."""
    if item is String:
        fits = isinstance(value, str) and value != "" and not set(value) & set(" \t\n,")
    else:
        fits = isinstance(value, int) and not isinstance(value, bool)
    return Fix("make a list of it", Edit("set", field, [value]), safe=True) if fits else None


def _exit_codes(refused: Refused) -> Fix | None:
    """Exit codes are a set, written in order; 0 is never examined (KEP-3329)."""
    field = refused.finding.field
    path = field[: field.rindex("values") + len("values")]
    codes = refused.at(path)
    if not isinstance(codes, list) or not all(type(code) is int for code in codes):
        return None
    operator = refused.within(path.removesuffix(".values")).get("operator")
    wanted = sorted({code for code in codes if code != 0 or operator != "In"})
    if not wanted or wanted == codes:
        return None
    what = []
    if 0 in codes and operator == "In":
        what.append("leave out 0, which no failed container ends with")
    if len(set(codes)) < len(codes):
        what.append("name each exit code once")
    if codes != sorted(codes):
        what.append("sort the exit codes")
    return Fix(", ".join(what), Edit("set", path, wanted), safe=True)


def _replacement(refused: Refused) -> Fix | None:
    if "podFailurePolicy" not in refused.within(refused.job):
        return _enumeration(refused)
    return Fix(
        "set podReplacementPolicy: Failed, which a failure policy needs",
        Edit("set", refused.finding.field, "Failed"),
        safe=True,
    )


def _restart_policy(refused: Refused) -> Fix | None:
    """A Pod of a Job restarts its containers on failure or never; with a failure policy, never."""
    field = refused.finding.field
    pod_path = f"{refused.job}.template.spec"
    if field != f"{pod_path}.restartPolicy":
        return _enumeration(refused)
    written = refused.within(pod_path).get("restartPolicy")
    failing = refused.within(refused.job).get("podFailurePolicy") is not None
    if written in (None, ""):
        moved = _from_containers(refused, pod_path, ("Never",) if failing else JOB_RESTART_POLICIES)
        if moved is not None:
            return moved
    if failing:
        title = "set restartPolicy: Never, which a failure policy needs"
        return Fix(title, Edit("set", field, "Never"), safe=True)
    meant = near(written, JOB_RESTART_POLICIES) if isinstance(written, str) else None
    if meant is not None:
        return Fix(f"write {meant.name}", Edit("set", field, meant.name), safe=meant.sure)
    policy, other = ("OnFailure", "Never") if written == "Always" else ("Never", "OnFailure")
    title = f"set restartPolicy: {policy} (the other choice is {other})"
    return Fix(title, Edit("set", field, policy), safe=False)


def _from_containers(refused: Refused, pod_path: str, allowed: tuple[str, ...]) -> Fix | None:
    """The restartPolicy that was written into the containers, where it is the same in all."""
    containers = refused.at(f"{pod_path}.containers")
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
        "move restartPolicy from the container to the Pod",
        Edit("move", first, f"{pod_path}.restartPolicy"),
        *(Edit("delete", other) for other in others),
        safe=True,
    )


def _indexed(refused: Refused) -> Fix | None:
    """Limits per index and success policies are about indexes (KEP-3850, KEP-3998)."""
    spec = refused.within(refused.job)
    if not refused.says("requires indexed completion mode"):
        return None
    if spec.get("completions") is None and spec.get("parallelism") is not None:
        return None
    mode = Edit("set", f"{refused.job}.completionMode", "Indexed")
    return Fix("set completionMode: Indexed", mode, safe=spec.get("completionMode") is None)


def _limit_per_index(refused: Refused) -> Fix | None:
    """A limit that others build on; which number it is, is to be decided."""
    if not refused.says("requires the backoffLimitPerIndex", "when maxFailedIndexes is specified"):
        return None
    edits = [Edit("set", f"{refused.job}.backoffLimitPerIndex", 1)]
    title = "set backoffLimitPerIndex: 1 (choose the number)"
    if refused.within(refused.job).get("completionMode") != "Indexed":
        edits.append(Edit("set", f"{refused.job}.completionMode", "Indexed"))
        title = "set completionMode: Indexed and backoffLimitPerIndex: 1 (choose the number)"
    return Fix(title, *edits, safe=False)


def _condition_status(refused: Refused) -> Fix | None:
    if not refused.says('"Unknown"'):
        return None
    edit = Edit("set", refused.finding.field, "True")
    return Fix('set status: "True", the default elsewhere', edit, safe=True)


def _schedule(refused: Refused) -> Fix | None:
    from jobsworth.api.formats import time_zones
    from jobsworth.evaluation.fixes.schedule_fixes import mended

    schedule = refused.at("spec.schedule")
    found = mended(schedule) if isinstance(schedule, str) else None
    if found is None:
        return None
    edits = [Edit("set", "spec.schedule", found.schedule)]
    if found.time_zone is not None:
        there = refused.at("spec.timeZone")
        if time_zones.validate(found.time_zone) or there not in (None, found.time_zone):
            return None
        if there is None:
            edits.append(Edit("set", "spec.timeZone", found.time_zone))
    title = f"write {found.schedule}"
    if found.time_zone is not None:
        title += f", and timeZone: {found.time_zone}"
    return Fix(title, *edits, safe=found.sure)


def _time_zone(refused: Refused) -> Fix | None:
    from jobsworth.api.formats import time_zones

    written = refused.at(refused.finding.field)
    if not isinstance(written, str) or len(written) < 3:
        return None
    known = sorted(time_zones.known())
    meant = near(written, known)
    if meant is not None:
        name, sure = meant.name, meant.sure
    else:
        # US/New_York: the city is right.
        city = written.rpartition("/")[2].lower()
        cities = [zone for zone in known if zone.rpartition("/")[2].lower() == city]
        if len(cities) != 1:
            return None
        name, sure = cities[0], False
    return Fix(f"write {name}", Edit("set", refused.finding.field, name), safe=sure)


def _selector(refused: Refused) -> Fix | None:
    """A selector is generated; one that was written came from another Job, or another kind."""
    field = refused.finding.field
    if field not in (f"{refused.job}.selector", f"{refused.job}.manualSelector"):
        return None
    if refused.at(field) is None:
        return None
    if refused.job == "spec":
        if not refused.says("not auto-generated"):
            return None
        labels = refused.within(f"{field}.matchLabels")
        generated = bool(labels) and set(labels) <= set(GENERATED_LABELS)
        return Fix("delete the selector: it is generated", Edit("delete", field), safe=generated)
    return Fix("delete it: the selector is generated", Edit("delete", field), safe=True)


def _generated_label(refused: Refused) -> Fix | None:
    field = refused.finding.field
    label = field.partition("labels[")[2].removesuffix("]")
    if label not in GENERATED_LABELS or refused.at(field) is None:
        return None
    return Fix("delete the label: it is generated", Edit("delete", field), safe=True)


def _name(refused: Refused) -> Fix | None:
    from jobsworth.api.formats.names import dns_label

    name = refused.at("metadata.name")
    if refused.finding.field != "metadata.name" or not isinstance(name, str):
        return None
    wanted = "-".join(name.lower().replace("_", "-").replace(".", "-").split())
    if wanted == name or dns_label(wanted):
        return None
    return Fix(f"name it {wanted}", Edit("set", "metadata.name", wanted), safe=False)


def _enumeration(refused: Refused) -> Fix | None:
    """A value that is nearly one of those that are supported."""
    field = refused.finding.field
    written = refused.at(field)
    place = locate(refused.value, field)
    found = declared(kind_of(refused.value), place.steps).field
    if not isinstance(written, str) or place.missing or found is None:
        return None
    names = [
        name for name in (*found.enum, *found.values) if f'"{name}"' in refused.finding.message
    ]
    meant = near(written, names)
    if meant is None:
        return None
    edits, title = [Edit("set", field, meant.name)], f"write {meant.name}"
    if field.endswith("onExitCodes.operator") and meant.name == "In":
        # What was any operator's is not In's.
        codes = refused.at(field.removesuffix("operator") + "values")
        if isinstance(codes, list) and 0 in codes and any(codes):
            others = [code for code in codes if code != 0]
            edits.append(Edit("set", field.removesuffix("operator") + "values", others))
            title += ", and leave out 0"
    return Fix(title, *edits, safe=meant.sure)


_MENDS: dict[str, tuple[tuple[str, Mend], ...]] = {
    "UnknownField": (("", _unknown_field),),
    "FieldValueTypeInvalid": (("", _wrong_type),),
    "FieldValueRequired": (
        ("template.spec.restartPolicy", _restart_policy),
        ("backoffLimitPerIndex", _limit_per_index),
        ("status", _condition_status),
    ),
    "FieldValueInvalid": (
        ("onExitCodes.values", _exit_codes),
        ("template.spec.restartPolicy", _restart_policy),
        ("action", _limit_per_index),
        ("backoffLimitPerIndex", _indexed),
        ("maxFailedIndexes", _indexed),
        ("successPolicy", _indexed),
        ("spec.schedule", _schedule),
        ("spec.timeZone", _time_zone),
        ("selector", _selector),
        ("metadata.labels", _generated_label),
        ("metadata.name", _name),
    ),
    "FieldValueDuplicate": (("onExitCodes.values", _exit_codes),),
    "FieldValueNotSupported": (
        ("podReplacementPolicy", _replacement),
        ("restartPolicy", _restart_policy),
        ("manualSelector", _selector),
        ("", _enumeration),
    ),
}
"""What can be mended: by the server's reason, then by how the field's path ends."""
