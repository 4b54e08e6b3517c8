"""From what the YAML parser says to what its user should know: what is wrong, and what is right.

libyaml speaks of tokens ("did not find expected key"); most of its errors in manifests come from a
few mistakes that can be told apart by the text around the place: templates, tabs, quotes that are
missing.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.records import Unreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jobsworth.manifests.parsing.libyaml import Mark
    from jobsworth.manifests.parsing.line_index import LineIndex

_NOT_YET = "not yet a manifest; render it first"
_TEMPLATES = {
    "{{": "`{{` opens a template expression: this is a template, of Helm or Jinja, and "
    f"{_NOT_YET}, for instance with `helm template`, and check the result",
    "{%": f"`{{%` opens a template statement: this is a template, of Jinja, and {_NOT_YET}",
    "{#": f"`{{#` opens a template comment: this is a template, of Jinja, and {_NOT_YET}",
    "<%": f"`<%` opens a template expression: this is a template, and {_NOT_YET}",
    "${": "`${` does not go with YAML's own `{`; put the value in quotes, or substitute first",
}
_CONFLICT = (
    "a conflict marker of git stands here; decide the conflict, and remove the lines that begin "
    "with <<<<<<<, ======= and >>>>>>>"
)
_TAB = "a tab stands where YAML wants spaces: it accepts no tab for indentation; use spaces"
_LONGEST_QUOTED = 40


def explain(error: object, data: bytes, places: LineIndex) -> Unreadable:
    """Turn a parser's error about ``data`` into one that helps."""
    reason = getattr(error, "reason", None)
    if reason is not None:
        return unreadable_bytes(data, int(getattr(error, "position", 0)), places)
    problem = str(getattr(error, "problem", None) or error)
    mark: Mark | None = getattr(error, "problem_mark", None)
    context_mark: Mark | None = getattr(error, "context_mark", None)
    if mark is None:
        return Unreadable(f"this is not YAML: {problem}", places.at_index(0))
    trouble = _Trouble(places, mark, context_mark or mark)
    for recognise in (_conflict_marker, _template, _tab):
        found = recognise(trouble)
        if found is not None:
            return found
    explanation = _EXPLANATIONS.get(problem)
    if explanation is not None:
        return explanation(trouble)
    return trouble.here(f"this is not YAML: {problem}")


def explain_container_key(places: LineIndex, mark: Mark) -> Unreadable:
    """Explain a mapping or list in the place of a key, mostly an unquoted template expression."""
    trouble = _Trouble(places, mark, mark)
    return _template(trouble) or trouble.here(
        "a mapping or a list cannot be a key; to mean the text, put it in quotes"
    )


def unreadable_bytes(data: bytes, offset: int, places: LineIndex) -> Unreadable:
    """Explain bytes that are no text: binary data, another encoding, control characters."""
    if b"\0" in data:
        return Unreadable(
            "a NUL byte stands here: this is binary data, or text in another encoding than UTF-8",
            places.at_index(len(data[: data.index(b"\0")].decode("utf-8", "replace"))),
        )
    try:
        data.decode()
    except UnicodeDecodeError as error:
        place = places.at_index(len(data[: error.start].decode("utf-8", "replace")))
        return Unreadable(
            f"byte 0x{data[error.start]:02X} is not UTF-8; save the file as UTF-8",
            place,
        )
    code = ord(data[offset:].decode("utf-8", "replace")[:1] or "\0")
    return Unreadable(
        f"the control character U+{code:04X} cannot stand in YAML; remove it, or write it as "
        f"\\u{code:04x} in double quotes",
        places.at_index(len(data[:offset].decode("utf-8", "replace"))),
    )


