"""The engine: decodes, defaults and validates an object as one API server does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from jobsworth.api.batch.job import (
    GENERATED_LABELS,
    GENERATED_UID,
    KEPT_BY_UPDATES,
    add_to_selector_and_labels,
)
from jobsworth.api.core.gated_pod_fields import gates_in_use
from jobsworth.api.declare import ServerWarning, Struct
from jobsworth.api.field_errors import FieldError
from jobsworth.api.kinds import Job, kind
from jobsworth.api.validation_request import MAX_ERRORS, Request, TooManyErrors
from jobsworth.findings.finding import Finding
from jobsworth.validation.checking import Checking
from jobsworth.validation.decoded_object import DecodedObject, copied
from jobsworth.validation.decoding import Decoder, Report
from jobsworth.validation.defaulting import Defaulting

if TYPE_CHECKING:
    from jobsworth.api.api_server import ApiServer
    from jobsworth.validation.encoding import Encoding

DEFAULT_NAMESPACE = "default"
NO_GATES: frozenset[str] = frozenset()
NAME_COPIED_SINCE = 31
"""The first minor version that copies an object whose name it generates: then no two maps are one."""
SERVER_FIELDS = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
"""Metadata that only the server writes; on create it discards the values of the manifest."""


class UnknownKind(ValueError):
    """An object that is neither a Job nor a CronJob of ``batch/v1``."""


class CannotDecode(ValueError):
    """An object that the server could not decode (HTTP status 400).

    Attributes:
        findings: the errors, at least one.
    """

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("; ".join(f"{finding.field}: {finding.message}" for finding in findings))
        self.findings = findings


class Engine:
    """Validate and default objects as one API server does. Compile once, reuse for many objects."""

    __slots__ = ("_check", "_decoder", "_default", "_encoding", "_keeping", "server")

    def __init__(self, server: ApiServer) -> None:
        self.server = server
        self._keeping: dict[frozenset[str], Engine] = {}
        self._decoder = Decoder(server)
        self._default = Defaulting(server)
        self._check = Checking(server)
        self._encoding: Encoding | None = None

    def validate(self, value: Any, old: Any = None, most: int = MAX_ERRORS) -> list[Finding]:
        """Return the server's findings for a create, or for an update if there is an old object.

        Args:
            value: the object, as JSON decodes it.
            old: the object that is stored, or the manifest from which it was made.
            most: the number of errors after which validation stops; a last finding says so.

        Raises:
            UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
        """
        return self.verdict(self.decode_object(value, most), old, most)

    def decode_object(self, value: Any, most: int = MAX_ERRORS) -> DecodedObject:
        """Decode an object once, for callers that need more than the verdict.

        Args:
            value: the object, as JSON decodes it.
            most: the largest number of errors in `findings`.

        Raises:
            UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
        """
        struct, decoded, report = self._read(value)
        if report.errors:
            decoded = without_nothing(decoded)
        malformed = report.errors or report.unknown
        findings = (
            self._malformed(struct, report, most) if malformed else self._dropped_fields(report)
        )
        unknown = tuple(each.field for each in report.unknown)

        def fill(value: dict[str, Any]) -> None:
            self._fill_in(struct, value, Request(self.server, struct.name))

        return DecodedObject(
            struct,
            decoded,
            source=value,
            findings=findings,
            dropped=tuple(report.dropped),
            unknown=unknown,
            unreadable=tuple(report.errors),
            fill=fill,
        )

    def verdict(
        self, decoded: DecodedObject, old: Any = None, most: int = MAX_ERRORS
    ) -> list[Finding]:
        """Return the findings of :meth:`validate` for an object that is already decoded."""
        if not decoded.is_valid:
            return decoded.findings
        struct = decoded.struct
        if old is None:
            request = Request(self.server, struct.name, most_errors=most)
            return self._verdict(struct, decoded.filled, decoded.findings, request)
        try:
            stored, in_use = self._stored(old)
        except CannotDecode as error:
            return error.findings
        request = Request(self.server, struct.name, stored, most_errors=most)
        if not in_use and not decoded.dropped:
            return self._verdict(struct, decoded.filled, decoded.findings, request)
        request.in_use = in_use
        keeping = self._keeping_fields(in_use)
        filled, report = keeping.read_update(struct, decoded.source, stored, self.server)
        keeping._fill_in(struct, filled, Request(self.server, struct.name))
        return keeping._verdict(struct, filled, self._dropped_fields(report), request)

    def compared_template(self, value: Any, old: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what an update of a Job may not change of its Pod template: the new and the stored value.

        Args:
            value: the Job, which can be decoded.
            old: the Job that it updates, which can be decoded.
        """
        from jobsworth.api.batch.job_update import compared_template

        stored, in_use = self._stored(old)
        engine = self._keeping_fields(in_use) if in_use else self
        decoded = engine.decode_object(value)
        request = Request(self.server, decoded.struct.name, stored)
        request.in_use = in_use
        _, new, kept = compared_template(decoded.filled, stored, request)
        return new, kept

    def _keeping_fields(self, in_use: frozenset[str]) -> Engine:
        """Return the engine that keeps the fields of gates that the stored object uses.

        While a gate is off, the server drops its fields from an update only if the stored object has none
        of them.
        """
        if in_use not in self._keeping:
            self._keeping[in_use] = Engine(self.server.with_fields_of(in_use | KEPT_BY_UPDATES))
        return self._keeping[in_use]

    def _verdict(
        self, struct: Struct, filled: dict[str, Any], dropped: list[Finding], request: Request
    ) -> list[Finding]:
        """Validate a decoded object with defaults."""
        stored, most = request.old, request.most_errors
        filled = {**filled, "metadata": {**filled["metadata"]}}  # the server changes it
        conflict = _uid_conflict(filled, stored)
        is_copied = "name" not in filled["metadata"] and self.server.minor >= NAME_COPIED_SINCE
        complete_metadata(filled, stored)
        if is_copied and "labels" in filled["metadata"]:
            filled["metadata"]["labels"] = {**filled["metadata"]["labels"]}
        for prepare in struct.preparers:
            prepare(filled, request)
        errors = request.errors
        try:
            if conflict is not None:
                errors.append(conflict)
            else:
                self._check.of(struct)(filled, "", request, errors)
            if stored is not None and conflict is None:
                for rule in struct.update_rules:
                    key = struct.key(rule)
                    errors.extend(error.of_rule(key) for error in rule(filled, stored, request))
        except TooManyErrors:
            pass  # the errors so far are reported, and that there are more
        if not errors:
            warnings = self._warnings(struct, filled, request)
            if struct is Job and stored is not None and self.server.minor == 36:
                from jobsworth.api.batch.job_update import is_refused_by_earlier_patches

                if is_refused_by_earlier_patches(filled, stored, request):
                    from jobsworth.validation.verdict_findings import patches_differ

                    warnings = [*warnings, patches_differ("1.36.0 and 1.36.1")]
            return [*dropped, *warnings] if warnings else dropped
        from jobsworth.validation.verdict_findings import findings_from_errors, stopped

        found = findings_from_errors(dict.fromkeys(errors[:most]), self.server)
        return [*dropped, *found, *([stopped(most)] if len(errors) > most else ())]

    def _warnings(self, struct: Struct, filled: dict[str, Any], request: Request) -> list[Finding]:
        """Return the server's warnings about a valid object."""
        warnings = _warnings_of(struct, filled, request)
        first = next(warnings, None)
        if first is None:
            return []
        from jobsworth.validation.verdict_findings import findings_from_warnings

        return findings_from_warnings(chain((first,), warnings), self.server)

    def default(self, value: Any, old: Any = None) -> dict[str, Any]:
        """Return the object with the server's defaults, without values that the server generates.

        Args:
            value: the object, as JSON decodes it.
            old: the object that is stored, if this is an update: the server keeps its fields of gates that
                are off.

        Raises:
            UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
            CannotDecode: the object is malformed.
        """
        struct, decoded, report = self._decode(value)
        keeping = self
        if old is not None:
            stored, in_use = self._stored(old)
            if in_use or report.dropped:
                keeping = self._keeping_fields(in_use)
                decoded, _ = keeping.read_update(struct, value, stored, self.server)
        keeping._fill_in(struct, decoded, Request(self.server, struct.name))
        return keeping._encoded(struct, decoded)

    def encoded(self, decoded: DecodedObject) -> dict[str, Any]:
        """Return the decodable part of an object with the server's defaults, as the server prints it."""
        return self._encoded(decoded.struct, decoded.filled)

    def _encoded(self, struct: Struct, filled: dict[str, Any]) -> dict[str, Any]:
        if self._encoding is None:
            from jobsworth.validation.encoding import Encoding  # validation does not need it

            self._encoding = Encoding(self.server)
        encoded: dict[str, Any] = self._encoding.of(struct)(filled)
        return encoded

    def created_job(self, decoded: DecodedObject) -> dict[str, Any]:
        """Return the Job that an object creates, with defaults: the Job itself, or a CronJob's Job.

        Do not change it.
        """
        filled = decoded.filled
        if decoded.struct is Job:
            return filled
        if decoded.created is not None:
            return decoded.created
        # The API server applies the defaults of a JobSpec, and up to 1.33 those of its failure policy, only
        # when the controller creates the Job. So these parts are copied; the Pod template has its defaults.
        template = filled["spec"]["jobTemplate"]
        spec = {**template["spec"]}
        if "podFailurePolicy" in spec:
            spec["podFailurePolicy"] = copied(spec["podFailurePolicy"])
        job = {**template, "metadata": {**template["metadata"]}, "spec": spec, "status": {}}
        self.fill_in(Job, job)
        decoded.created = job
        return job

    def created_pod_errors(self, template: dict[str, Any], path: str) -> list[Finding]:
        """Return the errors for which the server rejects the Pods of a template that it accepts.

        Args:
            template: a PodTemplateSpec with defaults.
            path: its field path.
        """
        from jobsworth.api.core.created_pod import CreatedPod

        request = Request(self.server, CreatedPod.name)
        errors = (
            error.of_rule(rule.key)
            for rule in CreatedPod.rules
            for error in rule.check(template, path, request)
        )
        found = dict.fromkeys(islice(errors, request.most_errors))
        if not found:
            return []
        from jobsworth.validation.verdict_findings import findings_from_errors

        return findings_from_errors(found, self.server)

    def fill_in(self, struct: Struct, decoded: dict[str, Any]) -> None:
        """Fill in the defaults of a decoded object, in place."""
        self._fill_in(struct, decoded, Request(self.server, struct.name))

    def _decode(self, value: Any) -> tuple[Struct, dict[str, Any], Report]:
        struct, decoded, report = self._read(value)
        if report.errors or report.unknown:
            raise CannotDecode(self._malformed(struct, report, MAX_ERRORS))
        return struct, decoded, report

    def _read(self, value: Any) -> tuple[Struct, dict[str, Any], Report]:
        struct = kind_of(value)
        report = Report()
        decoded = self._decoder.of(struct)(value, "", report)
        for drop in struct.droppers:
            report.dropped.extend(drop(decoded, None, self.server))
        return struct, decoded, report

    def read_stored(self, struct: Struct, value: Any) -> dict[str, Any]:
        """Decode a stored object, dropping only the fields of this engine's gates."""
        decoded: dict[str, Any] = self._decoder.of(struct)(value, "", Report())
        return decoded

    def read_update(
        self, struct: Struct, value: Any, stored: dict[str, Any], server: ApiServer
    ) -> tuple[dict[str, Any], Report]:
        """Decode the new object of an update, dropping what the server drops beside the stored one."""
        report = Report()
        decoded = self._decoder.of(struct)(value, "", report)
        for drop in struct.droppers:
            report.dropped.extend(drop(decoded, stored, server))
        return decoded, report

    def _malformed(self, struct: Struct, report: Report, most: int) -> list[Finding]:
        from jobsworth.validation.verdict_findings import findings_from_errors, stopped

        errors = findings_from_errors(report.errors[:most], self.server)
        if report.unknown:
            from jobsworth.validation.suggestions import unknown_field

            errors.extend(
                unknown_field(struct, each, self.server)
                for each in report.unknown[: most - len(errors)]
            )
        if len(report.errors) + len(report.unknown) > most:
            errors.append(stopped(most))
        return errors

    def _dropped_fields(self, report: Report) -> list[Finding]:
        if not report.dropped:
            return []
        from jobsworth.validation.verdict_findings import of_dropped_fields

        return of_dropped_fields(report.dropped, self.server)

    def _fill_in(self, struct: Struct, decoded: dict[str, Any], request: Request) -> None:
        fill = self._default.of(struct)
        if fill is not None:
            fill(decoded, request)

    def _stored(self, old: Any) -> tuple[dict[str, Any], frozenset[str]]:
        """Return the old object as the server stores it, and the gates that are off but whose fields it has.

        If only its manifest is known, the server dropped those fields when it created the object.
        """
        try:
            struct, stored, report = self._decode(old)
        except CannotDecode as error:
            from jobsworth.validation.verdict_findings import finding_of_stored

            raise CannotDecode([finding_of_stored(finding) for finding in error.findings]) from None
        from_a_server = _came_from_a_server(stored)
        in_use, keeping = NO_GATES, self
        if from_a_server and report.dropped:
            off = frozenset(gate for _, gate in report.dropped)
            keeping = self._keeping_fields(off)
            stored = keeping.read_stored(struct, old)
            in_use = gates_in_use(off, Request(self.server, struct.name, stored).old_pod or {})
        request = Request(self.server, struct.name)
        keeping._fill_in(struct, stored, request)
        if not from_a_server:
            # A manifest, not an object from the server: prepare it as a create request would.
            status = stored.get("status", {})
            complete_metadata(stored, None)
            for prepare in struct.preparers:
                prepare(stored, request)
            stored["status"] = status
        stored["metadata"].setdefault("namespace", DEFAULT_NAMESPACE)
        return stored, in_use


