"""The verdict on a JobSet: strict decoding, the CRD, JobSet's webhooks, in the words of the server.

The order is the API server's: it prunes and fills in the defaults of the CRD, calls the mutating webhook,
validates by the CRD, and calls the validating webhook; each stops at its errors. The mutating webhook
re-encodes what it decodes: what its Go types always encode appears in the object, such as ``resources: {}``,
and quantities get their canonical form. The Jobs of a JobSet are validated only when they are created: see
:mod:`jobsworth.kinds.job_set_children`.
"""

from __future__ import annotations

from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from jobsworth.api.api_server import ApiServer
from jobsworth.api.declare import Struct
from jobsworth.api.field_errors import FieldError
from jobsworth.api.jobset.definition import (
    DEFAULTS,
    IMMUTABLE,
    LIST_MAPS,
    MAX_ITEMS,
    OWN,
    SETS,
    expression_errors,
    fill_in_defaults,
    required_fields,
)
from jobsworth.api.jobset.job_set import JobSet, ReplicatedJob, TemplateMeta
from jobsworth.api.jobset.rules import Creation, creation_errors
from jobsworth.api.jobset.update_rules import ELASTIC_SINCE, update_errors
from jobsworth.api.jobset.versions import NEWEST, at_least, go_types, known_version
from jobsworth.api.meta.object_meta import check_object_meta, check_object_meta_update
from jobsworth.api.validation_request import MAX_ERRORS
from jobsworth.findings.finding import Finding
from jobsworth.validation.custom_resource import CustomResource, Definition
from jobsworth.validation.decoded_object import copied
from jobsworth.validation.decoding import Decoder, Report, UnknownField
from jobsworth.validation.encoding import Encoding
from jobsworth.validation.engine import complete_metadata, without_nothing
from jobsworth.validation.suggestions import unknown_field
from jobsworth.validation.verdict_findings import finding_of_stored, findings_from_errors

NOT_CHECKED = FieldError(
    "FieldValueInvalid",
    "",
    "Invalid value: null: some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation",
    rule="not_checked",
)
"""The error that the server adds where it did not evaluate the rules of the CRD."""

BLOCKING = (
    "FieldValueRequired",
    "FieldValueTypeInvalid",
    "FieldValueNotSupported",
    "FieldValueTooLong",
    "FieldValueTooMany",
)
"""The reasons of errors for which the server does not evaluate the rules of the CRD."""


class JobSetVerdict(NamedTuple):
    """The verdict on a JobSet.

    Attributes:
        findings: the errors of the API server and of JobSet's webhooks, with the source ``api``.
        defaulted: the JobSet as it is stored, plain JSON with the defaults of the CRD and of the mutating
            webhook; None if it cannot be decoded.
        further: the errors that the server would report once those of `findings` are fixed.
    """

    findings: list[Finding]
    defaulted: dict[str, Any] | None
    further: tuple[Finding, ...] = ()


def verdict(
    value: dict[str, Any],
    old: dict[str, Any] | None = None,
    *,
    version: str = NEWEST,
    server: ApiServer | None = None,
) -> JobSetVerdict:
    """Return the verdict on a JobSet that is created, or updated if there is an old one.

    Args:
        value: the JobSet, as JSON decodes it.
        old: the JobSet that is stored, or the manifest from which it was made.
        version: of JobSet, such as ``0.12``.
        server: the API server, for the rules about metadata, with the feature gates of JobSet; the newest
            release by default.

    Raises:
        UnknownJobSetVersion: the version is not known.
    """
    return job_set_engine(known_version(version)).verdict(value, old, server or ApiServer())


