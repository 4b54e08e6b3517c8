"""Translate errors of the YAML parser into the problem in the manifest and its solution.

libyaml reports errors as tokens ("did not find expected key"). In manifests, most of them come from
a few mistakes that the text around the error identifies: templates, tabs, missing quotes.
"""

from __future__ import annotations

from collections.abc import Callable

from jobsworth.manifests.parsing.block_scalars import FallenLine, fallen_line
from jobsworth.manifests.parsing.libyaml import Mark
from jobsworth.manifests.parsing.records import LineIndex, Unreadable

_NOT_YET = "not a manifest yet; render it first"
_TEMPLATES = {
    "{{": "`{{` opens a template expression: this is a Helm or Jinja template, "
    f"{_NOT_YET}, for example with `helm template`, and validate the result",
    "{%": f"`{{%` opens a template statement: this is a Jinja template, {_NOT_YET}",
    "{#": f"`{{#` opens a template comment: this is a Jinja template, {_NOT_YET}",
    "<%": f"`<%` opens a template expression: this is a template, {_NOT_YET}",
    "${": "`${` conflicts with YAML's own `{`; put the value in quotes, or substitute variables first",
}
_CONFLICT = (
    "git conflict marker; resolve the conflict, and remove the lines that begin with <<<<<<<, "
    "======= and >>>>>>>"
)
_TAB = "YAML does not allow tabs for indentation; use spaces"
_INDENTED_SEPARATOR = (
    "`---` separates two documents only if it begins in column 1; remove the spaces before it"
)
_MISTYPED_SEPARATOR = (
    "`{mark}` does not separate two documents; write `---`, three hyphens that begin in column 1"
)
_DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2212_=*~ ")
_MAX_QUOTED_LENGTH = 40
_CLOSING = {"[": "]", "{": "}"}


def explain(error: object, data: bytes, places: LineIndex) -> Unreadable:
    """Return the problem and its solution for an error of the parser."""
    reason = getattr(error, "reason", None)
    if reason is not None:
        return unreadable_bytes(data, int(getattr(error, "position", 0)), places)
    problem = str(getattr(error, "problem", None) or error)
    mark: Mark | None = getattr(error, "problem_mark", None)
    context_mark: Mark | None = getattr(error, "context_mark", None)
    if mark is None:
        return Unreadable(f"this is not YAML: {problem}", places.at_index(0))
    fault = _ErrorContext(places, mark, context_mark or mark)
    for find_cause in (_conflict_marker, _fallen_text, _template, _tab, _separator):
        found = find_cause(fault)
        if found is not None:
            return found
    explanation = _EXPLANATIONS.get(problem)
    if explanation is not None:
        return explanation(fault)
    return fault.here(f"this is not YAML: {problem}")


def explain_container_key(places: LineIndex, mark: Mark) -> Unreadable:
    """Explain a mapping or list used as a key: mostly an unquoted template expression."""
    fault = _ErrorContext(places, mark, mark)
    return _template(fault) or fault.here(
        "a mapping or a list cannot be a key; if it is text, put it in quotes"
    )


def unreadable_bytes(data: bytes, offset: int, places: LineIndex) -> Unreadable:
    """Explain bytes that are not text: binary data, another encoding, control characters."""
    if b"\0" in data:
        return Unreadable(
            "NUL byte: this is binary data, or text that is not UTF-8; save the file as UTF-8",
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
        f"YAML does not allow the control character U+{code:04X}; remove it, or write it as "
        f"\\u{code:04x} in double quotes",
        places.at_index(len(data[:offset].decode("utf-8", "replace"))),
    )


class _ErrorContext:
    """The position of an error, the start of the construct that it is in, and the text around it."""

    def __init__(self, places: LineIndex, mark: Mark, context_mark: Mark) -> None:
        self.text = places.text
        self.index = min(mark.index, max(len(self.text) - 1, 0))
        self.context_index = min(context_mark.index, self.index)
        self.position = places.at_index(self.index)
        self.context = places.at_index(self.context_index)
        self._places = places

    def here(self, message: str) -> Unreadable:
        return Unreadable(message, self.position)

    def at_start(self, message: str) -> Unreadable:
        return Unreadable(message, self.context)

    def at_index(self, index: int, message: str) -> Unreadable:
        return Unreadable(message, self._places.at_index(index))

    def line_of(self, index: int) -> int:
        return self._places.at_index(index).line

    def character(self) -> str:
        return self.text[self.index : self.index + 1]

    def before(self) -> str:
        """Return the line up to the error."""
        return self.text[self.text.rfind("\n", 0, self.index) + 1 : self.index]

    def value_from(self, index: int) -> str:
        """Return the rest of a line without its comment, quoted as the user should write it."""
        rest = self.text[index:].split("\n", 1)[0].split(" #", 1)[0].rstrip()
        if len(rest) > _MAX_QUOTED_LENGTH:
            rest = rest[:_MAX_QUOTED_LENGTH] + "…"
        return f"'{rest}'" if '"' in rest or "\\" in rest else f'"{rest}"'


