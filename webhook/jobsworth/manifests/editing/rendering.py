"""Render new values in the style of a manifest: indentation, quotes, block or flow style.

ruamel.yaml writes the YAML: it supports block and flow style, and quotes what needs quotes. Its import
takes longer than the validation of a file, so it is imported only when a value is rendered.
"""

from __future__ import annotations

from typing import Any

from jobsworth.findings.fix import FileMode
from jobsworth.manifests.editing.ranges import Span
from jobsworth.manifests.parsing.scalars import resolve
from jobsworth.record import Record

_MAX_LINE_LENGTH = 72
_WORDS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-")


class Style(Record, kw_only=True):
    """The style of a manifest.

    ``json`` is True for JSON. ``step`` is the indentation of a nested mapping, ``offset`` that of the
        dashes of a list; ``quote`` is the quotation mark of strings that need one, ``newline`` the line
        ending, ``space`` the space after a colon or comma in brackets.
    """

    json: bool = False
    step: int = 2
    offset: int = 2
    quote: str = '"'
    newline: str = "\n"
    space: str = " "


def style_of(text: str, root: Span, *, json: bool) -> Style:
    """Detect the style of a document; use the most common style for what it does not show."""
    steps: list[int] = []
    offsets: list[int] = []
    quotes = {'"': 0, "'": 0}
    spaces: list[str] = []
    unseen = [root]
    while unseen:
        span = unseen.pop()
        if span.style in quotes:
            quotes[span.style] += 1
        for entry in span.entries:
            unseen.append(entry.value)
            if span.flows and text[entry.key.end : entry.key.end + 1] == ":":
                spaces.append(" " if text[entry.key.end + 1 : entry.key.end + 2].isspace() else "")
            if entry.value.kind not in ("mapping", "list") or entry.value.flows != json:
                continue
            inner, outer = _first_line_indent(text, entry.value), _column(text, entry.key.start)
            if inner is not None:
                (offsets if entry.value.kind == "list" and not json else steps).append(
                    inner - outer
                )
        unseen += span.items
    return Style(
        json=json,
        step=_most(steps, 2) or 2,
        offset=_most(offsets, 2),
        quote='"' if json or quotes['"'] >= quotes["'"] else "'",
        newline="\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n",
        space=_most(spaces, " "),
    )


def _column(text: str, index: int) -> int:
    return index - text.rfind("\n", 0, index) - 1


def _first_line_indent(text: str, span: Span) -> int | None:
    """Return the column of the first entry or item, if it begins on a line of its own."""
    if not span.flows:
        return _column(text, span.content)
    first = span.entries[0].key if span.entries else span.items[0] if span.items else None
    if first is None or "\n" not in text[span.content : first.start]:
        return None
    return _column(text, first.start)


def _most(found: list[Any], otherwise: Any) -> Any:
    counted = [each for each in found if not isinstance(each, int) or each >= 0]
    return max(counted, key=counted.count) if counted else otherwise


def fits_line(value: Any) -> bool:
    """Return True if a value is written on one line even in block style."""
    if isinstance(value, dict):
        return not value
    if isinstance(value, list):
        scalars = not any(isinstance(item, dict | list) for item in value)
        return scalars and sum(len(str(item)) + 2 for item in value) <= _MAX_LINE_LENGTH
    return True


def inline(value: Any, style: Style) -> str:
    """Render a value on one line, valid inside and outside of brackets."""
    if style.json:
        return _json(value, style)
    if isinstance(value, dict | list):
        return _yaml(value, style, flows=True)
    return scalar(value, style, flows=True)


def scalar(value: Any, style: Style, *, flows: bool, quote: str = "") -> str:
    """Render a scalar; ``quote`` is the quotation mark of the value that it replaces."""
    if not isinstance(value, str):
        octal = isinstance(value, FileMode) and not style.json
        return str(value) if octal else _json(value, style)
    if style.json:
        return _quoted(value, '"')
    if quote in ("'", '"'):
        return _quoted(value, quote)
    return value if _may_be_plain(value, flows=flows) else _quoted(value, style.quote)


