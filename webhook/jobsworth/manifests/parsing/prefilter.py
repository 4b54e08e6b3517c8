"""Exclude files that cannot contain a Job before the YAML parser reads them."""

from __future__ import annotations

_KEYS = (b"kind", b"apiversion")
_KEY_ENDS = (*(bytes([byte]) for byte in b":\"' \t\r\n,]}"), b"\xc2\x85", b"\xe2\x80")
"""A document with a Job contains one of these keys, in upper or lower case, before one of these bytes. That
excludes workflows with ``jobs:``, and lock files with packages such as ``kind-of``.
"""

_ESCAPES = (b"\\x", b"\\u", b"\\U", b"\\\n", b"\\\r", b"\\\xc2\x85", b"\\\xe2\x80")
"""Escapes that can hide the letters of a word: a character by its number, and an escaped line break.
Others do not produce letters.
"""

_OTHER_KINDS = (
    b"podtemplate", b"ray.io", b"kubeflow.org", b"x-k8s.io", b"volcano.sh", b"sparkoperator.k8s.io",
    b"crossplane.io", b"open-cluster-management.io", b"karmada.io", b"codeflare.dev", b"argoproj.io",
    b"tekton.dev", b"openshift.io", b"template\n", b"template,", b"template}", b"template\r",
)  # fmt: skip
"""Words of the shipped kinds with templates that have no "job" in their name, or of their groups: see
:mod:`jobsworth.kinds.kind_table`."""

_NUL, _BACKSLASH, _EXCLAMATION_MARK = b"\0\\!"
"""Bytes as numbers, which are found in a fifth of the time."""

_TAGS = (b"!!", b"!<", b"%TAG")
"""Possible forms of the tag !!binary, in full or through a %TAG."""


def might_contain_job(data: bytes) -> bool:
    """Return False if a file certainly has no Job, CronJob or List, not even a misspelled one, and no kind
    with templates.

    The check takes some microseconds for an ordinary manifest. Aliases need no check, since their
    anchor has the same letters; a NUL byte indicates another encoding, which may hold anything.

    >>> might_contain_job(b"kind: Deployment"), might_contain_job(b"kind: cronJob")
    (False, True)
    >>> might_contain_job(b"jobs: {test: {}}")
    False
    """
    # A document with a Job, a CronJob, a JobList, a List with a Job, or a misspelled kind or version of these
    # contains one of these words.
    lowered = data.lower()
    has_word = b"job" in lowered or b"batch" in lowered or b"List" in data
    has_word = has_word or any(word in lowered for word in _OTHER_KINDS)
    if has_word and any(key + end in lowered for key in _KEYS for end in _KEY_ENDS):
        return True
    return has_escapes(data)


def has_escapes(data: bytes) -> bool:
    """Return True if the words of a text may be written in other letters: by escapes, tags or an encoding.

    >>> has_escapes(b"kind: Job"), has_escapes(b'kind: "\\\\x4aob"')
    (False, True)
    """
    if _NUL in data:
        return True
    if _BACKSLASH in data and any(escape in data for escape in _ESCAPES):
        return True
    return _EXCLAMATION_MARK in data and any(tag in data for tag in _TAGS)
