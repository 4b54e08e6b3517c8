"""Recognize texts that stand for a value: ``${IMAGE}`` of a template, ``REPLACE_ME`` for its reader."""

from __future__ import annotations

import re

_TEMPLATE = re.compile(
    r"""
    \$\{[^}\s]*\}?              # envsubst, sh, Flux: ${NAME}
    | \$\([^)\s]*\)?            # skaffold, make: $(NAME)
    | \(\$\w+\)                 # Chainsaw: ($namespace)
    | (?<![\w$])\$[A-Za-z_]\w*  # $NAME
    | \b[A-Z][A-Z0-9]*_[A-Z0-9_]+\b  # sed: V_NAME, IMAGE_TAG
    | \{\{|\{%|<%|\#\{|\(\(       # Helm, Jinja, ERB, Azure DevOps, Concourse
    | @\w+@ | %\w+% | __\w+__ | <(?!no\ value>|nil>)[^<>\s][^<>]*> | <<
    """,
    re.VERBOSE,
)
_ANY_MARK = re.compile(r"[$<{%]")
_ALONE = re.compile(
    r"x+|\*+|todo|tbd|fixme|redacted|none|null|nil|false|true|dummy|test|.*example(?:key)?", re.I
)
"""Words that stand for a value by themselves."""
_MARKERS = frozenset(("changeme", "fixme", "placeholder", "redacted", "replaceme", "todo"))
"""Words that make a placeholder of the words around them."""
_BEGINNINGS = ("change-me", "enter-", "fill-", "insert-", "replace-", "your-")
_WORDS = frozenset(
    (
        "access", "admin", "api", "client", "database", "db", "example", "here", "id", "insert", "key", "my",
        "pass", "passwd", "password", "private", "replace", "secret", "some", "the", "this", "token", "user",
        "value", "with", "your",
    )
)  # fmt: skip
"""Words of which placeholders consist, such as ``db_password``. One word alone, such as ``password``, may be
the value."""
_BETWEEN_WORDS = re.compile(r"[\s_./-]+|(?<=[a-z])(?=[A-Z])")


def template_placeholder(text: str, start: int = 0) -> re.Match[str] | None:
    """Return the first placeholder of a template in a text; None if there is none.

    >>> template_placeholder("app-${ENV}")[0], template_placeholder("V_NAME")[0], template_placeholder("app")
    ('${ENV}', 'V_NAME', None)
    """
    return _TEMPLATE.search(text, start)


def stands_for_value(text: str) -> bool:
    """Return True for a text that its reader, or a tool, is to replace by a value.

    >>> [stands_for_value(each) for each in ("REPLACE_ME", "your-api-token", "PLACEHOLDER_DB", "PASSWORD")]
    [True, True, True, True]
    >>> [stands_for_value(each) for each in ("s3cr3t-Vx91", "my-blue-horse", "password")]
    [False, False, False]
    """
    if _ANY_MARK.search(text) or _ALONE.fullmatch(text):
        return True
    if text.isupper() and text.lower() in _WORDS:
        return True
    words = [word.lower() for word in _BETWEEN_WORDS.split(text) if word]
    if not _MARKERS.isdisjoint(words) or "-".join(words).startswith(_BEGINNINGS):
        return True
    return len(words) > 1 and _WORDS.issuperset(words)
