"""What a document demands of fields: least and greatest, allowed, required, forbidden.

Limits are compiled into functions from a :class:`~jobsworth.policy.policy_request.JobView` to
breaches. A bound speaks about a value that is set; ``required`` makes sure that it is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from jobsworth.api.errors import FieldError, forbidden, required
from jobsworth.policy.language import violation_codes
from jobsworth.policy.language.policy_fields import FIELDS, JobField
from jobsworth.policy.limits import failure_policy_limits, resource_limits
from jobsworth.policy.limits.limit_checks import checks_of
from jobsworth.policy.matching import name_patterns
from jobsworth.policy.policy_request import Origin
from jobsworth.policy.violation import Breach

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from jobsworth.policy.language.problems import Problems
    from jobsworth.policy.limits.limit_checks import Check
    from jobsworth.policy.policy_request import JobView

    Judge = Callable[[JobView], Iterable[Breach]]

GROUPS = ("pod", "cronJob")
"""Names of limits that hold the limits of an object's fields."""

METADATA = ("labels", "annotations")


def _is_indexed(view: JobView) -> bool:
    return bool(view.spec.get("completionMode") == "Indexed")


_SET_WHERE: dict[str, tuple[str, Callable[[JobView], bool]]] = {
    "backoffLimitPerIndex": (" in an Indexed Job", _is_indexed),
    "maxFailedIndexes": (
        " beside backoffLimitPerIndex",
        lambda view: "backoffLimitPerIndex" in view.spec,
    ),
    "successPolicy": (" in an Indexed Job", _is_indexed),
}
"""Fields that the API refuses elsewhere: there they are not required either."""

_REPLACED_BY = {"backoffLimit": "backoffLimitPerIndex"}
"""Fields that another field replaces: the server then sets them to no limit (KEP-3850)."""