class JobSetEngine:
    """Validate and default JobSets as one version of JobSet does. Compile once, reuse for many objects."""

    __slots__ = ("_decoder", "_encoding", "_resource", "types", "version")

    def __init__(self, version: str) -> None:
        self.version = version
        self.types = go_types(version)
        self._decoder = Decoder(self.types)
        self._encoding = Encoding(self.types, empty_lists=True)
        self._resource = CustomResource(
            JobSet,
            Definition(
                server=self.types,
                required=lambda struct: required_fields(struct, version),
                list_maps=LIST_MAPS,
                sets=SETS,
                defaults=DEFAULTS,
                immutable=IMMUTABLE,
                template_meta=TemplateMeta,
                own=OWN,
                max_items=MAX_ITEMS.get(version, {}),
            ),
        )

    def verdict(
        self, value: dict[str, Any], old: dict[str, Any] | None, server: ApiServer
    ) -> JobSetVerdict:
        """Return the verdict on a JobSet: see :func:`verdict`."""
        kept, unknown = self._resource.read(value)
        if old is None:
            return self._created(kept, unknown, server)
        if not _is_from_a_server(old):
            former = self._created(self._resource.read(old)[0], [], server).defaulted
            old = old if former is None else former
        return self._updated(kept, unknown, old, server)

    def _created(
        self, kept: dict[str, Any], unknown: list[UnknownField], server: ApiServer
    ) -> JobSetVerdict:
        decoded, report = self.decoded(kept)
        malformed = [self._unknown(each) for each in unknown]
        malformed += findings_from_errors(report.errors, self.types)
        # What cannot be decoded is left out, to find what the server would report next.
        decoded = without_nothing(decoded) if report.errors else decoded
        fill_in_defaults(decoded)
        spec = self.encoded(decoded)["spec"]
        stored = {
            **kept,
            "spec": spec if report.errors else _merged(kept.get("spec", {}), spec),
        }
        self._resource.fill_in(stored, keep_nulls=True)
        complete_metadata(decoded, None)
        # The status of a create is dropped before it is validated.
        value = {**stored, "status": {}}
        invalid = self._definition_errors(value, decoded["metadata"], None, server)
        job_set, _ = self.decoded(stored)
        job_set["metadata"] = decoded["metadata"]
        creation = Creation(
            job_set,
            self.version,
            server,
            lambda: self.printed_jobs(job_set["spec"].get("replicatedJobs")),
        )
        denied = list(islice(creation_errors(creation), MAX_ERRORS))
        found = [malformed, self._findings(invalid), self._findings(denied)]
        return _in_stages(found, None if report.errors else stored)

    def _updated(
        self,
        kept: dict[str, Any],
        unknown: list[UnknownField],
        old: dict[str, Any],
        server: ApiServer,
    ) -> JobSetVerdict:
        if not _is_from_a_server(kept):
            kept = self._with_webhook_defaults(kept)
        stored, unreadable = self.decoded(old)
        if unreadable.errors:
            found = findings_from_errors(unreadable.errors, self.types)
            return JobSetVerdict([finding_of_stored(each) for each in found], kept)
        decoded, report = self.decoded(kept)
        # The API server itself decodes the metadata; the CRD and the webhook the rest.
        malformed = [each for each in report.errors if each.field.startswith("metadata")]
        if malformed:
            return JobSetVerdict(findings_from_errors(malformed, self.types), None)
        if "uid" not in stored["metadata"]:
            complete_metadata(stored, None)
        complete_metadata(decoded, stored)
        # The server keeps the stored status.
        value = {**kept, "status": old.get("status", {})}
        errors = self._definition_errors(value, decoded["metadata"], old, server, stored)
        denied = report.errors or list(
            update_errors(decoded, stored, self.printed_jobs, elastic=self._is_elastic(server))
        )
        stages = [
            [self._unknown(each) for each in unknown],
            self._findings(errors),
            self._findings(denied) if not (errors and report.errors) else [],
        ]
        return _in_stages(stages, kept)

    def _is_elastic(self, server: ApiServer) -> bool:
        return at_least(self.version, ELASTIC_SINCE) and server.enabled("ElasticJobSet")

    def _with_webhook_defaults(self, kept: dict[str, Any]) -> dict[str, Any]:
        """Return a manifest with the defaults that a create has filled in: an apply keeps them."""
        decoded, report = self.decoded(kept)
        if report.errors:
            return kept
        fill_in_defaults(decoded)
        return {**kept, "spec": _merged(kept.get("spec", {}), self.encoded(decoded)["spec"])}

    def _definition_errors(
        self,
        value: dict[str, Any],
        metadata: dict[str, Any],
        old: dict[str, Any] | None,
        server: ApiServer,
        stored: dict[str, Any] | None = None,
    ) -> list[FieldError]:
        """Return the errors of metadata and of the CRD."""
        errors = list(check_object_meta(metadata, "metadata", server))
        if stored is not None:
            errors += check_object_meta_update(metadata, stored["metadata"], "metadata", server)
        errors += self._resource.check(value, old)
        if any(error.reason in BLOCKING for error in errors):
            return [*errors, NOT_CHECKED]
        errors += expression_errors(value.get("spec", {}), self.version)
        if old is not None:
            errors += self._resource.immutable_errors(value, old)
        return errors

    def decoded(self, value: dict[str, Any]) -> tuple[dict[str, Any], Report]:
        """Return a JobSet as the manager decodes it, in the normal form of the decoder."""
        report = Report()
        decoded: dict[str, Any] = self._decoder.of(JobSet)(_whole_numbers(value), "", report)
        return decoded, report

    def encoded(self, decoded: dict[str, Any]) -> dict[str, Any]:
        """Return a JobSet as the manager encodes it."""
        encoded: dict[str, Any] = self._encoding.of(JobSet)(decoded)
        return encoded

    def printed_jobs(self, jobs: list[dict[str, Any]] | None) -> list[Any] | None:
        """Return decoded ReplicatedJobs as the manager prints them: the fields in the order of its types."""
        encode = self._encoding.of(ReplicatedJob)
        return None if jobs is None else [_in_order(encode(job), ReplicatedJob) for job in jobs]

    def _unknown(self, unknown: UnknownField) -> Finding:
        finding = unknown_field(JobSet, unknown, self.types)
        declared = unknown.holder.fields.get(unknown.name)
        if declared is None or self.types.knows(declared.since, declared.until):
            return finding
        return finding.with_hint(f"JobSet {self.version} does not know this field, and drops it")

    def _findings(self, errors: list[FieldError]) -> list[Finding]:
        return findings_from_errors(dict.fromkeys(errors), self.types)