class _Trouble:
    """Where the parser stopped, where what it was at began, and the text around."""

    def __init__(self, places: LineIndex, mark: Mark, context_mark: Mark) -> None:
        self.text = places.text
        self.index = min(mark.index, max(len(self.text) - 1, 0))
        self.context_index = min(context_mark.index, self.index)
        self.position = places.at_index(self.index)
        self.context = places.at_index(self.context_index)
        self._places = places

    def here(self, message: str) -> Unreadable:
        return Unreadable(message, self.position)

    def where_it_began(self, message: str) -> Unreadable:
        return Unreadable(message, self.context)

    def at_index(self, index: int, message: str) -> Unreadable:
        return Unreadable(message, self._places.at_index(index))

    def character(self) -> str:
        return self.text[self.index : self.index + 1]

    def before(self) -> str:
        """The line up to the place."""
        return self.text[self.text.rfind("\n", 0, self.index) + 1 : self.index]

    def value_from(self, index: int) -> str:
        """The rest of a line without its comment, in double quotes, to show how to quote it."""
        rest = self.text[index:].split("\n", 1)[0].split(" #", 1)[0].rstrip()
        if len(rest) > _LONGEST_QUOTED:
            rest = rest[:_LONGEST_QUOTED] + "…"
        return f"'{rest}'" if '"' in rest or "\\" in rest else f'"{rest}"'


def _conflict_marker(trouble: _Trouble) -> Unreadable | None:
    for marker in ("<<<<<<< ", ">>>>>>> "):
        index = 0 if trouble.text.startswith(marker) else trouble.text.find(f"\n{marker}") + 1
        if index or trouble.text.startswith(marker):
            return trouble.at_index(index, _CONFLICT)
    return None


def _template(trouble: _Trouble) -> Unreadable | None:
    """Find template markup outside of quotes: where the trouble is, or where a line begins with it.

    Elsewhere it may well be meant as text, in a script say.
    """
    start = 0
    for line in trouble.text.split("\n"):
        end = start + len(line)
        troubled = any(start <= index <= end for index in (trouble.index, trouble.context_index))
        for markup, message in _TEMPLATES.items():
            column = line.find(markup)
            before = line[: max(column, 0)]
            quoted = before.count('"') % 2 or before.count("'") % 2 or "#" in before
            if column == 0 or (column > 0 and troubled and not quoted):
                return trouble.at_index(start + column, message)
        if end >= trouble.index:
            break
        start = end + 1
    return None


def _tab(trouble: _Trouble) -> Unreadable | None:
    if trouble.character() == "\t":
        return trouble.here(_TAB)
    before = trouble.before()
    indentation = before[: len(before) - len(before.lstrip())]
    if "\t" in indentation:
        return trouble.at_index(trouble.index - len(before) + indentation.index("\t"), _TAB)
    return None


def _bad_start(trouble: _Trouble) -> Unreadable:
    return trouble.here(
        f"a plain value cannot begin with `{trouble.character()}`; put it in quotes: "
        f"{trouble.value_from(trouble.index)}"
    )


def _bad_name(trouble: _Trouble) -> Unreadable:
    index = trouble.context_index
    meaning = "an alias" if trouble.text[index : index + 1] == "*" else "an anchor"
    return trouble.where_it_began(
        f"`{trouble.text[index : index + 1]}` begins {meaning} and wants a name; to mean the text, "
        f"put it in quotes: {trouble.value_from(index)}"
    )


def _second_colon(trouble: _Trouble) -> Unreadable:
    before = trouble.before()
    colon = before.find(": ")
    if colon >= 0 and before[:colon].strip():
        value = colon + 1 + len(before[colon + 1 :]) - len(before[colon + 1 :].lstrip())
        start = trouble.index - len(before) + value
        return trouble.here(
            "a plain value cannot contain a colon with a space behind it; put it in quotes: "
            f"{trouble.value_from(start)}"
        )
    return trouble.here(
        "a key cannot stand here: what is before it has a value already, or lacks its colon; check "
        "the indentation and the colons"
    )


