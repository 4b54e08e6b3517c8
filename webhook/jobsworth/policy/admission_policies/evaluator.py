"""The evaluation of a policy with a binding (k8s.io/apiserver, ``plugin/policy/validating``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobsworth.cel.budget import Steps
from jobsworth.cel.values import CelError, Unknown, UnknownValue
from jobsworth.policy.admission_policies.matching import NAME_LABEL, RESOURCES, matches
from jobsworth.policy.admission_policies.outcomes import Outcome
from jobsworth.policy.admission_policies.programs import (
    MATCH_STEPS,
    POLICY_STEPS,
    PolicyExhausted,
    Variables,
)
from jobsworth.policy.admission_policies.typed_objects import as_typed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from jobsworth.policy.admission_policies.outcomes import Effect
    from jobsworth.policy.admission_policies.params import ParamObjects
    from jobsworth.policy.admission_policies.policies import (
        Action,
        AdmissionPolicy,
        Binding,
        Validation,
    )
    from jobsworth.policy.admission_policies.programs import Program
    from jobsworth.policy.request import PolicyRequest

MAX_MESSAGE = 5 * 1024
"""The longest message of a message expression, in bytes (``MaxEvaluatedMessageExpressionSizeBytes``)."""

_AUTHORIZER = Unknown("it checks permissions with authorizer, which only a cluster can")
_NO_USER = Unknown("it reads request.userInfo, and the user is not known")
_NO_LABELS = Unknown("it reads the metadata of the namespace, which is not known")
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
        if not _meets_conditions(policy, names, total):
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


def _meets_conditions(policy: AdmissionPolicy, names: Mapping[str, Any], total: Steps) -> bool:
    """Return True if all match conditions hold; one that is false outweighs errors of others.

    Raises:
        UnknownValue: they depend on what is not known.
        CelError: a condition has no value, and the policy fails then.
    """
    steps = Steps(MATCH_STEPS, total)
    # The server evaluates match conditions without the namespace.
    names = {**names, "namespaceObject": None}
    names["variables"] = Variables(policy.variables, names, steps)
    unknown: UnknownValue | None = None
    errors: list[str] = []
    for condition in policy.conditions:
        try:
            if condition.value(names, steps) is False:
                return False
        except UnknownValue as error:
            unknown = error
        except CelError as error:
            errors.append(str(error))
    if unknown is not None:
        raise unknown
    if not errors:
        return True
    if policy.ignores_failures:
        return False
    different = list(dict.fromkeys(errors))
    raise CelError(different[0] if len(different) == 1 else f"[{', '.join(different)}]")


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


def request_variables(request: PolicyRequest) -> dict[str, Any]:
    """Return the variables of expressions, as far as they are known."""
    return {
        "object": as_typed(request.object),
        "oldObject": None if request.old is None else as_typed(request.old),
        "request": _request(request),
        "namespaceObject": _namespace(request),
        "authorizer": _AUTHORIZER,
    }


def _request(request: PolicyRequest) -> dict[str, Any]:
    kind = {"group": "batch", "version": "v1", "kind": request.kind}
    resource = {"group": "batch", "version": "v1", "resource": RESOURCES[request.kind]}
    described: dict[str, Any] = {
        "kind": kind,
        "resource": resource,
        "requestKind": kind,
        "requestResource": resource,
        "namespace": request.namespace,
        "operation": request.operation,
        "userInfo": _NO_USER if request.user is None else _user(request),
        "dryRun": request.dry_run,
        "options": dict(request.options) or None,
    }
    if request.name:
        described["name"] = request.name
    return described


def _user(request: PolicyRequest) -> dict[str, Any]:
    user: dict[str, Any] = {"username": request.user}
    if request.groups:
        user["groups"] = list(request.groups)
    return user


def _namespace(request: PolicyRequest) -> dict[str, Any]:
    metadata: dict[str, Any] = {"name": request.namespace}
    if request.namespace_labels is None:
        metadata["labels"] = metadata["annotations"] = _NO_LABELS
    else:
        metadata["labels"] = {**request.namespace_labels, NAME_LABEL: request.namespace}
    return {"metadata": metadata, "spec": {}, "status": {}}