def kind_of(value: Any) -> Struct:
    """Return the declared type of an object, by its apiVersion and kind.

    Raises:
        UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
    """
    if isinstance(value, dict):
        struct = kind(value.get("apiVersion"), value.get("kind"))
        if struct is not None:
            return struct
    raise UnknownKind("not a Job or CronJob of batch/v1")


def is_known(value: Any) -> bool:
    """Return True if an object is a Job or CronJob of ``batch/v1``."""
    return isinstance(value, dict) and kind(value.get("apiVersion"), value.get("kind")) is not None


def without_nothing(decoded: Any) -> Any:
    """Remove the None values that replace scalars of the wrong type in lists and maps."""
    if type(decoded) is dict:
        return {name: without_nothing(part) for name, part in decoded.items() if part is not None}
    if type(decoded) is list:
        return [without_nothing(item) for item in decoded if item is not None]
    return decoded


def _came_from_a_server(stored: dict[str, Any]) -> bool:
    """Return True if an object has the fields that a server adds, so it is not a manifest."""
    spec = stored["spec"]
    return stored["metadata"].keys() >= {
        "name",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    } and ("template" not in spec or "selector" in spec)


def _uid_conflict(decoded: dict[str, Any], stored: dict[str, Any] | None) -> FieldError | None:
    """Return the error for an update of an object with another UID, after which the server checks nothing."""
    uid = decoded["metadata"].get("uid")
    own = None if stored is None else stored["metadata"]["uid"]
    if not uid or own in (None, uid, GENERATED_UID):
        return None
    detail = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {own}"
    return FieldError("FieldValueInvalid", "metadata.uid", detail, rule="uid")


