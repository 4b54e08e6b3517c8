"""MutatingAdmissionPolicies on the object of a request (k8s.io/apiserver, ``plugin/policy/mutating``).

The API server applies policies in an order that it does not define, nor keeps: here they apply by name, and
where the opposite order makes another object, that is reported. If a policy or a webhook changes the object,
the API server passes it to all admission once more; only policies with ``reinvocationPolicy: IfNeeded`` apply
again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.structured_merge import MergeError, atomics, check, merged
from jobsworth.findings.edits import is_part_of
from jobsworth.policy.admission_policies.matching import matches, meets_conditions
from jobsworth.policy.admission_policies.mutating.json_patch import PatchError, TestFailed, patched
from jobsworth.policy.admission_policies.mutating.patch_values import operations, partial_object
from jobsworth.policy.admission_policies.params import ParamObjects
from jobsworth.policy.admission_policies.policies import (
    Binding,
    MutatingPolicy,
    Outcome,
    PolicyMutation,
)
from jobsworth.policy.admission_policies.programs import POLICY_STEPS, REQUEST_STEPS, Variables
from jobsworth.policy.admission_policies.request_variables import as_typed, request_variables
from jobsworth.policy.request import PolicyRequest
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for, kind_of
from kube_cel.budget import MAX_STEPS, Budget, Steps
from kube_cel.values import CelError, UnknownValue

Params = Mapping[str, Any] | None
Invocation = tuple[MutatingPolicy, Binding, Params, int]
Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Pass:
    """The result of one pass of an object through the policies.

    Attributes:
        object: the object after it.
        outcomes: the policies that failed, and those that depend on what is not known.
        changed_by: the paths of the fields that policies changed, by the name of the policy.
        ran: a mutation was applied, whether it changed the object or not.
    """

    object: dict[str, Any]
    outcomes: tuple[Outcome, ...]
    changed_by: Mapping[str, Sequence[str]]
    ran: bool


class MutatedObject:
    """The object of a request on its way through admission.

    Args:
        bound: the policies with their bindings, in the order of their names.
        request: the request; its object has the API server's defaults.
        params: the objects that may be params.
        server: the API server.

    Attributes:
        object: the object after the passes so far.
    """

    def __init__(
        self,
        bound: Sequence[tuple[MutatingPolicy, Binding]],
        request: PolicyRequest,
        params: ParamObjects,
        server: ApiServer,
    ) -> None:
        self._request = request
        self._admission = _Admission(bound, params, server)
        first = self._admission.passed(request, again=False)
        if len(first.changed_by) > 1:
            other = _Admission([*reversed(bound)], params, server).passed(request, again=False)
            if other.object != first.object:
                order = _order_matters(sorted(first.changed_by))
                first = replace(first, outcomes=(*first.outcomes, order))
        self._passes = [first]
        self.object = first.object

    def again(self, defaulted: dict[str, Any]) -> bool:
        """Pass an object through the policies once more, as after a webhook; return True if they change it.

        Args:
            defaulted: the object as webhooks left it after the first pass.
        """
        if not self._passes[0].ran and defaulted == self.object:
            return False
        second = self._admission.passed(replace(self._request, object=defaulted), again=True)
        self._passes.append(second)
        self.object = second.object
        return second.object != defaulted

    @property
    def is_changed(self) -> bool:
        """A policy changed the object."""
        return any(passed.changed_by for passed in self._passes)

    @property
    def outcomes(self) -> list[Outcome]:
        """The policies that failed, and those that depend on what is not known."""
        return [*dict.fromkeys(each for passed in self._passes for each in passed.outcomes)]

    def policies_that_changed(self, field: str) -> list[str]:
        """Return the names of the policies that changed a field."""
        names = {
            name
            for passed in self._passes
            for name, paths in passed.changed_by.items()
            if any(is_part_of(field, path) for path in paths)
        }
        return sorted(names)


def _order_matters(names: Sequence[str]) -> Outcome:
    first, *others = names
    message = (
        f"the API server applies it and {', '.join(others)} in an order that is not defined, "
        "and the opposite order makes another object"
    )
    return Outcome(first, "", message, None, mutates=True)


class _Admission:
    """The policies of one request, which may pass through them twice.

    Args:
        bound: the policies with their bindings, in the order in which they apply.
        params: the objects that may be params.
        server: the API server.
    """

    def __init__(
        self,
        bound: Sequence[tuple[MutatingPolicy, Binding]],
        params: ParamObjects,
        server: ApiServer,
    ) -> None:
        self._bound = bound
        self._params = params
        self._server = server
        self._total = Steps(REQUEST_STEPS)
        self._invoked: set[Key] = set()
        self._due: set[Key] = set()

    def _require_reinvocation(self) -> None:
        self._due |= self._invoked
        self._invoked = set()

    def passed(self, request: PolicyRequest, *, again: bool) -> Pass:
        """Apply the policies to an object; the second time only those that are to be reinvoked."""
        if again:
            self._require_reinvocation()
        outcomes: list[Outcome] = []
        changed_by: dict[str, list[str]] = {}
        invocations = list(self._invocations(request, outcomes))
        ran = False
        for policy, binding, params, number in invocations:
            if self._total.left <= 0:
                outcomes.append(_unknown(policy, binding, self._total.exceeded))
                break
            key = policy.name, binding.name, number
            try:
                applies = self._meets(policy, request, params)
            except UnknownValue as error:
                outcomes.append(_unknown(policy, binding, str(error)))
                continue
            except CelError as error:
                outcomes.append(_denied(policy, binding, str(error)))
                continue
            if not applies or (again and key not in self._due):
                continue
            before = request.object
            try:
                for mutation in policy.mutations:
                    try:
                        made = mutated(
                            policy,
                            mutation,
                            request,
                            params=params,
                            server=self._server,
                            total=self._total,
                        )
                    except UnknownValue as error:
                        outcomes.append(_unknown(policy, binding, str(error)))
                    except CelError as error:
                        if not policy.ignores_failures:
                            outcomes.append(_denied(policy, binding, str(error)))
                    else:
                        ran = True
                        request = replace(request, object=made)
            except InternalError as error:
                outcomes.append(Outcome(policy.name, "", str(error), "deny", mutates=True))
                break
            if request.object != before:
                self._require_reinvocation()
                changed = changed_by.setdefault(policy.name, [])
                changed += changed_paths(before, request.object)
            if policy.reinvoked:
                self._invoked.add(key)
        if ran:
            self._require_reinvocation()
        found = tuple(dict.fromkeys(outcomes))
        return Pass(request.object, found, changed_by, ran)

    def _invocations(self, request: PolicyRequest, outcomes: list[Outcome]) -> Iterator[Invocation]:
        """Yield the policies that match a request before any changes it, with each of their params."""
        for policy, binding in self._bound:
            try:
                if not matches(policy.match, request):
                    continue
                if binding.match is not None and not matches(binding.match, request):
                    continue
                params = self._params.params(policy, binding, request.namespace)
            except UnknownValue as error:
                outcomes.append(_unknown(policy, binding, str(error)))
                continue
            except CelError as error:
                if not policy.ignores_failures:
                    message = f"failed to configure binding: {error}"
                    outcomes.append(_denied(policy, binding, message))
                continue
            for number, each in enumerate(params):
                yield policy, binding, each, number

    def _meets(self, policy: MutatingPolicy, request: PolicyRequest, params: Params) -> bool:
        names = {**request_variables(request), "params": params}
        return meets_conditions(policy, names, self._total)


def changed_paths(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of the fields that differ between two objects; of a list, that of the whole."""
    if not (isinstance(before, dict) and isinstance(after, dict)):
        if before != after:
            yield path
        return
    for key in dict.fromkeys((*before, *after)):
        inner = f"{path}.{key}" if path else key
        yield from changed_paths(before.get(key), after.get(key), inner)


