"""Limits of fields, labels and annotations: minimum, maximum, allowed, denied, required, forbidden.

Limits are compiled into functions from a :class:`~jobsworth.policy.request.JobView` to violations. A
bound applies to a value that is set; ``required`` makes the value mandatory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.field_errors import FieldError
from jobsworth.api.formats import time_zones
from jobsworth.findings.near_names import did_you_mean
from jobsworth.policy.limits import failure_policy_limits, resource_limits
from jobsworth.policy.limits.pod_parts import Entry, PodLimit, PodPart, pod_limits
from jobsworth.policy.limits.value_checks import ValueCheck, checks_of, may_not_be_set, must_be_set
from jobsworth.policy.patterns import covers, is_wild
from jobsworth.policy.policy_fields import FIELDS, JobField
from jobsworth.policy.problems import Problems
from jobsworth.policy.request import JobView, Origin
from jobsworth.policy.violation import ABOVE_MAXIMUM, BELOW_MINIMUM, FORBIDDEN, REQUIRED, Violation
from jobsworth.wording import value_text
from kube_cel.formats.names import label_key

LimitCheck = Callable[[JobView], Iterable[Violation]]

METADATA = ("labels", "annotations")


@dataclass(frozen=True, slots=True)
class Where:
    """The Jobs in which the API allows a field.

    Attributes:
        words: the condition as a phrase.
        field: the field of the JobSpec that decides.
        value: its value in these Jobs; None for any.
    """

    words: str
    field: str
    value: str | None = None

    def includes(self, view: JobView) -> bool:
        """Return True if the API allows the field in a Job."""
        found = view.spec.get(self.field)
        return found is not None if self.value is None else found == self.value


SET_WHERE: dict[str, Where] = {
    "backoffLimitPerIndex": Where(" in an Indexed Job", "completionMode", "Indexed"),
    "maxFailedIndexes": Where(" beside backoffLimitPerIndex", "backoffLimitPerIndex"),
    "successPolicy": Where(" in an Indexed Job", "completionMode", "Indexed"),
}
"""Fields that the API allows in some Jobs only: in other Jobs they are not required."""

REPLACED_BY = {"backoffLimit": "backoffLimitPerIndex"}
"""Fields that another field replaces: the server then sets them to the maximum integer (KEP-3850)."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of one field, label or annotation.

    Attributes:
        value: the limit as in the document.
        checks: the checks of a value that is set.
    """

    value: Mapping[str, Any]
    checks: tuple[ValueCheck, ...]

    def violations(
        self, at: str, value: Any, completions: int | None, where: str = ""
    ) -> Iterable[Violation]:
        """Return the violations of a value.

        Args:
            at: the field path.
            value: the value; None if it is unset.
            completions: those of the Job, of which a bound may be a percentage; None if unset.
            where: the condition under which it is required, for the message.
        """
        if value is None:
            if self.value.get("required"):
                return [self._violation(REQUIRED, at, must_be_set(where))]
            return ()
        if self.value.get("forbidden"):
            return [self._violation(FORBIDDEN, at, may_not_be_set())]
        found = [one for check in self.checks if (one := check(value, completions)) is not None]
        return [self._violation(code, at, error) for code, error in found]

    def _violation(self, code: str, at: str, error: FieldError) -> Violation:
        return Violation(code, at, error.reason, error.message, hint=self.value.get("message", ""))


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a policy.

    Attributes:
        fields: the limits of fields and of parts of the Pod template, by name.
        metadata: the limits of labels and annotations, by ``labels`` or ``annotations`` and the key.
        resources: the names of the resources that are limited.
    """

    fields: Mapping[str, Limit]
    metadata: Mapping[tuple[str, str], Limit]
    _checks: tuple[LimitCheck, ...]
    resources: frozenset[str] = frozenset()

    def violations(self, view: JobView) -> Iterator[Violation]:
        """Yield the violations of an object."""
        for check in self._checks:
            yield from check(view)


