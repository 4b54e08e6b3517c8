"""Characters that look like others or like nothing: no-break spaces, zero-width ones, curly quotes, dashes.

They come from web pages, chats and word processors. A reader cannot see them, so messages name them.
"""

from __future__ import annotations

INVISIBLE = (
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
)
SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\uff02"
SINGLE_QUOTES = "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\uff07\u00b4"
DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
ODD = frozenset(INVISIBLE + SPACES + DOUBLE_QUOTES + SINGLE_QUOTES + DASHES)

_PLAIN = str.maketrans(
    {
        **dict.fromkeys(INVISIBLE, ""),
        **dict.fromkeys(SPACES, " "),
        **dict.fromkeys(DOUBLE_QUOTES, '"'),
        **dict.fromkeys(SINGLE_QUOTES, "'"),
        **dict.fromkeys(DASHES, "-"),
    }
)
MAX_NAMED = 3
"""The maximum number of characters that are named."""


def named(text: str) -> str:
    """Return the names of the odd characters in a text; empty without any.

    >>> named("Never\\u00a0"), named("Never")
    ('U+00A0 (no-break space)', '')
    """
    if text.isascii():
        return ""
    found = [each for each in dict.fromkeys(text) if each in ODD]
    if not found:
        return ""
    from unicodedata import name  # few texts have any

    names = [f"U+{ord(each):04X} ({name(each, 'no name').lower()})" for each in found[:MAX_NAMED]]
    return ", ".join(names) + (", …" if len(found) > MAX_NAMED else "")


def plain(text: str) -> str:
    """Return a text without odd characters, spaces around it, and quotes that are a part of it.

    >>> plain("\\u201c0 3 * * *\\u201d"), plain(" Never\\u00a0"), plain("a\\u2013b")
    ('0 3 * * *', 'Never', 'a-b')
    """
    text = text.translate(_PLAIN).strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return text
