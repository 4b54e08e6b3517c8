"""The findings of the API server's verdict, in the words of its release.

Imported for objects with findings only: most manifests have none.

It covers wording that originates in one place of the server. It does not cover lists and objects in
messages: until 1.33 the server prints them in Go's own notation, with memory addresses.
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
from kube_cel.formats.names import NOT_DNS_LABEL

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

LAST_WITHOUT_ALIAS_INDEX = 29
"""The last minor version whose errors in hostAliases lack the index (kubernetes/kubernetes#122931)."""

LAST_TRUST_BUNDLE_OF_PEM = 30
"""The last minor version whose errors name a projected trust bundle ``clusterTrustBundlePEM``."""

FORMER_WORDS = (
    (25, ".volumeClaimTemplate.metadata", "cannot be set", "cannot be set for an ephemeral volume"),
    (26, "", "must not contain dots", NOT_DNS_LABEL),
    (27, "", "for init containers without restartPolicy=Always", "for init containers"),
    (
        29,
        "",
        "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
        "must be valid IP address",
    ),
    # Until 1.34 the messages call label keys qualified names, and count characters.
    (34, "", "a valid label key must consist", "a qualified name must consist"),
    (34, "", "must be no more than 63 bytes", "must be no more than 63 characters"),
    (34, "", "must be no more than 253 bytes", "must be no more than 253 characters"),
    (33, ".os.name", "Required value", "Required value: cannot be empty"),
    (33, ".ownerReferences.kind", '"": must not', '"": kind must not'),
    (33, ".ownerReferences.name", '"": must not', '"": name must not'),
    (33, ".ownerReferences.uid", '"": must not', '"": uid must not'),
    # For search domains with underscores, the server printed the pattern without underscores.
    (
        33,
        "",
        "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*'",
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'",
    ),
)
"""For each phrase: the last minor version with the old wording, a part of the field path (empty for any),
the wording of 1.36, and the old wording."""


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


def message_in(minor: int, error: FieldError) -> str:
    """Return the message of an error in the words of a release."""
    former = error.former
    if former is not None and former.since <= minor <= former.until:
        return reword_for_release(minor, error.field, former.message)
    return reword_for_release(minor, error.field, error.message)


def reword_for_release(minor: int, field: str, message: str) -> str:
    """Translate phrases of Kubernetes 1.36 in a message into those of an earlier release.

    >>> reword_for_release(31, "metadata.labels", "must be no more than 63 bytes")
    'must be no more than 63 characters'
    """
    for last, part, words, former in FORMER_WORDS:
        if minor <= last and words in message and part in field:
            message = message.replace(words, former)
    return message


def rename_for_release(minor: int, field: str) -> str:
    """Translate a field path of Kubernetes 1.36 into that of an earlier release.

    >>> rename_for_release(29, "spec.template.spec.hostAliases[1].hostnames[0]")
    'spec.template.spec.hostAliases.hostnames'
    """
    if minor <= LAST_TRUST_BUNDLE_OF_PEM:
        field = field.replace(".clusterTrustBundle", ".clusterTrustBundlePEM")
    if minor > LAST_WITHOUT_ALIAS_INDEX or ".hostAliases[" not in field:
        return field
    holder, _, rest = field.partition(".hostAliases[")
    part = rest.partition("].")[2].partition("[")[0]
    return f"{holder}.hostAliases.{part}" if part else field