def read(value: Mapping[str, Any], path: str, problems: Problems) -> Limits:
    """Compile the limits of a policy.

    Args:
        value: the limits, valid against the schema.
        path: the path of the limits in the document.
        problems: collects the errors that the schema cannot express.
    """
    fields: dict[str, Limit] = {}
    metadata: dict[tuple[str, str], Limit] = {}
    other_checks: list[LimitCheck] = []
    for name, part in value.items():
        at = f"{path}.{name}"
        if name == "pod":
            for each in pod_limits(part):
                fields[each.name] = _read_pod(each, f"{path}.{each.name}", problems)
                if each.part is not None:
                    other_checks.append(_part_check(each.part, fields[each.name]))
        elif name == "cronJob":
            for key, one in part.items():
                fields[f"{name}.{key}"] = _read_field(f"{name}.{key}", one, f"{at}.{key}", problems)
        elif name in METADATA:
            for key, one in part.items():
                metadata[name, key] = _read_limit(one, f"{at}[{key}]", problems)
                check_key(name, key, f"{at}[{key}]", problems)
        elif name == "resources":
            other_checks.append(resource_limits.read(part, at, problems))
        else:
            fields[name] = _read_field(name, part, at, problems)
            if name == "podFailurePolicy":
                other_checks.extend(failure_policy_limits.read(part, at, problems))
    restart = value.get("pod", {}).get("restartPolicy", {}).get("allowed")
    if restart == ["OnFailure"] and value.get("podFailurePolicy", {}).get("required"):
        problems.add(
            f"{path}.podFailurePolicy.required",
            "cannot be satisfied: the API server accepts a failure policy with restartPolicy Never only",
            "add Never to pod.restartPolicy.allowed",
        )
    all_checks = (
        *(_field_check(FIELDS[name], one) for name, one in fields.items() if name in FIELDS),
        *other_checks,
        *(_metadata_check(*key, limit) for key, limit in metadata.items()),
    )
    resources = frozenset(name for caps in value.get("resources", {}).values() for name in caps)
    return Limits(fields, metadata, all_checks, resources)


def _field_check(field: JobField, limit: Limit) -> LimitCheck:
    where = SET_WHERE.get(field.name)
    words = "" if where is None else where.words
    replacement = REPLACED_BY.get(field.name)

    def check(view: JobView) -> Iterable[Violation]:
        if field.scope == "cronJob" and view.cron is None:
            return ()
        value = field.value(view)
        if value is None and where is not None and not where.includes(view):
            return ()
        found = limit.violations(field.path(view), value, view.spec.get("completions"), words)
        if not found or value is None:
            return found
        origin = field.origin(view)
        if origin is Origin.WRITTEN:
            return found
        if replacement is not None and replacement in view.spec:
            return ()
        return [_about_default(violation, field.key, value, limit, origin) for violation in found]

    return check


def _about_default(
    violation: Violation, name: str, value: Any, limit: Limit, origin: Origin
) -> Violation:
    """Explain in a violation that the server set, or may have set, the value."""
    clause, advice = _allowance(name, violation.code, limit.value)
    if origin is Origin.UNKNOWN:
        hint = f"If {name} is not set, the API server sets {value_text(value)}. {advice}"
        return replace(violation, hint=f"{hint} {violation.hint}".rstrip())
    sets = f"{name} is not set, so the API server sets {value_text(value)}"
    return replace(violation, explanation=f"{sets}, {clause}. {advice}")


def _allowance(name: str, code: str, limit: Mapping[str, Any]) -> tuple[str, str]:
    """Return the limit that a default violates, as a clause, and advice, as a sentence."""
    if code == ABOVE_MAXIMUM:
        most = limit["maximum"]
        return f"more than the {most} that {{policy}} allows", _set_to(name, [most])
    if code == BELOW_MINIMUM:
        least = limit["minimum"]
        return f"less than the {least} that {{policy}} requires", _set_to(name, [least])
    return "which {policy} does not allow", _set_to(name, limit.get("allowed", ()))


def _set_to(name: str, values: Sequence[Any]) -> str:
    plain = [
        value_text(value) for value in values if not (isinstance(value, str) and is_wild(value))
    ]
    if len(plain) == 1:
        return f"Set {name}: {plain[0]}."
    return f"Set {name} to {' or '.join(plain)}." if plain else f"Set {name}."


