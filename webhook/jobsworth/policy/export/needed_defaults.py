"""The defaults without which an exported limit denies objects whose author has set nothing.

The API server enforces limits also while the mutating webhook, which sets the defaults, does not answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from jobsworth.api.api_server import ApiServer
from jobsworth.policy.defaults import METADATA, SERVER_DEFAULTS
from jobsworth.policy.job_policy import JobPolicy
from jobsworth.policy.policy_fields import FIELDS
from jobsworth.policy.request import JobView


@dataclass(frozen=True, slots=True)
class NeededDefault:
    """A default that a limit of the same policy needs.

    Attributes:
        field: the field path of the default.
        limit: the field path of the limit.
    """

    field: str
    limit: str

    def __str__(self) -> str:
        return (
            f"if exported, {self.limit} denies what leaves the field to this default while the mutating "
            "webhook does not answer"
        )


def needed_defaults(policy: JobPolicy, server: ApiServer) -> Iterator[NeededDefault]:
    """Yield the defaults that limits of the policy need."""
    if policy.defaults is None or policy.limits is None:
        return
    empty = JobView("Job", {"metadata": {}, "spec": {"template": {"spec": {}}}}, server)
    names = [
        *policy.defaults.single,
        *(["podFailurePolicy"] if policy.defaults.failure_policy else []),
    ]
    for name in names:
        limit = policy.limits.fields.get(name)
        if limit is None:
            continue
        field = FIELDS[name]
        value = field.value(empty) if name in SERVER_DEFAULTS else field.declared.default
        if limit.value.get("required") or (
            value is not None and list(limit.violations("", value, empty.spec.get("completions")))
        ):
            yield NeededDefault(f"spec.defaults.{name}", f"spec.limits.{name}")
    for one in policy.defaults.pod:
        limit = policy.limits.fields.get(one.limited_as)
        if limit is not None and limit.value.get("required") and not one.field:
            yield NeededDefault(f"spec.defaults.{one.path}", f"spec.limits.{one.limited_as}")
    for part in METADATA:
        for key in getattr(policy.defaults, part):
            limit = policy.limits.metadata.get((part, key))
            if limit is not None and limit.value.get("required"):
                at = f"{part}[{key}]"
                yield NeededDefault(f"spec.defaults.{at}", f"spec.limits.{at}")