def block(value: Any, style: Style) -> list[str]:
    """Render a mapping or list on several lines, the first at column 0."""
    if style.json:
        import json

        return json.dumps(value, ensure_ascii=False, indent=style.step).split("\n")
    return _yaml(value, style, flows=False).split("\n")


def entry(name: str, value: Any, style: Style) -> list[str]:
    """Render a key and its value, the key at column 0."""
    key = scalar(name, style, flows=True)
    if style.json:
        first, *rest = [_json(value, style)] if fits_line(value) else block(value, style)
        return [f"{key}:{style.space}{first}", *rest]
    if fits_line(value):
        text = scalar(value, style, flows=False) if _is_scalar(value) else inline(value, style)
        return [f"{key}: {text}"]
    width = style.offset if isinstance(value, list) else style.step
    return [f"{key}:", *(" " * width + line for line in block(value, style))]


def item(value: Any, style: Style) -> list[str]:
    """Render an item of a block list, its dash at column 0."""
    if _is_scalar(value):
        return [f"- {scalar(value, style, flows=False)}"]
    if not value:
        return [f"- {inline(value, style)}"]
    first, *rest = block(value, style)
    return [f"- {first}", *(f"  {line}" for line in rest)]


def _is_scalar(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _json(value: Any, style: Style) -> str:
    import json

    separators = (f",{style.space}", f":{style.space}")
    return json.dumps(value, ensure_ascii=False, separators=separators)


def _quoted(text: str, quote: str) -> str:
    if quote == "'" and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    import json

    return json.dumps(text, ensure_ascii=not text.isprintable())


def _may_be_plain(text: str, *, flows: bool) -> bool:
    """Return True if kubectl reads the unquoted string as the same string."""
    if not text or resolve(text) != text or text.startswith(("=", "<<")):
        return False
    if _WORDS.issuperset(text) and text[0] != "-":
        return True
    if not text.isprintable() or (flows and ("?" in text or text[0] == ":")):
        return False
    shown = _yaml([text], Style(quote=""), flows=flows)
    return shown == (f"[{text}]" if flows else f"- {text}")


def _yaml(value: Any, style: Style, *, flows: bool) -> str:
    from io import StringIO

    from ruamel.yaml import YAML
    from ruamel.yaml.representer import RoundTripRepresenter

    class Representer(RoundTripRepresenter):
        """Quotes strings that kubectl would read as another type."""

    def represent_string(representer: Any, text: str) -> Any:
        plain = not style.quote or _may_be_plain(text, flows=True)
        quote = None if plain else style.quote if text.isprintable() else '"'
        return representer.represent_scalar("tag:yaml.org,2002:str", text, style=quote)

    def represent_null(representer: Any, _: None) -> Any:
        return representer.represent_scalar("tag:yaml.org,2002:null", "null")

    def represent_mapping(representer: Any, mapping: dict[str, Any]) -> Any:
        flow_style = flows or not mapping
        return representer.represent_mapping(
            "tag:yaml.org,2002:map", mapping, flow_style=flow_style
        )

    def represent_list(representer: Any, items: list[Any]) -> Any:
        flow_style = flows or (bool(style.quote) and fits_line(items))
        return representer.represent_sequence("tag:yaml.org,2002:seq", items, flow_style=flow_style)

    Representer.add_representer(str, represent_string)
    Representer.add_representer(type(None), represent_null)
    Representer.add_representer(dict, represent_mapping)
    Representer.add_representer(list, represent_list)
    yaml = YAML()
    yaml.Representer = Representer
    yaml.width = 1 << 30
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    yaml.indent(mapping=style.step, sequence=style.offset + 2, offset=style.offset)
    stream = StringIO()
    yaml.dump(value, stream)
    text = stream.getvalue()
    # ruamel.yaml indents the dashes of a top-level list too; move the first line to column 0.
    lines = text.rstrip("\n").split("\n")
    margin = len(lines[0]) - len(lines[0].lstrip(" "))
    return "\n".join(line[margin:] for line in lines)