def _conflict_marker(fault: _ErrorContext) -> Unreadable | None:
    for marker in ("<<<<<<< ", ">>>>>>> "):
        index = 0 if fault.text.startswith(marker) else fault.text.find(f"\n{marker}") + 1
        if index or fault.text.startswith(marker):
            return fault.at_index(index, _CONFLICT)
    return None


def _template(fault: _ErrorContext) -> Unreadable | None:
    """Find template markup outside quotes: at the error, or at the beginning of a line.

    Elsewhere it may be meant as text, for example in a script.
    """
    start = 0
    for line in fault.text.split("\n"):
        end = start + len(line)
        on_error_line = any(start <= index <= end for index in (fault.index, fault.context_index))
        for markup, message in _TEMPLATES.items():
            column = line.find(markup)
            before = line[: max(column, 0)]
            quoted = before.count('"') % 2 or before.count("'") % 2 or "#" in before
            if column == 0 or (column > 0 and on_error_line and not quoted):
                return fault.at_index(start + column, message)
        if end >= fault.index:
            break
        start = end + 1
    return None


def _tab(fault: _ErrorContext) -> Unreadable | None:
    if fault.character() == "\t":
        return fault.here(_TAB)
    before = fault.before()
    indentation = before[: len(before) - len(before.lstrip())]
    if "\t" in indentation:
        return fault.at_index(fault.index - len(before) + indentation.index("\t"), _TAB)
    return None


def _fallen_text(fault: _ErrorContext) -> Unreadable | None:
    """Find a line of text that is indented less than the block scalar that it belongs to."""
    fallen = fallen_line(fault.text, (fault.context_index, fault.index))
    if fallen is None:
        return None
    return fault.at_index(fallen.index, _fallen(fallen, fault.line_of(fallen.header)))


def _fallen(fallen: FallenLine, begin: int) -> str:
    if fallen.is_first:
        return (
            f"the text that begins with `{fallen.indicator}` in line {begin} must be indented more than that "
            f"line; indent this line, and the rest of the text, by {fallen.missing}"
        )
    text = (
        f"this line is indented less than the text that began with `{fallen.indicator}` in line {begin}, so "
        f"it ends that text; indent it by {fallen.missing}"
    )
    if fallen.in_heredoc:
        return f"{text}, and so every line up to `{fallen.in_heredoc}`"
    return text if fallen.sure else f"{text} if it belongs to it, or write `key: value`"


def _separator(fault: _ErrorContext) -> Unreadable | None:
    """Find a separator of documents that is indented or mistyped."""
    for place in (fault.context_index, fault.index):
        start = fault.text.rfind("\n", 0, place) + 1
        line = fault.text[start:].split("\n", 1)[0].rstrip()
        index = start + len(line) - len(line.lstrip())
        mark = line.strip()
        if mark.split(" #", 1)[0].rstrip() == "---" and index > start:
            return fault.at_index(index, _INDENTED_SEPARATOR)
        if mark == "\u2014" or (len(mark) > 1 and mark[:2] != "- " and not set(mark) - _DASHES):
            return fault.at_index(index, _MISTYPED_SEPARATOR.format(mark=mark))
    return None


def _bad_start(fault: _ErrorContext) -> Unreadable:
    bracket = _open_bracket(fault.text, fault.index) if fault.character() in "|>" else -1
    if bracket >= 0:
        opening = fault.text[bracket]
        item = (
            "item on a line of its own, after `- `"
            if opening == "["
            else "key on a line of its own"
        )
        where = f"inside `{opening} {_CLOSING[opening]}`"
        return fault.here(f"`{fault.character()}` cannot begin a text {where}; write each {item}")
    return fault.here(
        f"a plain value cannot begin with `{fault.character()}`; put it in quotes: "
        f"{fault.value_from(fault.index)}"
    )


def _bad_name(fault: _ErrorContext) -> Unreadable:
    index = fault.context_index
    meaning = "an alias" if fault.text[index : index + 1] == "*" else "an anchor"
    return fault.at_start(
        f"`{fault.text[index : index + 1]}` begins {meaning} and requires a name; if it is text, "
        f"put it in quotes: {fault.value_from(index)}"
    )


