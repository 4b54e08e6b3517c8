"""Import a policy of Kyverno: the JobPolicies that it becomes, and what of it has no translation."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from jobsworth.policy.kyverno.defaults import defaults_of
from jobsworth.policy.kyverno.expressions import (
    condition_of,
    guarded,
    translated,
    translated_variables,
)
from jobsworth.policy.kyverno.matchers import Matched, exempted, matched, matched_rules
from jobsworth.policy.kyverno.patterns import matches, matches_any
from jobsworth.policy.kyverno.untranslatable import LeftPart, Untranslatable
from jobsworth.policy.problems import BadPolicy
from jobsworth.policy.reader import read
from jobsworth.wording import one_line

KINDS = {
    "ClusterPolicy": "kyverno.io",
    "Policy": "kyverno.io",
    "ValidatingPolicy": "policies.kyverno.io",
    "NamespacedValidatingPolicy": "policies.kyverno.io",
}
"""The group of each kind that is imported."""

_OWNERLESS = re.compile(r"\{\{\s*request\.object\.metadata\.ownerReferences\s*\|\|\s*`\[\]`\s*\}\}")
_EFFECTS = {"enforce": "deny", "audit": "audit"}
_INDEX = re.compile(r"spec\.expressions\[(\d+)\]")


@dataclass(slots=True)
class Imported:
    """The result of an import.

    Attributes:
        name: of the policy of Kyverno.
        policies: the JobPolicies.
        left: what is not imported, by the path in the policy of Kyverno.
    """

    name: str
    policies: list[dict[str, Any]] = field(default_factory=list)
    left: list[LeftPart] = field(default_factory=list)


@dataclass(slots=True)
class _Part:
    """What a rule becomes.

    Attributes:
        enforcement: the strictest effect.
        matched: the requests that it matches.
        exempt: the requests that are exempt.
        ignores_errors: an error of an expression allows the request.
        expressions: each with its path in the policy of Kyverno.
        defaults: the values to set, with the path of their patch.
    """

    enforcement: str
    matched: Matched
    exempt: list[dict[str, Any]] = field(default_factory=list)
    ignores_errors: bool = False
    expressions: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    defaults: dict[str, Any] = field(default_factory=dict)
    path: str = ""


def is_importable(value: object) -> bool:
    """Return True for a policy of Kyverno of a kind that is imported."""
    if not isinstance(value, dict):
        return False
    group = str(value.get("apiVersion")).partition("/")[0]
    return KINDS.get(str(value.get("kind"))) == group


def imported(policy: Mapping[str, Any]) -> Imported:
    """Import a policy of Kyverno.

    Args:
        policy: a ClusterPolicy, Policy or ValidatingPolicy.
    """
    metadata = policy.get("metadata") or {}
    result = Imported(str(metadata.get("name") or ""))
    spec = policy.get("spec") or {}
    if "ValidatingPolicy" in str(policy.get("kind")):
        parts = _of_validating(spec, result)
    else:
        parts = _of_rules(spec, metadata.get("annotations") or {}, result)
    found = [*_with_equal_parts_joined(parts)]
    for number, part in enumerate(found):
        name = result.name if len(found) == 1 else f"{result.name}-{number + 1}"
        document = _document(name, part, metadata, result)
        if document is not None:
            result.policies.append(document)
    return result


def _of_validating(spec: Mapping[str, Any], result: Imported) -> Iterator[_Part]:
    controllers = ((spec.get("autogen") or {}).get("podControllers") or {}).get("controllers")
    autogen = controllers is None or "jobs" in controllers
    try:
        found = matched_rules(spec.get("matchConstraints") or {}, autogen=autogen)
    except Untranslatable as error:
        result.left.append(LeftPart("spec.matchConstraints", str(error)))
        return
    actions = spec.get("validationActions") or ["Deny"]
    effect = "deny" if "Deny" in actions else "warn" if "Warn" in actions else "audit"
    part = _Part(effect, found, ignores_errors=spec.get("failurePolicy") == "Ignore", path="spec")
    if spec.get("auditAnnotations"):
        result.left.append(LeftPart("spec.auditAnnotations", "a JobPolicy writes its own"))
    _add_cel(part, spec, "spec", "validations", result)
    yield part


def _add_cel(part: _Part, spec: Mapping[str, Any], path: str, name: str, result: Imported) -> None:
    """Add the expressions of a ValidatingPolicy, or of ``validate.cel`` of a rule."""
    root = part.matched.root
    variables, without = translated_variables(spec.get("variables"), root, {})
    conditions = []
    for index, each in enumerate(spec.get("matchConditions") or ()):
        try:
            conditions.append(translated(each["expression"], root, variables))
        except Untranslatable as error:
            at = f"{path}.matchConditions[{index}]"
            result.left.append(LeftPart(at, _with_cause(str(error), without)))
            return
    for index, each in enumerate(spec.get(name) or ()):
        at = f"{path}.{name}[{index}]"
        try:
            text = guarded(translated(each["expression"], root, variables), conditions, root)
            made = {"expression": text}
            if each.get("messageExpression"):
                made["messageExpression"] = translated(each["messageExpression"], root, variables)
            if each.get("message"):
                made["message"] = one_line(str(each["message"]))
            part.expressions.append((at, made))
        except Untranslatable as error:
            result.left.append(LeftPart(at, _with_cause(str(error), without)))


def _with_cause(reason: str, without: Mapping[str, str]) -> str:
    causes = [f"{name}: {why}" for name, why in without.items() if f"variable {name}," in reason]
    return f"{reason} ({'; '.join(causes)})" if causes else reason


def _of_rules(
    spec: Mapping[str, Any], annotations: Mapping[str, Any], result: Imported
) -> Iterator[_Part]:
    action = spec.get("validationFailureAction") or "Audit"
    if spec.get("validationFailureActionOverrides"):
        left = LeftPart("spec.validationFailureActionOverrides", "a JobPolicy has one effect")
        result.left.append(left)
    for index, rule in enumerate(spec.get("rules") or ()):
        path = f"spec.rules[{index}]"
        try:
            part = _of_rule(rule, path, annotations, str(action), result)
        except Untranslatable as error:
            result.left.append(LeftPart(path, str(error)))
            continue
        part.ignores_errors = spec.get("failurePolicy") == "Ignore"
        yield part


def _of_rule(
    rule: Mapping[str, Any],
    path: str,
    annotations: Mapping[str, Any],
    action: str,
    result: Imported,
) -> _Part:
    found = matched(rule.get("match") or {}, annotations)
    validate = rule.get("validate") or {}
    effect = _EFFECTS.get(str(validate.get("failureAction") or action).lower(), "audit")
    part = _Part(effect, found, exempted(rule.get("exclude") or {}, found.root), path=path)
    for kind in ("context", "verifyImages", "generate", "imageExtractors"):
        if rule.get(kind):
            raise Untranslatable(f"it has {kind}")
    conditions = []
    preconditions = rule.get("preconditions")
    if preconditions:
        if _is_ownerless(preconditions):
            part.exempt.append({"owners": ["*"]})
        else:
            conditions.append(condition_of(preconditions, found.root))
    if rule.get("mutate"):
        _add_defaults(part, rule["mutate"], f"{path}.mutate", conditions, result)
    elif "cel" in validate:
        _add_cel(
            part, _cel_of(rule, validate["cel"]), f"{path}.validate.cel", "expressions", result
        )
    else:
        text = guarded(_validated(validate, found.root), conditions, found.root)
        made = {"expression": text}
        message = validate.get("message") or ""
        if message and "{{" not in message:
            made["message"] = one_line(str(message))
        part.expressions.append((f"{path}.validate", made))
    return part


def _cel_of(rule: Mapping[str, Any], cel: Mapping[str, Any]) -> dict[str, Any]:
    if cel.get("paramKind"):
        raise Untranslatable("it has params")
    return {**cel, "matchConditions": rule.get("celPreconditions")}


def _validated(validate: Mapping[str, Any], root: str) -> str:
    """Return the expression for a pattern, ``anyPattern`` or ``deny`` of a rule."""
    start = {"Pod": "object.spec.template", "Job": "object", "CronJob": "cronJob"}[root]
    if "pattern" in validate:
        return matches(validate["pattern"], start)
    if "anyPattern" in validate:
        return matches_any(validate["anyPattern"], start)
    if "deny" in validate:
        conditions = (validate["deny"] or {}).get("conditions")
        return f"!({condition_of(conditions, root)})" if conditions else "false"
    kinds = [each for each in validate if each not in ("message", "failureAction")]
    raise Untranslatable(f"it has {kinds[0] if kinds else 'no validation'}")


def _is_ownerless(preconditions: Any) -> bool:
    """Return True for the precondition that the object has no owner."""
    if not isinstance(preconditions, Mapping):
        return False
    parts = [*(preconditions.get("any") or ()), *(preconditions.get("all") or ())]
    return len(parts) == 1 and bool(
        _OWNERLESS.fullmatch(str(parts[0].get("key")))
        and parts[0].get("operator") == "Equals"
        and parts[0].get("value") == []
    )


def _add_defaults(
    part: _Part,
    mutate: Mapping[str, Any],
    path: str,
    conditions: list[str],
    result: Imported,
) -> None:
    kinds = [each for each in mutate if each != "patchStrategicMerge"]
    if kinds:
        raise Untranslatable(f"it has mutate.{kinds[0]}")
    if conditions:
        raise Untranslatable("it mutates under a condition, and defaults have none")
    part.defaults, left = defaults_of(
        mutate["patchStrategicMerge"], part.matched.root, f"{path}.patchStrategicMerge"
    )
    result.left += left


def _with_equal_parts_joined(parts: Iterator[_Part]) -> Iterator[_Part]:
    """Join the parts that match the same requests with the same effect."""
    found: list[_Part] = []
    for part in parts:
        if not part.expressions and not part.defaults:
            continue
        for other in found:
            if not (part.defaults and other.defaults) and (
                (other.enforcement, other.matched, other.exempt, other.ignores_errors)
                == (part.enforcement, part.matched, part.exempt, part.ignores_errors)
            ):
                other.expressions += part.expressions
                other.defaults = other.defaults or part.defaults
                break
        else:
            found.append(part)
    yield from found


def _document(
    name: str, part: _Part, metadata: Mapping[str, Any], result: Imported
) -> dict[str, Any] | None:
    """Return a JobPolicy; None if nothing is left of it. What the reader refuses is left out."""
    description = (metadata.get("annotations") or {}).get("policies.kyverno.io/description")
    while part.expressions or part.defaults:
        expressions = part.expressions
        spec: dict[str, Any] = {
            "description": one_line(str(description)) if description else None,
            "enforcement": part.enforcement if expressions else None,
            "onInternalError": "allow" if part.ignores_errors else None,
            "match": [*part.matched.matchers],
            "exempt": part.exempt,
            "defaults": part.defaults,
            "expressions": [made for _, made in expressions],
        }
        document = {
            "apiVersion": "jobsworth.dev/v1alpha1",
            "kind": "JobPolicy",
            "metadata": {"name": name},
            "spec": {key: value for key, value in spec.items() if value},
        }
        try:
            read([document])
        except BadPolicy as error:
            _leave_out(error, part, result)
        else:
            return document
    return None


def _leave_out(error: BadPolicy, part: _Part, result: Imported) -> None:
    """Remove what the reader of JobPolicies refuses from a part, and name it."""
    problem = error.problems[0]
    index = _INDEX.match(problem.field)
    if index is not None:
        at, _ = part.expressions.pop(int(index[1]))
        result.left.append(LeftPart(at, problem.message))
    elif problem.field.startswith("spec.defaults"):
        reason = f"{problem.field}: {problem.message}"
        result.left.append(LeftPart(f"{part.path}.mutate", reason))
        _, *steps = problem.field.removeprefix("spec.").split(".")
        part.defaults.pop(steps[0].partition("[")[0] if steps else "", None)
        if not steps:
            part.defaults = {}
    else:
        result.left.append(LeftPart(part.path, f"{problem.field}: {problem.message}"))
        part.expressions, part.defaults = [], {}
