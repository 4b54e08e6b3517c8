"""Evaluate an object of an operator's kind as a whole: metadata, fields of its spec, rules of the operator.

The API server validates the metadata of custom objects as that of its own, and the CRD requires some fields;
the operator's webhook or controller rejects the rest. Templates are evaluated by
:mod:`jobsworth.evaluation.children`.

The CRDs of operators repeat the Go types of Kubernetes, which say more than the API server requires of a Job:
each field that is always encoded is required, and many lists must not have two items of the same key. The
facts are those of :mod:`jobsworth.api.jobset.definition`, which every CRD of controller-gen shares.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job_spec import JobSpec
from jobsworth.api.core.pod_template import PodTemplateSpec
from jobsworth.api.field_errors import FieldError, required
from jobsworth.api.jobset.definition import DEFAULTS, LIST_MAPS, required_fields
from jobsworth.api.jobset.job_set import TemplateMeta
from jobsworth.api.jobset.versions import NEWEST, go_types
from jobsworth.api.list_types import SETS
from jobsworth.api.meta.object_meta import ObjectMeta, check_object_meta
from jobsworth.findings.finding import Finding
from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.near_names import near
from jobsworth.kinds.children import templates_at
from jobsworth.kinds.kind_table import UnvalidatedKind
from jobsworth.kinds.operator_kinds import OperatorKind
from jobsworth.kinds.operator_rules import rule_errors, schedule_errors
from jobsworth.validation.custom_resource import CustomResource, Definition
from jobsworth.validation.decoding import Decoder, Report
from jobsworth.validation.engine import complete_metadata
from jobsworth.validation.reason_codes import CODES
from jobsworth.validation.verdict_findings import findings_from_errors

TYPES = {"JobSpec": JobSpec, "PodTemplateSpec": PodTemplateSpec}
REASONS = ("FieldValueRequired", "FieldValueDuplicate")
"""The reasons of what only a CRD rejects."""


def object_findings(
    value: dict[str, Any], kind: OperatorKind, operator: str, server: ApiServer
) -> list[Finding]:
    """Return the errors about an object beside its templates.

    Args:
        value: the object, as JSON decodes it.
        kind: the entry of its kind.
        operator: the program that handles it, for messages.
        server: the API server.
    """
    unknown = list(_unknown_fields(value, kind))
    meant = {f"spec.{edit.value}" for each in unknown if each.fix for edit in each.fix.edits}
    absent = [path for path in _absent(value, kind) if path not in meant]
    errors = [*_metadata_errors(value, server), *map(required, absent)]
    found = [*unknown, *findings_from_errors(errors, server)]
    named = any(each.field == "metadata.name" for each in found)
    rejected = _rejected(rule_errors(value, kind), operator, kind.kind, server)
    found += (
        each
        for each in rejected
        if each.field not in absent and not (named and each.field == "metadata.name")
    )
    return found


def schedule_findings(
    value: dict[str, Any], kind: UnvalidatedKind, server: ApiServer
) -> list[Finding]:
    """Return the errors about the schedules of an object without a template.

    Args:
        value: the object, as JSON decodes it.
        kind: the entry of its kind.
        server: the API server.
    """
    errors = [error for path in kind.schedules for error in schedule_errors(value, path)]
    return _rejected(errors, kind.operator, kind.kind, server)


def _rejected(
    errors: Iterable[FieldError], operator: str, kind: str, server: ApiServer
) -> list[Finding]:
    rejects = f"{_capitalized(operator)} rejects the {kind}"
    return [
        each.changed(source="child", message=f"{rejects}: {each.message}")
        for each in findings_from_errors(errors, server)
    ]


def _metadata_errors(value: dict[str, Any], server: ApiServer) -> Iterator[FieldError]:
    report = Report()
    metadata = value.get("metadata")
    decoded = Decoder(server).of(ObjectMeta)(
        {} if metadata is None else metadata, "metadata", report
    )
    yield from report.errors
    if not report.errors:
        holder = {"metadata": decoded}
        complete_metadata(holder, None)
        yield from check_object_meta(holder["metadata"], "metadata", server)


def _absent(value: dict[str, Any], kind: OperatorKind) -> Iterator[str]:
    """Yield the required fields that an object lacks, unless it lacks what has them, too."""
    for path in kind.required:
        holder, _, name = path.rpartition(".")
        for found in templates_at(value, holder):
            if isinstance(found.value, dict) and found.value.get(name) is None:
                yield f"{found.path}.{name}"


def _unknown_fields(value: dict[str, Any], kind: OperatorKind) -> Iterator[Finding]:
    spec = value.get("spec")
    if not kind.fields or not isinstance(spec, dict):
        return
    for name in spec:
        if name in kind.fields or not isinstance(name, str):
            continue
        path = f"spec.{name}"
        meant = near(name, tuple(each for each in kind.fields if each not in spec))
        place = kind.inside.get(name)
        if place is not None:
            moved = Edit("move", path, f"{place}.{name}")
            free = not any(templates_at(value, f"{place}.{name}")) and any(
                templates_at(value, place)
            )
            yield _unknown(
                path,
                f"this field belongs in {place}",
                Fix(f"Move it to {place}", moved, safe=False) if free else None,
            )
        elif meant is not None:
            yield _unknown(
                path,
                f'did you mean "{meant.name}"?',
                Fix(
                    f"Rename it to {meant.name}", Edit("rename", path, meant.name), safe=meant.sure
                ),
            )


def _unknown(path: str, hint: str, fix: Fix | None) -> Finding:
    return Finding(
        source="api",
        severity="error",
        code=CODES["UnknownField"],
        field=path,
        reason="UnknownField",
        rule="unknown_field",
        message=f'unknown field "{path}"',
        hint=hint,
        fix=fix,
    )


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]


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
