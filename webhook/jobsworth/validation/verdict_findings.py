"""The findings of the API server's verdict, in the words of its release.

Imported for objects with findings only: most manifests have none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from sys import intern

from jobsworth.api.api_server import ApiServer
from jobsworth.api.batch.job import GENERATED_UID
from jobsworth.api.declare import ServerWarning
from jobsworth.api.field_errors import FieldError
from jobsworth.findings.finding import Finding
from jobsworth.validation.reason_codes import CODES
from jobsworth.validation.wording import (
    message_in,
    rename_for_release,
    reword_for_release,
)

SERVER_WARNING = "ServerWarning"
"""The reason of a warning that the server returns with an object that it accepts."""

MAX_WARNINGS, MAX_CUT_WARNING = 4096, 256
"""The number of characters of all warnings, and of one if there are more."""
_CONTROL_CHARACTERS = frozenset(map(chr, (*range(0x20), *range(0x7F, 0xA0))))

STOPPED = "TooManyErrors"
"""The reason of the last finding where an object has more errors than are reported."""

HINTS = {
    "SecurityContext.privileged_containers_are_allowed": "most clusters run with --allow-privileged; "
    "if yours does, remove --no-allow-privileged, or allow-privileged: false from the configuration",
}
"""Hints for API server messages that do not name the cause, by the key of the rule."""


def findings_from_errors(errors: Iterable[FieldError], server: ApiServer) -> list[Finding]:
    """Return the findings of errors, in the words of a server's release."""
    return list(_findings(errors, server))


def of_dropped_fields(dropped: Iterable[tuple[str, str]], server: ApiServer) -> list[Finding]:
    """Return the warnings about fields that the server drops, each a path and the gate that is off."""
    return [
        Finding(
            source="lint",  # no API server warns of it
            severity="warning",
            code=CODES["FieldDropped"],
            field=path,
            reason="FieldDropped",
            message=f"Kubernetes {server.release} ignores {path.rpartition('.')[2]} "
            f"unless the feature gate {server.name_of(gate)} is on",
        )
        for path, gate in dropped
    ]


def patches_differ(patches: str) -> Finding:
    """Return the warning about an update of a suspended Job that some patches of a release reject."""
    return Finding(
        source="lint",
        severity="warning",
        code=CODES["PatchDiffers"],
        field="spec.template",
        reason="PatchDiffers",
        message=f"Kubernetes {patches} reject this change until the Job has the condition Suspended",
    )


def findings_from_warnings(warnings: Iterable[ServerWarning], server: ApiServer) -> list[Finding]:
    """Return the findings of the warnings that a server sends, in the words of its release.

    It sends each text once, none with control characters, and not many: if there are more than 4,096
    characters, it cuts each text to 256, and stops when 4,096 are sent (``pkg/endpoints/filters/warning.go``
    in ``k8s.io/apiserver``). Here no text is cut.
    """
    found: list[Finding] = []
    sent: set[str] = set()
    whole = cut = 0
    for warning in warnings:
        message = reword_for_release(server.minor, warning.field, warning.message)
        text = f"{warning.field}: {message}" if warning.names_field else message
        if whole > MAX_WARNINGS and cut >= MAX_WARNINGS:
            break
        if text in sent or not _CONTROL_CHARACTERS.isdisjoint(text):
            continue
        sent.add(text)
        whole += len(text)
        cut += min(len(text), MAX_CUT_WARNING)
        found.append(
            Finding(
                source="api",
                severity="warning",
                code=CODES[SERVER_WARNING],
                field=warning.field,
                reason=SERVER_WARNING,
                message=message,
                rule=warning.rule,
            )
        )
    return found


def _findings(errors: Iterable[FieldError], server: ApiServer) -> Iterator[Finding]:
    # Messages that share a part still share it after rewording. The part is interned, so that a
    # second validation yields the same string and comparing both compares identities, not text.
    worded: dict[str, str] = {}
    for error in errors:
        if len(error.parts) == 1:
            parts: tuple[str, ...] = (_plain(message_in(server.minor, error)),)
        else:
            for part in error.parts:
                if part not in worded:
                    worded[part] = intern(_plain(reword_for_release(server.minor, "", part)))
            parts = tuple(worded[part] for part in error.parts)
        yield Finding(
            source="api",
            severity="error",
            code=CODES[error.reason],
            field=rename_for_release(server.minor, error.field),
            reason=error.reason,
            message=parts,
            hint=HINTS.get(error.rule, ""),
            rule=error.rule,
            supported=error.supported,
            entry=error.entry,
        )


def _plain(message: str) -> str:
    return message.replace(GENERATED_UID, "<uid>")


def stopped(most: int) -> Finding:
    """Return the last finding of an object in which more than `most` errors were found."""
    return Finding(
        source="api",
        severity="error",
        code=CODES[STOPPED],
        field="",
        reason=STOPPED,
        message=f"stopped after {most:,} findings; fix them first",
    )


def finding_of_stored(finding: Finding) -> Finding:
    """Return an error of decoding the stored object as a finding about the update."""
    return Finding(
        source="api",
        severity="error",
        code=CODES["StoredObjectUnreadable"],
        field=finding.field,
        reason="StoredObjectUnreadable",
        message=f"cannot decode the object to compare with: {finding.message}",
    )
