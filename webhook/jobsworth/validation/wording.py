"""How releases before Kubernetes 1.36 word what they say.

Only wording that comes from one place of the server is followed; how older releases print whole lists and
objects into a message is not.
"""

from __future__ import annotations

FORMER_WORDS = (
    # Until 1.34 label keys were called what they are also used for, and counted in characters.
    (34, "a valid label key must consist", "a qualified name must consist"),
    (34, "must be no more than 63 bytes", "must be no more than 63 characters"),
    (34, "must be no more than 253 bytes", "must be no more than 253 characters"),
)
"""Of each phrase: the last minor version that worded it otherwise, the words of 1.36, and the former ones."""


def as_worded_by(minor: int, message: str) -> str:
    """A message of Kubernetes 1.36 in the words of an earlier release.

    >>> as_worded_by(31, "must be no more than 63 bytes")
    'must be no more than 63 characters'
    """
    for last, words, former in FORMER_WORDS:
        if minor <= last and words in message:
            message = message.replace(words, former)
    return message
