"""Facts that the text of a shell script shows without its syntax tree, which is missing for some scripts."""

from __future__ import annotations

import re

_END = re.compile(r"[;\n]|&&|\|\|")
_LITERAL = re.compile(r"\\.|'[^']*'|(?<!\S)#[^\n]*", re.DOTALL)


def statements(text: str) -> list[str]:
    """Return the parts of a script between ``;``, line feeds, ``&&`` and ``||``."""
    return _END.split(text)


def expanded_part(text: str) -> str:
    """Return a script without comments, escaped characters and single-quoted parts, which no shell expands.

    >>> expanded_part("echo '$A' $B # $C")
    'echo  $B '
    """
    return _LITERAL.sub("", text)


def line_of(text: str, part: str) -> int:
    """Return the line, from 0, in which a part of a script first stands; 0 if the script lacks it.

    >>> line_of("set -e\\nwhile true; do\\n  sleep 1\\ndone", "while")
    1
    """
    return text.count("\n", 0, max(text.find(part), 0))