def _unknown(policy: MutatingPolicy, binding: Binding, reason: str) -> Outcome:
    return Outcome(policy.name, binding.name, reason, None, mutates=True)


def _denied(policy: MutatingPolicy, binding: Binding, message: str) -> Outcome:
    return Outcome(policy.name, binding.name, message, "deny", mutates=True)


class InternalError(Exception):
    """The API server answers with an internal error, whatever the failure policy is."""


def mutated(
    policy: MutatingPolicy,
    mutation: PolicyMutation,
    request: PolicyRequest,
    *,
    params: Mapping[str, Any] | None,
    server: ApiServer,
    total: Steps,
) -> dict[str, Any]:
    """Return the object of a request after a mutation, with the defaults of the API server.

    Args:
        policy: it.
        mutation: one of its mutations.
        request: the request, with the object as the mutations before left it.
        params: the params; None without.
        server: the API server.
        total: the steps of all policies for the request.

    Raises:
        CelError: the mutation fails, in the words of the API server.
        UnknownValue: it depends on what is not known.
        InternalError: the object that a JSON Patch makes cannot be decoded.
    """
    steps = Steps(POLICY_STEPS, total)
    names = {**request_variables(request), "params": params}
    names["variables"] = Variables(policy.variables, names, steps)
    value = mutation.program.value(names, steps)
    total.take(Budget(MAX_STEPS).weigh(request.object))
    if mutation.patch == "JSONPatch":
        return _by_patch(request.object, operations(value), server)
    return _by_merge(request.object, partial_object(value, names), server)


def _by_merge(live: dict[str, Any], partial: dict[str, Any], server: ApiServer) -> dict[str, Any]:
    struct = kind_of(live)
    # The server sets these, so that an expression cannot.
    partial = {**partial, "apiVersion": live["apiVersion"], "kind": live["kind"]}
    failed = "error applying patch:"
    try:
        check(struct, partial, server)
    except MergeError as error:
        message = f"{failed} failed to convert patch object to typed object: {error}"
        raise CelError(message) from None
    found = atomics(struct, partial)
    if found:
        raise CelError(
            f"{failed} invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: "
            + ", ".join(found)
        )
    try:
        return engine_for(server).default(merged(struct, live, partial))
    except CannotDecode:  # a number with a fraction: all else is checked before
        to = f"{live['apiVersion']}, Kind={live['kind']}"
        message = f"unable to convert unstructured object to {to}: cannot convert float64 to int32"
        raise CelError(message) from None


def _by_patch(
    live: dict[str, Any], changes: list[dict[str, Any]], server: ApiServer
) -> dict[str, Any]:
    try:
        made = patched(as_typed(live), changes)
    except TestFailed:
        return live
    except PatchError as error:
        raise CelError(f"JSON Patch: {error}") from None
    try:
        return engine_for(server).default(made)
    except CannotDecode as error:
        first = error.findings[0]
        strict = "strict decoding error: " if first.reason == "UnknownField" else ""
        raise InternalError(f"Internal error occurred: {strict}{first.message}") from None
    except UnknownKind as error:
        raise InternalError(f"Internal error occurred: {error}") from None
