"""The evaluation of a policy with a binding (k8s.io/apiserver, ``plugin/policy/validating``)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from jobsworth.policy.admission_policies.matching import matches, meets_conditions
from jobsworth.policy.admission_policies.params import ParamObjects
from jobsworth.policy.admission_policies.policies import (
    Action,
    AdmissionPolicy,
    Binding,
    Effect,
    Outcome,
    Validation,
)
from jobsworth.policy.admission_policies.programs import (
    POLICY_STEPS,
    PolicyExhausted,
    Program,
    Variables,
)
from jobsworth.policy.admission_policies.request_variables import request_variables
from jobsworth.policy.request import PolicyRequest
from kube_cel.budget import Steps
from kube_cel.values import CelError, UnknownValue

MAX_MESSAGE = 5 * 1024
"""The longest message of a message expression, in bytes (``MaxEvaluatedMessageExpressionSizeBytes``)."""

_EFFECTS: tuple[tuple[Action, Effect], ...] = (
    ("Deny", "deny"),
    ("Warn", "warn"),
    ("Audit", "audit"),
)


def evaluate(
    policy: AdmissionPolicy,
    binding: Binding,
    request: PolicyRequest,
    objects: ParamObjects,
    total: Steps,
) -> list[Outcome]:
    """Evaluate a policy with a binding; return the failed validations.

    Args:
        policy: it.
        binding: one of its bindings.
        request: the request, as admission sees it.
        objects: that may be params.
        total: the steps of all policies for the request.
    """
    try:
        if not matches(policy.match, request):
            return []
        if binding.match is not None and not matches(binding.match, request):
            return []
        params = objects.params(policy, binding, request.namespace)
    except UnknownValue as error:
        return [Outcome(policy.name, binding.name, str(error), None)]
    except CelError as error:
        if policy.ignores_failures:
            return []
        message = f"failed to configure binding: {error}"
        return [Outcome(policy.name, binding.name, message, "deny")]
    found: list[Outcome] = []
    for each in params:
        if total.left <= 0:
            found.append(Outcome(policy.name, binding.name, total.exceeded, None))
            break
        found += _with_params(policy, binding, request, each, total)
    return found


def _with_params(
    policy: AdmissionPolicy,
    binding: Binding,
    request: PolicyRequest,
    params: Mapping[str, Any] | None,
    total: Steps,
) -> Iterator[Outcome]:
    names = {**request_variables(request), "params": params}
    effect = _effect(binding)
    try:
        if not meets_conditions(policy, names, total):
            return
    except UnknownValue as error:
        yield Outcome(policy.name, binding.name, str(error), None)
        return
    except CelError as error:
        yield Outcome(policy.name, binding.name, str(error), effect)
        return
    steps = Steps(POLICY_STEPS, total)
    names["variables"] = Variables(policy.variables, names, steps)
    found: list[Outcome] = []
    try:
        for validation in policy.validations:
            found += _outcomes(policy, binding, validation, names, steps)
        found += _failed_annotations(policy, binding, names, total)
    except PolicyExhausted as error:
        exhausted = Outcome(policy.name, binding.name, str(error), effect)
        found = [] if policy.ignores_failures else [exhausted]
    yield from found


def _outcomes(
    policy: AdmissionPolicy,
    binding: Binding,
    validation: Validation,
    names: Mapping[str, Any],
    steps: Steps,
) -> Iterator[Outcome]:
    """Yield the outcome of a validation that fails, or depends on what is not known."""
    try:
        message = _failure(policy, validation, names, steps)
    except UnknownValue as error:
        yield Outcome(policy.name, binding.name, str(error), None)
        return
    if message is not None:
        yield Outcome(policy.name, binding.name, message, _effect(binding), validation.field)


def _effect(binding: Binding) -> Effect:
    return next(effect for action, effect in _EFFECTS if action in binding.actions)


def _failure(
    policy: AdmissionPolicy, validation: Validation, names: Mapping[str, Any], steps: Steps
) -> str | None:
    """Return the message of a validation that fails; None if it does not."""
    try:
        if validation.program.value(names, steps) is True:
            return None
    except (UnknownValue, PolicyExhausted):
        raise
    except CelError as error:
        return None if policy.ignores_failures else str(error)
    return (
        _made_message(validation.message_program, names, steps)
        or validation.message.strip()
        or f"failed expression: {validation.program.source.strip()}"
    )


def _made_message(program: Program | None, names: Mapping[str, Any], steps: Steps) -> str:
    """Return the text of a message expression; empty if it makes none that the server would use."""
    if program is None:
        return ""
    try:
        made = program.value(names, steps)
    except CelError:
        return ""
    text = made.strip() if isinstance(made, str) else ""
    is_usable = "\n" not in text and len(text.encode("utf-8", "replace")) <= MAX_MESSAGE
    return text if is_usable else ""


def _failed_annotations(
    policy: AdmissionPolicy, binding: Binding, names: Mapping[str, Any], total: Steps
) -> Iterator[Outcome]:
    """Yield a denial for each audit annotation that fails, whatever the binding's actions."""
    if policy.ignores_failures:
        return
    steps = Steps(POLICY_STEPS, total)
    for program in policy.annotations:
        try:
            program.value(names, steps)
        except UnknownValue as error:
            yield Outcome(policy.name, binding.name, str(error), None)
        except PolicyExhausted:
            raise
        except CelError as error:
            yield Outcome(policy.name, binding.name, str(error), "deny")