def complete_metadata(decoded: dict[str, Any], stored: dict[str, Any] | None) -> None:
    """Fill in the metadata that the server sets itself before it validates.

    Source: ``rest.BeforeCreate`` and ``rest.BeforeUpdate``, Kubernetes 1.36. An object that is updated
    from a manifest keeps the values that the server generated for the stored object, because
    ``kubectl apply`` sends them.
    """
    meta = decoded["metadata"]
    meta.setdefault("namespace", DEFAULT_NAMESPACE)
    if stored is None:
        for field in SERVER_FIELDS:
            meta.pop(field, None)
        meta["uid"] = GENERATED_UID
        meta["generation"] = 1
        if "name" not in meta and "generateName" in meta:
            meta["name"] = f"{meta['generateName'][:58]}xxxxx"
        return
    old = stored["metadata"]
    if meta.get("uid") != old["uid"]:
        for field in SERVER_FIELDS:
            meta.pop(field, None)
        meta["uid"] = old["uid"]
        if "name" in old:
            meta.setdefault("name", old["name"])
        _keep_generated(decoded, stored)
    for field in ("creationTimestamp", "generation", "deletionTimestamp"):
        if field in old:
            meta[field] = old[field]
    if "deletionGracePeriodSeconds" in old:
        meta.setdefault("deletionGracePeriodSeconds", old["deletionGracePeriodSeconds"])


