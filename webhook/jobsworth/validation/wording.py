"""The wording of API server messages in releases before Kubernetes 1.36.

It covers wording that originates in one place of the server. It does not cover lists and objects in
messages: until 1.33 the server prints them in Go's own notation, with memory addresses.
"""

from __future__ import annotations

from jobsworth.api.field_errors import FieldError
from kube_cel.formats.names import NOT_DNS_LABEL

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