def _second_colon(fault: _ErrorContext) -> Unreadable:
    before = fault.before()
    colon = before.find(": ")
    if colon >= 0 and before[:colon].strip():
        value = colon + 1 + len(before[colon + 1 :]) - len(before[colon + 1 :].lstrip())
        start = fault.index - len(before) + value
        return fault.here(
            "a plain value cannot contain a colon and a space; put it in quotes: "
            f"{fault.value_from(start)}"
        )
    return fault.here(
        "unexpected key: the key before it already has a value, or lacks its colon; check the "
        "indentation and the colons"
    )


def _no_colon(fault: _ErrorContext) -> Unreadable:
    line = fault.text[fault.context_index :].split("\n", 1)[0]
    if ":" in line:
        return fault.at_start("a key requires a colon and a space, as in `key: value`")
    return fault.at_start("expected `key: value`, but this line has no colon; add it")


def _no_key(fault: _ErrorContext) -> Unreadable:
    before = fault.before().rstrip()
    if before and before[-1] in "\"']}" and fault.character() not in "\"'":
        return fault.here(
            f"unexpected text after the closing `{before[-1]}` of a value; remove it, or put the "
            "whole value in quotes"
        )
    if fault.character() == ":":
        return fault.here('a key is missing before the colon; write an empty key as ""')
    return fault.here(
        "the indentation of this line matches no line above; the keys of the mapping that begins in "
        f"line {fault.context.line} are in column {fault.context.column}"
    )


def _no_dash(fault: _ErrorContext) -> Unreadable:
    return fault.here(
        f"expected `- ` in column {fault.context.column}, for the list that begins in line "
        f"{fault.context.line}; indent this line to match what it belongs to"
    )


def _unclosed(bracket: str) -> Callable[[_ErrorContext], Unreadable]:
    closing = _CLOSING[bracket]

    def explanation(fault: _ErrorContext) -> Unreadable:
        return fault.here(
            f"missing comma or `{closing}` before this, for the `{bracket}` in line "
            f"{fault.context.line}, column {fault.context.column}"
        )

    return explanation


def _no_value(fault: _ErrorContext) -> Unreadable:
    rest = fault.text[fault.index :].lstrip()
    bracket = _open_bracket(fault.text, fault.index)
    if bracket >= 0 and (not rest or rest.startswith(("---", "..."))):
        opening = fault.text[bracket]
        return fault.at_index(
            bracket, f"the `{opening}` is not closed; add `{_CLOSING[opening]}` at its end"
        )
    return fault.here("a value is missing here; write an empty one as '' (text), null, [] or {}")


def _open_bracket(text: str, end: int) -> int:
    """Return the index of the last bracket that is open at a place of a text; -1 if there is none."""
    closed = 0
    for index in range(end - 1, -1, -1):
        if text[index] in "]}":
            closed += 1
        elif text[index] in "[{":
            if not closed:
                return index
            closed -= 1
    return -1


def _unclosed_quote(fault: _ErrorContext) -> Unreadable:
    quote = fault.text[fault.context_index : fault.context_index + 1]
    if quote == "'":
        return fault.at_start(
            "this single quote is not closed; inside single quotes, write a quote twice: ''"
        )
    return fault.at_start("this double quote is not closed; add the closing quote")


def _unknown_escape(fault: _ErrorContext) -> Unreadable:
    start = fault.text.rfind("\\", 0, fault.index + 1)
    escape = fault.text[start : start + 2]
    return fault.at_index(
        max(start, 0),
        f"`{escape}` is not a YAML escape; write the backslash twice, `\\{escape}`, or use single "
        "quotes, which have no escapes",
    )


def _message(text: str) -> Callable[[_ErrorContext], Unreadable]:
    return lambda fault: fault.here(text)


_EXPLANATIONS: dict[str, Callable[[_ErrorContext], Unreadable]] = {
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
        "half a surrogate pair is not a character; write the character itself"
    ),
    "did not find expected node content": _no_value,
    "block sequence entries are not allowed in this context": _message(
        "a list cannot begin on the line of its key; put each `- ` on a line of its own, or put "
        "text in quotes"
    ),
    "mapping keys are not allowed in this context": _message(
        "a plain value cannot begin with `? `; put it in quotes"
    ),
    "did not find expected comment or line break": _message(
        "only a digit, `+` or `-` can follow `|` or `>`; put the text on the lines below"
    ),
    "did not find expected <document start>": _message(
        "kubectl does not accept %YAML or %TAG before `---`; remove the line"
    ),
    "found undefined tag handle": _message("this tag is not defined; remove it"),
}