def _keep_generated(decoded: dict[str, Any], stored: dict[str, Any]) -> None:
    """Keep the selector and labels that the server generated for the stored Job."""
    spec, old = decoded["spec"], stored["spec"]
    if "template" not in spec or spec.get("manualSelector") or "selector" not in old:
        return
    generated = old["selector"].get("matchLabels", {})
    labels = old["template"]["metadata"].get("labels", {})
    add_to_selector_and_labels(
        decoded,
        {label: generated[label] for label in GENERATED_LABELS if label in generated},
        {label: labels[label] for label in GENERATED_LABELS if label in labels},
    )


def _warnings_of(
    struct: Struct, filled: dict[str, Any], request: Request
) -> Iterator[ServerWarning]:
    """Yield the warnings in the server's order; about the spec, unless an update leaves it as it is."""
    for warner, is_about_spec in struct.warners:
        warnings = iter(warner(filled, request))
        first = next(warnings, None)
        if first is None or (is_about_spec and not _changes_spec(filled, request)):
            continue
        yield first
        yield from warnings


def _changes_spec(filled: dict[str, Any], request: Request) -> bool:
    from jobsworth.api.equality import equal

    return request.old is None or not equal(filled["spec"], request.old["spec"])


_engines: dict[ApiServer, Engine] = {}


def engine_for(server: ApiServer) -> Engine:
    """Return the engine of a server, compiled on first use."""
    engine = _engines.get(server)
    if engine is None:
        engine = _engines[server] = Engine(server)
    return engine
