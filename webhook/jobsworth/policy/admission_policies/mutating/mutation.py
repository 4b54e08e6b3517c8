"""One mutation of a policy, from its expression to the object (``plugin/policy/mutating/patch``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.structured_merge import MergeError, atomics, check, merged
from jobsworth.policy.admission_policies.mutating.json_patch import (
    PatchError,
    TestFailed,
    patched,
)
from jobsworth.policy.admission_policies.mutating.patch_values import operations, partial_object
from jobsworth.policy.admission_policies.policies import MutatingPolicy, PolicyMutation
from jobsworth.policy.admission_policies.programs import POLICY_STEPS, Variables
from jobsworth.policy.admission_policies.request_variables import as_typed, request_variables
from jobsworth.policy.request import PolicyRequest
from jobsworth.validation.engine import CannotDecode, UnknownKind, engine_for, kind_of
from kube_cel.budget import MAX_STEPS, Budget, Steps
from kube_cel.values import CelError


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
        message = error.findings[0].message
        strict = "strict decoding error: " if message.startswith("unknown field") else ""
        raise InternalError(f"Internal error occurred: {strict}{message}") from None
    except UnknownKind as error:
        raise InternalError(f"Internal error occurred: {error}") from None
