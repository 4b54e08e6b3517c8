"""The engine: a plain object, a server, and what that server would say."""

from __future__ import annotations

from jobsworth.api.batch.job import GENERATED_LABELS, GENERATED_UID
from jobsworth.api.kinds import kind
from jobsworth.api.validation_request import Request
from jobsworth.findings.finding import Finding
from jobsworth.record import Record
from jobsworth.validation.checking import Checking
from jobsworth.validation.codes import CODES
from jobsworth.validation.decoding import Decoder, Report
from jobsworth.validation.defaulting import Defaulting
from jobsworth.validation.wording import as_worded_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jobsworth.api.declare import Struct
    from jobsworth.api.errors import FieldError
    from jobsworth.api.server import ApiServer
    from jobsworth.validation.encoding import Encoding

DEFAULT_NAMESPACE = "default"
SERVER_FIELDS = ("uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds")
"""Metadata that only the server writes: on create it overwrites what a manifest says."""


class UnknownKind(ValueError):
    """An object that is neither a Job nor a CronJob of ``batch/v1``."""


class CannotDecode(ValueError):
    """An object that the server could not decode (HTTP status 400).

    Attributes:
        findings: what is wrong, at least one of severity ``error``.
    """

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__("; ".join(f"{finding.field}: {finding.message}" for finding in findings))
        self.findings = findings


class Readable(Record):
    """The part of an object that could be decoded, with the server's defaults.

    Attributes:
        object: without unknown fields and without values of a wrong type.
        unknown: the paths of fields that the server's release does not have.
        errors: the values of a wrong type.
    """

    object: dict[str, Any]
    unknown: tuple[str, ...]
    errors: tuple[FieldError, ...]

    @property
    def complete(self) -> bool:
        """Whether all of the object could be decoded."""
        return not (self.unknown or self.errors)


class Engine:
    """Judges and defaults objects as one API server does. Compiled once, then used for any number."""

    __slots__ = ("_check", "_decoder", "_default", "_encoding", "server")

    def __init__(self, server: ApiServer) -> None:
        self.server = server
        self._decoder = Decoder(server)
        self._default = Defaulting(server)
        self._check = Checking(server)
        self._encoding: Encoding | None = None

    def validate(self, value: Any, old: Any = None) -> list[Finding]:
        """What the server would say to a create, or to an update where there is an old object.

        Args:
            value: the object, as JSON decodes it.
            old: the object that is stored, or the manifest from which it was made.

        Raises:
            UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
        """
        try:
            struct, decoded, findings = self._decode(value)
            stored = None if old is None else self._stored(old)
        except CannotDecode as error:
            return error.findings
        request = Request(self.server, struct.name, stored)
        self._fill_in(struct, decoded, request)
        _complete_metadata(decoded, stored)
        for prepare in struct.preparers:
            prepare(decoded, request)
        errors = request.errors
        self._check.of(struct)(decoded, "", request, errors)
        if stored is not None:
            for rule in struct.update_rules:
                errors.extend(rule(decoded, stored, request))
        findings.extend(_finding(error, self.server) for error in dict.fromkeys(errors))
        return findings

    def default(self, value: Any) -> dict[str, Any]:
        """The object with the server's defaults filled in, and without what the server makes up.

        Raises:
            UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
            CannotDecode: the object is malformed.
        """
        struct, decoded, _ = self._decode(value)
        return self._defaulted(struct, decoded)

    def default_readable(self, value: Any) -> Readable:
        """Return what can be decoded of an object, with the server's defaults filled in.

        A server of a later release accepts fields that this one does not know, so whoever judges by
        policies evaluates the rest instead of nothing.

        Raises:
            UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
        """
        struct = kind_of(value)
        report = Report()
        decoded = self._decoder.of(struct)(value, "", report)
        if report.errors:
            decoded = _without_nothing(decoded)
        unknown = tuple(f"{path}.{name}" if path else name for path, name, _ in report.unknown)
        return Readable(self._defaulted(struct, decoded), unknown, tuple(report.errors))

    def _defaulted(self, struct: Struct, decoded: dict[str, Any]) -> dict[str, Any]:
        self._fill_in(struct, decoded, Request(self.server, struct.name))
        if self._encoding is None:
            from jobsworth.validation.encoding import Encoding  # to validate takes none

            self._encoding = Encoding(self.server)
        encoded: dict[str, Any] = self._encoding.of(struct)(decoded)
        return encoded

    def decode(self, value: Any) -> tuple[Struct, dict[str, Any]]:
        """The type of an object, and the object in normal form: see :mod:`jobsworth.validation.decoding`.

        Raises:
            UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
            CannotDecode: the object is malformed.
        """
        struct, decoded, _ = self._decode(value)
        return struct, decoded

    def fill_in(self, struct: Struct, decoded: dict[str, Any]) -> None:
        """Fill in the defaults of a decoded object, in place."""
        self._fill_in(struct, decoded, Request(self.server, struct.name))

    def _decode(self, value: Any) -> tuple[Struct, dict[str, Any], list[Finding]]:
        struct = kind_of(value)
        report = Report()
        decoded = self._decoder.of(struct)(value, "", report)
        errors = [_finding(error, self.server) for error in report.errors]
        if report.unknown:
            from jobsworth.validation.suggestions import unknown_field

            errors.extend(
                unknown_field(struct, path, name, holder, self.server)
                for path, name, holder in report.unknown
            )
        if errors:
            raise CannotDecode(errors)
        return struct, decoded, [self._dropped(path, gate) for path, gate in report.dropped]

    def _dropped(self, path: str, gate: str) -> Finding:
        return Finding(
            source="api",
            severity="warning",
            code=CODES["FieldDropped"],
            field=path,
            reason="FieldDropped",
            message=f"field {path} is ignored by Kubernetes {self.server.release} "
            f"unless the feature gate {gate} is on",
        )

    def _fill_in(self, struct: Struct, decoded: dict[str, Any], request: Request) -> None:
        fill = self._default.of(struct)
        if fill is not None:
            fill(decoded, request)

    def _stored(self, old: Any) -> dict[str, Any]:
        """The old object as the server has stored it, also where only its manifest is known."""
        try:
            struct, stored, _ = self._decode(old)
        except CannotDecode as error:
            raise CannotDecode([_of_stored(finding) for finding in error.findings]) from None
        request = Request(self.server, struct.name)
        self._fill_in(struct, stored, request)
        if not _came_from_a_server(stored):
            # A manifest, not what the server returned: it is stored as creation would store it.
            status = stored.get("status", {})
            _complete_metadata(stored, None)
            for prepare in struct.preparers:
                prepare(stored, request)
            stored["status"] = status
        stored["metadata"].setdefault("namespace", DEFAULT_NAMESPACE)
        return stored


