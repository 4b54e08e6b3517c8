"""The errors of a CRD about a template: required fields and repeated keys.

The CRDs of operators repeat the Go types of Kubernetes, which say more than the API server requires of a Job:
each field that is always encoded is required, and many lists must not have two items of the same key. The
facts are those of :mod:`jobsworth.api.jobset.definition`, which every CRD of controller-gen shares.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.core.pod_template import PodTemplateSpec
from jobsworth.api.field_errors import FieldError
from jobsworth.api.jobset.definition import DEFAULTS, LIST_MAPS, required_fields
from jobsworth.api.jobset.job_set import TemplateMeta
from jobsworth.api.jobset.versions import NEWEST, go_types
from jobsworth.api.list_types import SETS
from jobsworth.validation.custom_resource import CustomResource, Definition

TYPES = {"JobSpec": JobSpec, "PodTemplateSpec": PodTemplateSpec}
REASONS = ("FieldValueRequired", "FieldValueDuplicate")
"""The reasons of what only a CRD rejects."""


def definition_errors(type_name: str, value: Any) -> list[FieldError]:
    """Return what a CRD requires of a template and the API server does not require of a Job.

    Args:
        type_name: the type of the template; others than :data:`TYPES` have no errors.
        value: the template, as JSON decodes it.
    """
    if type_name not in TYPES or not isinstance(value, dict):
        return []
    resource = _resource(type_name)
    kept, _ = resource.read(value)
    return [error for error in resource.check(kept) if error.reason in REASONS]


@lru_cache(maxsize=len(TYPES))
def _resource(type_name: str) -> CustomResource:
    return CustomResource(
        TYPES[type_name],
        Definition(
            server=go_types(NEWEST),
            required=lambda struct: required_fields(struct, NEWEST),
            list_maps=LIST_MAPS,
            sets=SETS,
            defaults=DEFAULTS,
            immutable={},
            template_meta=TemplateMeta,
            own=frozenset(),
            max_items={},
        ),
    )