@dataclass(frozen=True, slots=True)
class Limit:
    """The limit of one field, label or annotation.

    Attributes:
        value: as the document has it.
        checks: of a value that is set.
    """

    value: Mapping[str, Any]
    checks: tuple[Check, ...]

    def breaches(self, at: str, value: Any, view: JobView, where: str = "") -> Iterable[Breach]:
        """What a value does against the limit.

        Args:
            at: the field path.
            value: None where the field is unset.
            view: the object that has it.
            where: the circumstances in which it is required.
        """
        if value is None:
            if self.value.get("required"):
                return [
                    self._breach(violation_codes.REQUIRED, at, required("", f"must be set{where}"))
                ]
            return ()
        if self.value.get("forbidden"):
            return [self._breach(violation_codes.FORBIDDEN, at, forbidden("", "may not be set"))]
        found = [one for check in self.checks if (one := check(value, view)) is not None]
        return [self._breach(code, at, error) for code, error in found]

    def _breach(self, code: str, at: str, error: FieldError) -> Breach:
        return Breach(code, at, error.reason, error.message, hint=self.value.get("message", ""))


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a document.

    Attributes:
        fields: the limits of single fields, by the field's name.
        metadata: those of labels and annotations, by ``labels`` or ``annotations`` and the key.
    """

    fields: Mapping[str, Limit]
    metadata: Mapping[tuple[str, str], Limit]
    _judges: tuple[Judge, ...]

    def judge(self, view: JobView) -> Iterator[Breach]:
        """What an object does against the limits."""
        for judge in self._judges:
            yield from judge(view)


def read(value: Mapping[str, Any], path: str, problems: Problems) -> Limits:
    """The limits of a document.

    Args:
        value: well-formed by the schema.
        path: of the limits in the document.
        problems: takes what the schema cannot say.
    """
    fields: dict[str, Limit] = {}
    metadata: dict[tuple[str, str], Limit] = {}
    shapes: list[Judge] = []
    for name, part in value.items():
        at = f"{path}.{name}"
        if name in GROUPS:
            for key, one in part.items():
                fields[f"{name}.{key}"] = _read_field(f"{name}.{key}", one, f"{at}.{key}", problems)
        elif name in METADATA:
            for key, one in part.items():
                metadata[name, key] = _read_limit(one, f"{at}[{key}]", problems)
        elif name == "resources":
            shapes.append(resource_limits.read(part, at, problems))
        else:
            fields[name] = _read_field(name, part, at, problems)
            if name == "podFailurePolicy":
                shapes.extend(failure_policy_limits.read(part, at, problems))
    judges = (
        *(_field_judge(FIELDS[name], limit) for name, limit in fields.items()),
        *shapes,
        *(_metadata_judge(*key, limit) for key, limit in metadata.items()),
    )
    return Limits(fields, metadata, judges)


def _field_judge(field: JobField, limit: Limit) -> Judge:
    where, applies = _SET_WHERE.get(field.name, ("", None))
    replacement = _REPLACED_BY.get(field.name)

    def judge(view: JobView) -> Iterable[Breach]:
        if field.scope == "cronJob" and view.cron is None:
            return ()
        value = field.value(view)
        if value is None and applies is not None and not applies(view):
            return ()
        found = limit.breaches(field.path(view), value, view, where)
        if not found or value is None:
            return found
        origin = field.origin(view)
        if origin is Origin.WRITTEN:
            return found
        if replacement is not None and replacement in view.spec:
            return ()
        return [_about_default(breach, field.key, value, limit, origin) for breach in found]

    return judge


def _about_default(breach: Breach, name: str, value: Any, limit: Limit, origin: Origin) -> Breach:
    """Say of a violation that nobody, or perhaps nobody, wrote the value."""
    clause, advice = _allowance(name, breach.code, limit.value)
    if origin is Origin.UNKNOWN:
        hint = f"If {name} is not set, the API server sets {_shown(value)}. {advice}"
        return replace(breach, hint=f"{hint} {breach.hint}".rstrip())
    sets = f"{name} is not set, so the API server sets {_shown(value)}"
    return replace(breach, explanation=f"{sets}, {clause}. {advice}")


def _allowance(name: str, code: str, limit: Mapping[str, Any]) -> tuple[str, str]:
    """What a policy allows instead of a default, as a clause, and what to do, as a sentence."""
    if code == violation_codes.ABOVE_MAXIMUM:
        most = limit["maximum"]
        return f"more than the {most} that {{policy}} allows", _set_to(name, [most])
    if code == violation_codes.BELOW_MINIMUM:
        least = limit["minimum"]
        return f"less than the {least} that {{policy}} requires", _set_to(name, [least])
    return "which {policy} does not allow", _set_to(name, limit.get("allowed", ()))


def _set_to(name: str, values: Sequence[Any]) -> str:
    plain = [
        _shown(value)
        for value in values
        if not (isinstance(value, str) and name_patterns.is_wild(value))
    ]
    if len(plain) == 1:
        return f"Set {name}: {plain[0]}."
    return f"Set {name} to {' or '.join(plain)}." if plain else f"Set {name}."


def _shown(value: Any) -> str:
    """A value as a manifest has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _metadata_judge(name: str, key: str, limit: Limit) -> Judge:
    at = f"metadata.{name}[{key}]"

    def judge(view: JobView) -> Iterable[Breach]:
        return limit.breaches(at, (view.metadata.get(name) or {}).get(key), view)

    return judge


def _read_field(name: str, value: Mapping[str, Any], path: str, problems: Problems) -> Limit:
    if FIELDS[name].always_set:
        for word, says in (("required", "is always kept"), ("forbidden", "can never be kept")):
            if value.get(word):
                problems.add(
                    f"{path}.{word}",
                    f"{says}: {name} has a value in every object, because the API server "
                    "fills it in or demands it",
                    "limit its value instead, with minimum, maximum or allowed",
                )
    return _read_limit(value, path, problems)


def _read_limit(value: Mapping[str, Any], path: str, problems: Problems) -> Limit:
    if value.get("forbidden"):
        for name in value:
            if name not in ("forbidden", "message") and value[name] is not False:
                problems.add(
                    f"{path}.{name}",
                    "a field that is forbidden has no value to be limited"
                    if name != "required"
                    else "a field cannot be required and forbidden",
                    "remove one of the two",
                )
    elif all(value[name] is False or name == "message" for name in value):
        problems.add(path, "limits nothing", "say minimum, maximum, allowed or required")
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
            "no value can keep both",
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
                f"{path}.allowed[{index}]", f"{number} is {bound}", "remove one of the two"
            )
