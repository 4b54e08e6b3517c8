r"""Escape text of unknown origin before it is written to a terminal or a log.

Names, values and messages of manifests can hold terminal control sequences, line feeds, bidirectional
overrides, and commands that CI systems read from logs.

>>> print(printable("name\x1b]0;title\x07\n::error::forged"), printable("\N{RIGHT-TO-LEFT OVERRIDE}x"))
name\x1b]0;title\x07\n::error::forged \u202ex
"""

from __future__ import annotations

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}

_COMMANDS = ("##[", "##vso[", "##teamcity[")
"""Commands that the runners of GitHub, Azure Pipelines and TeamCity find anywhere in a line.

Source: ActionCommand.TryParse in github.com/actions/runner, which accepts this older form, too.
"""
_LEADING_COMMAND = "::"
"""Starts a command of GitHub's runner, after any spaces (ActionCommand.TryParseV2)."""


def printable(text: str) -> str:
    r"""Return one line in which nothing controls a terminal or a CI runner.

    Characters that :meth:`str.isprintable` rejects become ``\n``, ``\x1b`` or ``\u202e``; a byte of a
    file name that is not UTF-8 becomes ``\xff``. So do the first characters of workflow commands.
    """
    # Almost every text passes here, at 0.5 µs.
    if text.isprintable() and "##" not in text and _LEADING_COMMAND not in text:
        return text
    escaped = "".join(each if each.isprintable() else _escape(each) for each in text)
    for command in _COMMANDS:
        escaped = escaped.replace(command, "\\x23" + command[1:])
    start = escaped.lstrip(" ")
    if start.startswith(_LEADING_COMMAND):
        escaped = escaped.removesuffix(start) + "\\x3a" + start[1:]
    return escaped


def printable_json(document: str) -> str:
    r"""Return a JSON text with the same value, in which nothing controls a terminal or a CI runner."""
    for command in _COMMANDS:  # a bracket after a number sign is in a string
        document = document.replace(command, "\\u0023" + command[1:])
    if document.isascii() and "\x7f" not in document:
        return document
    return "\n".join(
        line if line.isprintable() else "".join(map(_in_json, line))
        for line in document.split("\n")
    )


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # how Python decodes a byte of a file name that is not UTF-8
        code -= 0xDC00
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{code:02x}" if code < 0x100 else _unicode(code)


def _unicode(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _in_json(character: str) -> str:
    if character.isprintable() or character == "\t":
        return character
    code = ord(character)
    if code < 0x10000:
        return f"\\u{code:04x}"
    return f"\\u{0xD7C0 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