def kind_of(value: Any) -> Struct:
    """The declared type of an object, by its apiVersion and kind.

    Raises:
        UnknownKind: the object is neither a Job nor a CronJob of ``batch/v1``.
    """
    if isinstance(value, dict):
        struct = kind(value.get("apiVersion"), value.get("kind"))
        if struct is not None:
            return struct
    raise UnknownKind("not a Job or CronJob of batch/v1")


def _without_nothing(decoded: Any) -> Any:
    """Leave out what the decoder puts in the place of a scalar of a wrong type in a list or map."""
    if type(decoded) is dict:
        return {name: _without_nothing(part) for name, part in decoded.items() if part is not None}
    if type(decoded) is list:
        return [_without_nothing(item) for item in decoded if item is not None]
    return decoded


def _came_from_a_server(stored: dict[str, Any]) -> bool:
    """Whether an object has what a server adds, so that it is no manifest."""
    spec = stored["spec"]
    return stored["metadata"].keys() >= {
        "name",
        "uid",
        "resourceVersion",
        "creationTimestamp",
    } and ("template" not in spec or "selector" in spec)


def _complete_metadata(decoded: dict[str, Any], stored: dict[str, Any] | None) -> None:
    """Fill in the metadata that the server sets itself before it validates.

    Source: ``rest.BeforeCreate`` and ``rest.BeforeUpdate``, Kubernetes 1.36. An object that is updated
    from a manifest, not from what the server returned, keeps what the server had generated for the
    stored one: that is what ``kubectl apply`` sends.
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
    selector = spec.setdefault("selector", {}).setdefault("matchLabels", {})
    labels = spec["template"]["metadata"].setdefault("labels", {})
    old_labels = old["template"]["metadata"].get("labels", {})
    for label in GENERATED_LABELS:
        if label in generated:
            selector.setdefault(label, generated[label])
        if label in old_labels:
            labels.setdefault(label, old_labels[label])


HINTS = {
    "disallowed by cluster policy": "most clusters run with --allow-privileged: "
    "if yours does, say so with the option of the same name",
}
"""What to add to messages that leave people alone, by their detail."""


def _finding(error: FieldError, server: ApiServer) -> Finding:
    return Finding(
        source="api",
        severity="error",
        code=CODES[error.reason],
        field=error.field,
        reason=error.reason,
        message=as_worded_by(
            server.minor, error.field, error.message.replace(GENERATED_UID, "<uid>")
        ),
        hint=HINTS.get(error.message.rpartition(": ")[2], ""),
    )


def _of_stored(finding: Finding) -> Finding:
    return Finding(
        source="api",
        severity="error",
        code=CODES["StoredObjectUnreadable"],
        field=finding.field,
        reason="StoredObjectUnreadable",
        message=f"the object to compare with cannot be decoded: {finding.message}",
    )


_engines: dict[ApiServer, Engine] = {}


def engine_for(server: ApiServer) -> Engine:
    """The engine of a server, compiled when it is first asked for."""
    engine = _engines.get(server)
    if engine is None:
        engine = _engines[server] = Engine(server)
    return engine
