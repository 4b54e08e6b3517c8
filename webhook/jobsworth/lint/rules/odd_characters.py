"""A rule for invisible characters, and those that look like others, in commands and variables.

The API server accepts them there. They come from web pages, chats and word processors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from jobsworth.findings.fix import Edit, Fix
from jobsworth.findings.odd_characters import (
    DASHES,
    DOUBLE_QUOTES,
    INVISIBLE,
    ODD,
    SINGLE_QUOTES,
    SPACES,
    named,
)
from jobsworth.lint.lint_rule import Diagnostic, lint_rule
from jobsworth.lint.linted_job import LintedJob
from jobsworth.record import Record

MAX_LENGTH = 32_768
"""The maximum length of a text that is read."""
_QUOTES = DOUBLE_QUOTES + SINGLE_QUOTES
_JOINERS = "\u200c\u200d\u200e\u200f"
"""Characters that emoji and some scripts, such as Persian, require."""
_PLAIN_QUOTES = {**dict.fromkeys(DOUBLE_QUOTES, '"'), **dict.fromkeys(SINGLE_QUOTES, "'")}
_OPTION = re.compile(f"(?<!\\S)[{DASHES}]+(?=[A-Za-z0-9-])")
"""Dashes at the beginning of a word, where an option has hyphens."""
_OPENING = re.compile(f"(?<![^\\s=(])[{_QUOTES}](?=\\S)")
_QUOTED = re.compile(r"\\.|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?<!\S)#[^\n]*", re.DOTALL)
"""The parts of a script in which a shell takes characters as they are, and comments."""


class _Odd(Record):
    """Odd characters in a text.

    Attributes:
        problem: what happens because of them.
        plain: the text without them.
    """

    problem: str
    plain: str


@lint_rule(
    "JW530",
    "odd-character",
    severity="warning",
    summary="A command or variable contains an invisible character, or one that looks like another.",
    fixable="unsafe",
)
def odd_character(job: LintedJob) -> Iterator[Diagnostic]:
    for path, container in job.containers:
        if not job.text.isascii():
            scripts = {start.field for start, _ in job.scripts}
            for part, text in _texts(container):
                if text.isascii() or len(text) > MAX_LENGTH:
                    continue
                field = f"{path}.{part}"
                found = _in_script(text) if field in scripts else _in_value(part, text)
                if found is not None:
                    yield Diagnostic(field, found.problem, _fix(field, text, found))
        for index, variable in enumerate(container.get("env", ())):
            name = variable.get("name", "")
            if name != name.strip(" "):
                field = f"{path}.env[{index}].name"
                yield Diagnostic(
                    field,
                    f'The name "{name}" has a space around it, so no shell can read the variable. Remove the '
                    "space.",
                    Fix(f"Set {name.strip(' ')}", Edit("set", field, name.strip(" ")), safe=False)
                    if name.strip(" ")
                    else None,
                )


def _texts(container: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts that a program gets, each with its field below the container."""
    for part in ("command", "args"):
        for index, text in enumerate(container.get(part, ())):
            yield f"{part}[{index}]", text
    for index, variable in enumerate(container.get("env", ())):
        yield f"env[{index}].value", variable.get("value", "")
    yield "workingDir", container.get("workingDir", "")
    for index, mount in enumerate(container.get("volumeMounts", ())):
        yield f"volumeMounts[{index}].mountPath", mount.get("mountPath", "")
        yield f"volumeMounts[{index}].subPath", mount.get("subPath", "")


def _invisible(text: str) -> _Odd | None:
    """Find characters of no width, unless the language of the text may require them."""
    others = {each for each in text if not each.isascii() and each not in ODD}
    unwanted = set(INVISIBLE).difference(_JOINERS if others else "").intersection(text)
    if not unwanted:
        return None
    return _Odd(
        f"It contains {named(''.join(each for each in text if each in unwanted))}: invisible, but passed to "
        "the program. Remove it.",
        "".join(each for each in text if each not in unwanted),
    )


def _in_script(text: str) -> _Odd | None:
    """Find odd characters in a shell script, outside of its quotes and comments."""
    found = _invisible(text)
    if found is not None:
        return found
    bare = _QUOTED.sub(lambda match: "x" * len(match.group()), text)
    spaces = [index for index, each in enumerate(bare) if each in SPACES]
    if spaces:
        names = named("".join(bare[index] for index in spaces))
        return _Odd(
            f"It contains {names}, which a shell takes for a part of a word. Write a space.",
            _replaced(text, dict.fromkeys(spaces, " ")),
        )
    if "<<" not in text and (opening := _OPENING.search(bare)) is not None:
        quotes = {index: _PLAIN_QUOTES[each] for index, each in enumerate(bare) if each in _QUOTES}
        return _Odd(
            f"It contains {named(opening.group())}, which quotes nothing: a shell takes it for a part of a "
            "word. Write straight quotes.",
            _replaced(text, quotes),
        )
    return _option(text, bare)


def _in_value(part: str, text: str) -> _Odd | None:
    """Find odd characters in a value that a program gets as it is."""
    found = _invisible(text)
    if found is not None:
        return found
    stripped = text.strip(SPACES + " ")
    if stripped != text.strip(" "):
        around = "".join(each for each in text if each in SPACES)
        return _Odd(f"It begins or ends with {named(around)}. Remove it.", stripped)
    if len(text) > 1 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return _Odd(
            f"The quotes, {named(text[0] + text[-1])}, are a part of the value. Remove them.",
            text[1:-1],
        )
    if part.startswith("env") or text[0] not in DASHES:
        return None
    return _option(text, text)


def _option(text: str, bare: str) -> _Odd | None:
    found = _OPTION.search(bare)
    if found is None:
        return None
    word = bare[found.start() :].split(maxsplit=1)[0]
    plain = "-" if len(word) == 2 else "--"
    return _Odd(
        f"{word} begins with {named(found.group())}, so the program does not take it for an option. Write "
        f"{plain}{word[len(found.group()) :]}.",
        text[: found.start()] + plain + text[found.end() :],
    )


def _replaced(text: str, characters: dict[int, str]) -> str:
    return "".join(characters.get(index, each) for index, each in enumerate(text))


def _fix(field: str, text: str, found: _Odd) -> Fix | None:
    """Return a fix for a text of one line; others keep their layout."""
    if "\n" in text or not found.plain:
        return None
    return Fix(f"Set {found.plain}", Edit("set", field, found.plain), safe=False)
