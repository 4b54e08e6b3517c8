"""The wording of API server messages in releases before Kubernetes 1.36.

It covers wording that originates in one place of the server. It does not cover lists and objects in
messages: until 1.33 the server prints them in Go's own notation, with memory addresses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.field_errors import quoted
from jobsworth.api.formats.names import NOT_DNS_LABEL

if TYPE_CHECKING:
    from collections.abc import Callable

LAST_WITHOUT_ALIAS_INDEX = 29
"""The last minor version whose errors in hostAliases lack the index (kubernetes/kubernetes#122931)."""

LAST_TRUST_BUNDLE_OF_PEM = 30
"""The last minor version whose errors name a projected trust bundle ``clusterTrustBundlePEM``."""

QUOTES_ALIKE = 34
"""The first minor version that prints values of named string types as JSON."""

LAST_WITH_QUOTED_NAMES = 28
"""The last minor version that prints the names of limits and requests in quotes; QUOTES_ALIKE is the next."""

LAST_WITHOUT_LIMIT = 26
"""The last minor version whose errors about a request do not name the limit."""

LAST_BEFORE_TOO_LONG = 31
"""The last minor version with other words for strings that are too long."""
TOO_LONG = "Too long: may not be more than "
TOO_LONG_BY_CHARACTERS = (".managedBy", ".localhostProfile")
"""The ends of field paths with a second wording until then."""

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


def reword_for_release(minor: int, field: str, message: str) -> str:
    """Translate a message of Kubernetes 1.36 into the wording of an earlier release.

    >>> reword_for_release(31, "metadata.labels", "must be no more than 63 bytes")
    'must be no more than 63 characters'
    >>> field, message = "spec.resources.limits[foo]", 'Invalid value: "foo": must be a standard resource'
    >>> reword_for_release(33, field, message)
    'Invalid value: foo: must be a standard resource'
    """
    for last, part, words, former in FORMER_WORDS:
        if minor <= last and words in message and part in field:
            message = message.replace(words, former)
    if minor <= LAST_BEFORE_TOO_LONG and message.startswith(TOO_LONG):
        length = message.removeprefix(TOO_LONG).partition(" ")[0]
        if field.endswith(TOO_LONG_BY_CHARACTERS):
            return f"Too long: may not be longer than {length}"
        return f"Too long: must have at most {length} bytes"
    if minor <= LAST_WITHOUT_LIMIT and field.endswith(".requests"):
        rest, limit, _ = message.partition(" limit of ")
        message = rest + " limit" if limit else message
    if minor < QUOTES_ALIKE:
        if _is_about_a_resource_name(minor, field, message):
            return _with_value(message, str)
        if "\\u" in message:
            message = _with_value(message, quoted)
        # Earlier releases printed an unset value as a string.
        message = message.replace("Invalid value: null: ", 'Invalid value: "null": ')
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


def _is_about_a_resource_name(minor: int, field: str, message: str) -> bool:
    """Return True for a resource name: old releases print it unquoted, since its type is a Stringer."""
    if ".resizePolicy" in field:
        return message.startswith("Duplicate value") or message.endswith('"cpu", "memory"')
    if minor <= LAST_WITH_QUOTED_NAMES:
        return False
    _, found, name = field.partition(".limits[")
    if not found:
        _, found, name = field.partition(".requests[")
    return bool(found) and f': "{name[:-1]}": ' in message


def _with_value(message: str, printed: Callable[[str], str]) -> str:
    """Reprint the bad value of a message, if it is a JSON string."""
    import json  # imported only for errors of old releases

    kind, separator, rest = message.partition(": ")
    try:
        value, end = json.JSONDecoder().raw_decode(rest)
    except ValueError:
        return message  # a Go string literal is not always valid JSON
    if not isinstance(value, str):
        return message
    return f"{kind}{separator}{printed(value)}{rest[end:]}"