def _metadata_check(name: str, key: str, limit: Limit) -> LimitCheck:
    at = f"metadata.{name}[{key}]"

    def check(view: JobView) -> Iterable[Violation]:
        return limit.violations(at, (view.metadata.get(name) or {}).get(key), None)

    return check


def _part_check(part: PodPart, limit: Limit) -> LimitCheck:
    def check(view: JobView) -> Iterable[Violation]:
        for at, value in part.values(view):
            yield from limit.violations(at, value, None)

    return check


def _read_pod(given: PodLimit, path: str, problems: Problems) -> Limit:
    if given.part is None:
        return _read_field(given.name, given.value, path, problems)
    if isinstance(given.part, Entry):
        check_key(given.keys[0], given.part.key, path, problems)
    return _read_limit(given.value, path, problems)


def _read_field(name: str, value: Mapping[str, Any], path: str, problems: Problems) -> Limit:
    if FIELDS[name].always_set:
        for key, effect in (("required", "has no effect"), ("forbidden", "cannot be satisfied")):
            if value.get(key):
                problems.add(
                    f"{path}.{key}",
                    f"{effect}: {name} has a value in every object, because the API server "
                    "sets or requires it",
                    "limit its value instead, with minimum, maximum or allowed",
                )
    for index, zone in enumerate(value.get("allowed", ()) if name == "cronJob.timeZone" else ()):
        for detail in () if is_wild(zone) else time_zones.validate(zone):
            hint = did_you_mean(zone, time_zones.known())
            problems.add(f"{path}.allowed[{index}]", f"no CronJob can have it: {detail}", hint)
    return _read_limit(value, path, problems)


def _read_limit(value: Mapping[str, Any], path: str, problems: Problems) -> Limit:
    if value.get("forbidden"):
        for name in value:
            if name not in ("forbidden", "message") and value[name] is not False:
                problems.add(
                    f"{path}.{name}",
                    "the value of a forbidden field cannot be limited"
                    if name != "required"
                    else "a field cannot be both required and forbidden",
                    "remove one of the two",
                )
    elif all(value[name] is False or name == "message" for name in value):
        problems.add(path, "has no effect", "set minimum, maximum, allowed or required")
    elif "allowed" in value and "denied" in value and covers(value["denied"], value["allowed"]):
        problems.add(f"{path}.allowed", "every allowed value is denied", "change allowed or denied")
    elif value.get("required") and covers(value.get("denied", ()), ["*"]):
        problems.add(
            f"{path}.required", "cannot be satisfied: every value is denied", "narrow denied"
        )
    _check_bounds(value, path, problems)
    return Limit(value, checks_of(value))


def _check_bounds(value: Mapping[str, Any], path: str, problems: Problems) -> None:
    least, most = value.get("minimum"), value.get("maximum")
    if isinstance(least, str) and isinstance(most, str):
        least, most = int(least[:-1]), int(most[:-1])
    if isinstance(least, int) and isinstance(most, int) and least > most:
        problems.add(
            f"{path}.minimum",
            f"the minimum {value['minimum']} is greater than the maximum {value['maximum']}",
            "lower the minimum or raise the maximum",
        )
    for index, number in enumerate(value.get("allowed", ())):
        if type(number) is not int:
            continue
        below = isinstance(least, int) and number < least
        above = isinstance(most, int) and number > most
        if below or above:
            bound = (
                f"less than the minimum {least}" if below else f"greater than the maximum {most}"
            )
            problems.add(
                f"{path}.allowed[{index}]", f"{number} is {bound}", "change the value or the bound"
            )


def check_key(holder: str, key: str, path: str, problems: Problems) -> None:
    """Report a key that the API server accepts in no object.

    Args:
        holder: ``labels``, or ``annotations``, whose keys it validates in lower case (k8s.io/apimachinery,
            ``ValidateAnnotations``).
        key: the key.
        path: its path in the policy.
        problems: collects it.
    """
    for detail in label_key(key.lower() if holder == "annotations" else key):
        problems.add(path, f"no object can have this key: {detail}")