@cache
def job_set_engine(version: str) -> JobSetEngine:
    """Return the engine of a JobSet version, compiled on first use."""
    return JobSetEngine(version)


def _in_stages(stages: list[list[Finding]], defaulted: dict[str, Any] | None) -> JobSetVerdict:
    """Return the verdict of stages of which each stops at its errors."""
    failed = [stage for stage in stages if stage]
    if not failed:
        return JobSetVerdict([], defaulted)
    seen = {(each.field, each.reason) for each in failed[0]}
    further = [
        each
        for stage in failed[1:]
        for each in stage
        if each.rule != NOT_CHECKED.rule
        and ((each.field, each.reason) not in seen or not each.field)
    ]
    return JobSetVerdict(failed[0], defaulted, tuple(further))


def _is_from_a_server(value: dict[str, Any]) -> bool:
    metadata = value.get("metadata")
    return isinstance(metadata, dict) and metadata.keys() >= {"uid", "resourceVersion"}


def _merged(value: Any, encoded: Any) -> Any:
    """Return a value after the patch of a webhook that keeps what its encoding omits."""
    if type(value) is dict and type(encoded) is dict:
        merged = copied(value)
        for name, part in encoded.items():
            merged[name] = _merged(value[name], part) if name in value else part
        return merged
    if type(value) is list and type(encoded) is list and len(value) == len(encoded):
        return [_merged(*each) for each in zip(value, encoded, strict=True)]
    return encoded


def _whole_numbers(value: Any) -> Any:
    """Return a value with integers for floats without fraction: the API server sends both alike."""
    if type(value) is dict:
        return {name: _whole_numbers(part) for name, part in value.items()}
    if type(value) is list:
        return [_whole_numbers(item) for item in value]
    return int(value) if type(value) is float and value.is_integer() else value


def _in_order(value: Any, struct: Struct) -> Any:
    """Return an encoded value with its fields in the order of their declarations."""
    from jobsworth.api.declared_types import struct_below

    if type(value) is not dict:
        return value
    ordered = {}
    for name, field in struct.fields.items():
        if name not in value:
            continue
        part, below = value[name], struct_below(field)
        if below is None:
            ordered[name] = dict(sorted(part.items())) if type(part) is dict else part
        elif type(part) is list:
            ordered[name] = [_in_order(item, below) for item in part]
        else:
            ordered[name] = _in_order(part, below)
    return ordered