def _no_colon(trouble: _Trouble) -> Unreadable:
    line = trouble.text[trouble.context_index :].split("\n", 1)[0]
    if ":" in line:
        return trouble.where_it_began("a key needs a colon and a space, as in `key: value`")
    return trouble.where_it_began("a `key: value` should stand here; this line has no colon")


def _no_key(trouble: _Trouble) -> Unreadable:
    before = trouble.before().rstrip()
    if before and before[-1] in "\"']}" and trouble.character() not in "\"'":
        return trouble.here(
            f"nothing can follow the closing `{before[-1]}` of a value; remove it, or put all of "
            "the value in quotes"
        )
    if trouble.character() == ":":
        return trouble.here('a key is missing before the colon; an empty key is written ""')
    return trouble.here(
        "this line's indentation fits none of the lines above: the keys of the mapping that begins "
        f"in line {trouble.context.line} stand in column {trouble.context.column}"
    )


def _no_dash(trouble: _Trouble) -> Unreadable:
    return trouble.here(
        f"each item of the list that begins in line {trouble.context.line} begins with `- ` in "
        f"column {trouble.context.column}; indent this line as what it belongs to"
    )


def _unclosed(bracket: str) -> Callable[[_Trouble], Unreadable]:
    closing = {"[": "]", "{": "}"}[bracket]

    def explanation(trouble: _Trouble) -> Unreadable:
        return trouble.here(
            f"a comma or `{closing}` is missing before this, for the `{bracket}` in line "
            f"{trouble.context.line}, column {trouble.context.column}"
        )

    return explanation


def _unclosed_quote(trouble: _Trouble) -> Unreadable:
    quote = trouble.text[trouble.context_index : trouble.context_index + 1]
    if quote == "'":
        return trouble.where_it_began(
            "this single quote is never closed; within single quotes, a quote is written twice: ''"
        )
    return trouble.where_it_began("this double quote is never closed")


def _unknown_escape(trouble: _Trouble) -> Unreadable:
    start = trouble.text.rfind("\\", 0, trouble.index + 1)
    escape = trouble.text[start : start + 2]
    return trouble.at_index(
        max(start, 0),
        f"`{escape}` is no escape of YAML; write the backslash twice, `\\{escape}`, or use single "
        "quotes, which know no escapes",
    )


def _message(text: str) -> Callable[[_Trouble], Unreadable]:
    return lambda trouble: trouble.here(text)


_EXPLANATIONS: dict[str, Callable[[_Trouble], Unreadable]] = {
    "found character that cannot start any token": _bad_start,
    "did not find expected alphabetic or numeric character": _bad_name,
    "mapping values are not allowed in this context": _second_colon,
    "could not find expected ':'": _no_colon,
    "did not find expected key": _no_key,
    "did not find expected '-' indicator": _no_dash,
    "did not find expected ',' or ']'": _unclosed("["),
    "did not find expected ',' or '}'": _unclosed("{"),
    "found unexpected end of stream": _unclosed_quote,
    "found unexpected document indicator": _unclosed_quote,
    "found unknown escape character": _unknown_escape,
    "found invalid Unicode character escape code": _message(
        "half a surrogate pair is no character in YAML; write the character itself"
    ),
    "did not find expected node content": _message(
        "a value is missing here; an empty one is written '' (text), null, [] or {}"
    ),
    "block sequence entries are not allowed in this context": _message(
        "a list cannot begin on the line of its key; put each `- ` on a line of its own, or, to "
        "mean the text, use quotes"
    ),
    "mapping keys are not allowed in this context": _message(
        "a plain value cannot begin with `? `; put it in quotes"
    ),
    "did not find expected comment or line break": _message(
        "only a digit, `+` or `-` can follow `|` or `>`; put the text on the lines below"
    ),
    "did not find expected <document start>": _message(
        "kubectl accepts no %YAML or %TAG line before `---`; remove it"
    ),
    "found undefined tag handle": _message("this tag is not defined; remove it"),
}
