"""The match conditions of a policy (k8s.io/apiserver, ``plugin/webhook/matchconditions``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jobsworth.policy.admission_policies.policies import Policy
from jobsworth.policy.admission_policies.programs import MATCH_STEPS, Variables
from kube_cel.budget import Steps
from kube_cel.values import CelError, UnknownValue


def meets_conditions(policy: Policy, names: Mapping[str, Any], total: Steps) -> bool:
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
