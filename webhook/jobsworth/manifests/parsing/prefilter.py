"""Which files need no YAML parser, because no Job can be in them."""

from __future__ import annotations

_WORDS = (b"job", b"batch")
"""One of these a document spells out, in any case, to have a Job, a CronJob, a JobList, a List with
a Job in it, or what was meant to be one: its kind is misspelt, or its version is.
"""

_KEYS = (b"kind", b"apiversion")
_KEY_ENDS = (*(bytes([byte]) for byte in b":\"' \t\r\n,]}"), b"\xc2\x85", b"\xe2\x80")
"""And one of these keys stands there, in any case, with one of these bytes behind it: that leaves out
``jobs:`` of workflows, and lock files with packages such as ``kind-of``.
"""

_ESCAPES = (b"\\x", b"\\u", b"\\U", b"\\\n", b"\\\r", b"\\\xc2\x85", b"\\\xe2\x80")
"""The escapes that could spell a word without its letters in a row: a character by its number, and
one over the end of a line. Others are of no letters.
"""

_TAGS = (b"!!", b"!<", b"%TAG")
"""What could be the tag !!binary, in full or through a %TAG."""


def may_hold_job(data: bytes) -> bool:
    """Return whether a file may hold a Job or CronJob, a List, or what was meant to be one.

    False is certain, and cheap: some microseconds for an ordinary manifest. What an alias repeats
    is there in plain letters at its anchor; a NUL byte shows another encoding.

    >>> may_hold_job(b"kind: Deployment"), may_hold_job(b"kind: cronJob")
    (False, True)
    >>> may_hold_job(b"jobs: {test: {}}")
    False
    """
    if b"\0" in data:
        return True
    lowered = data.lower()
    spelt = any(word in lowered for word in _WORDS) or b"List" in data
    if spelt and any(key + end in lowered for key in _KEYS for end in _KEY_ENDS):
        return True
    if b"\\" in data and any(escape in data for escape in _ESCAPES):
        return True
    return b"!" in data and any(tag in data for tag in _TAGS)
