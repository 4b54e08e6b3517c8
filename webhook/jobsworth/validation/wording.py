"""How releases before Kubernetes 1.36 word what they say.

Only wording that comes from one place of the server is followed; how older releases print whole lists and
objects into a message is not: until 1.33 that is Go's own notation, with addresses in memory.
"""

from __future__ import annotations

from jobsworth.api.errors import quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

QUOTES_ALIKE = 34
"""Since this minor version values whose type is a kind of string are printed as JSON."""

FORMER_WORDS = (
    # Until 1.34 label keys were called what they are also used for, and counted in characters.
    (34, "", "a valid label key must consist", "a qualified name must consist"),
    (34, "", "must be no more than 63 bytes", "must be no more than 63 characters"),
    (34, "", "must be no more than 253 bytes", "must be no more than 253 characters"),
    (33, ".os.name", "Required value", "Required value: cannot be empty"),
    (33, ".ownerReferences.kind", '"": must not', '"": kind must not'),
    (33, ".ownerReferences.name", '"": must not', '"": name must not'),
    (33, ".ownerReferences.uid", '"": must not', '"": uid must not'),
    # The pattern that was printed for search domains with underscores was the one without.
    (
        33,
        "",
        "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*'",
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'",
    ),
)
"""Of each phrase: the last minor version that worded it otherwise, how the path of the field ends about which
it is (empty: any), the words of 1.36, and the former ones."""


def as_worded_by(minor: int, field: str, message: str) -> str:
    """A message of Kubernetes 1.36 about a field, in the words of an earlier release.

    >>> as_worded_by(31, "metadata.labels", "must be no more than 63 bytes")
    'must be no more than 63 characters'
    >>> as_worded_by(33, "spec.resources.limits[foo]", 'Invalid value: "foo": must be a standard resource')
    'Invalid value: foo: must be a standard resource'
    """
    for last, ending, words, former in FORMER_WORDS:
        if minor <= last and words in message and field.endswith(ending):
            message = message.replace(words, former)
    if minor < QUOTES_ALIKE:
        if _is_about_a_resource_name(field, message):
            return _with_value(message, str)
        if "\\u" in message:
            message = _with_value(message, quoted)
        # What is not set was printed as if it were a text.
        message = message.replace("Invalid value: null: ", 'Invalid value: "null": ')
    return message


def _is_about_a_resource_name(field: str, message: str) -> bool:
    """Resource names alone were printed without quotes: their type knows how to print itself."""
    if ".resizePolicy" in field:
        return message.startswith("Duplicate value") or message.endswith('"cpu", "memory"')
    _, found, name = field.partition(".limits[")
    if not found:
        _, found, name = field.partition(".requests[")
    return bool(found) and f': "{name[:-1]}": ' in message


def _with_value(message: str, printed: Callable[[str], str]) -> str:
    """A message whose bad value, where that is a string in JSON, is printed otherwise."""
    import json  # only an error of an old release needs it

    kind, separator, rest = message.partition(": ")
    try:
        value, end = json.JSONDecoder().raw_decode(rest)
    except ValueError:
        return message  # Go's own quotes are not always JSON's
    if not isinstance(value, str):
        return message
    return f"{kind}{separator}{printed(value)}{rest[end:]}"
