"""Facts that the text of a shell script shows without its syntax tree, which is missing for some scripts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_END = re.compile(r"[;\n]|&&|\|\|")
_LITERAL = re.compile(r"\\.|'[^']*'|(?<!\S)#[^\n]*", re.DOTALL)
_REDIRECTION = re.compile(
    r"(?<![<>&0-9])([12]|&)?>>?\s*\"?(/(?:[A-Za-z0-9._/%+:-]|\$\([^()]*\)|\$\{[^{}]*\}|\$\w+)+)"
)
_DEVICES = ("/dev/", "/proc/", "/sys/")


def statements(text: str) -> list[str]:
    """Return the parts of a script between ``;``, line feeds, ``&&`` and ``||``."""
    return _END.split(text)


def expanded_part(text: str) -> str:
    """Return a script without comments, escaped characters and single-quoted parts, which no shell expands.

    >>> expanded_part("echo '$A' $B # $C")
    'echo  $B '
    """
    return _LITERAL.sub("", text)


def written_paths(text: str, *, errors: bool = True) -> Iterator[str]:
    """Yield the absolute paths of the files to which a script redirects output.

    Args:
        errors: also those for standard error alone.

    >>> list(written_paths("a > /out/$(date +%F).log 2> /tmp/errors; b > /dev/null"))
    ['/out/$(date +%F).log', '/tmp/errors']
    """
    for stream, path in _REDIRECTION.findall(text):
        if (errors or stream != "2") and not f"{path}/".startswith(_DEVICES):
            yield path
