"""Random objects written as YAML or JSON in many ways: indentation, brackets, quotes, comments.

Every comment is unlike every other, so that a test can find which of them are still there.

    >>> text, value = random_yaml(3)
    >>> random_yaml(3) == (text, value)
    True
"""

from __future__ import annotations

import json
import random
from typing import Any

from jobsworth.manifests.parsing.scalars import resolve

NAMES = ("action", "values", "rules", "spec", "template", "a.b/c", "on", "y", "1", "name", "x y")
WORDS = ("Never", "a", "yes", "0 3 * * *", "a: b", "it's", "#no", "", "1.10", "é", "- x", "{}")


def value_from(rng: random.Random, depth: int = 0) -> Any:
    kinds = ["scalar"] * (1 + depth) + ["mapping", "list"] * (3 - min(depth, 2))
    kind = "mapping" if depth == 0 else rng.choice(kinds)
    if kind == "mapping":
        names = rng.sample(NAMES, rng.randint(1 if depth == 0 else 0, 4))
        return {name: value_from(rng, depth + 1) for name in names}
    if kind == "list":
        return [value_from(rng, depth + 1) for _ in range(rng.choice((0, 1, 2, 3, 4)))]
    return rng.choice((rng.choice(WORDS), rng.randint(-3, 300), True, False, None, 0.5))


class Writer:
    """Writes a value in one way, chosen at random."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.step = rng.choice((1, 2, 2, 4))
        self.offset = rng.choice((0, 2, 2, 4))
        self.comments = rng.choice((0.0, 0.2, 0.5))
        self.blanks = rng.choice((0.0, 0.0, 0.3))
        self.flow = rng.choice((0.0, 0.2, 0.6))
        self.count = 0

    def text(self, value: Any) -> str:
        lines = self.block(value)
        if self.rng.random() < 0.3:
            lines.insert(0, "# heading")
        ending = self.rng.choice(("\n", "\n", "\r\n"))
        return ending.join(lines) + self.rng.choice((ending, ending, ""))

    def comment(self) -> str:
        self.count += 1
        return f"# comment {self.count}."

    def tail(self) -> str:
        return f"  {self.comment()}" if self.rng.random() < self.comments else ""

    def above(self) -> list[str]:
        lines = [""] if self.rng.random() < self.blanks else []
        return [*lines, self.comment()] if self.rng.random() < self.comments else lines

    def scalar(self, value: Any, *, flow: bool) -> str:
        if not isinstance(value, str):
            return json.dumps(value)
        simple = value.isalpha() and resolve(value) == value
        if simple and self.rng.random() < 0.6:
            return value
        if value.isprintable() and self.rng.random() < 0.5:
            return "'" + value.replace("'", "''") + "'"
        return json.dumps(value, ensure_ascii=self.rng.random() < 0.5)

    def inline(self, value: Any) -> str:
        pad = self.rng.choice(("", "", " "))
        if isinstance(value, dict):
            parts = [f"{self.scalar(k, flow=True)}: {self.inline(v)}" for k, v in value.items()]
            return "{" + pad + ", ".join(parts) + pad + "}" if parts else "{}"
        if isinstance(value, list):
            comma = "," if value and self.rng.random() < 0.1 else ""
            joined = ", ".join(map(self.inline, value))
            return "[" + pad + joined + comma + pad + "]" if value else "[]"
        return self.scalar(value, flow=True)

    def spread(self, value: Any) -> list[str]:
        """A mapping or list in brackets, over several lines."""
        left, right = "{}" if isinstance(value, dict) else "[]"
        parts = (
            [f"{self.scalar(k, flow=True)}: {self.inline(v)}" for k, v in value.items()]
            if isinstance(value, dict)
            else list(map(self.inline, value))
        )
        lines = [left]
        for number, part in enumerate(parts):
            last = number == len(parts) - 1
            comma = "" if last and self.rng.random() < 0.7 else ","
            if self.rng.random() < self.comments / 2:
                lines.append(f"  {self.comment()}")
            lines.append(f"  {part}{comma}{self.tail()}")
        return [*lines, right]

    def after(self, head: str, value: Any, indent: int) -> list[str]:
        """The lines of a value behind a key or dash; a block is indented further by `indent`."""
        empty = value in ({}, []) and isinstance(value, dict | list)
        if not isinstance(value, dict | list) or empty:
            if value is None and self.rng.random() < 0.4:
                return [f"{head}{self.tail()}"]
            if isinstance(value, str) and value and self.rng.random() < 0.1:
                return [f"{head} |-{self.tail()}", f"{' ' * (indent + 1)}{value}"]
            return [
                f"{head} {self.scalar(value, flow=False) if not empty else self.inline(value)}{self.tail()}"
            ]
        if self.rng.random() < self.flow:
            if self.rng.random() < 0.5:
                return [f"{head} {self.inline(value)}{self.tail()}"]
            first, *rest = self.spread(value)
            return [
                f"{head} {first}",
                *(" " * (indent + 1) + line for line in rest[:-1]),
                " " * (indent + 1) + rest[-1] + self.tail(),
            ]
        lines = self.block(value)
        if head.endswith("-"):
            if lines[0].startswith(("#", "-")) or not lines[0]:
                return [f"{head}{self.tail()}", *indented(lines, 2)]
            return [f"{head} {lines[0]}", *indented(lines[1:], 2)]
        return [f"{head}{self.tail()}", *indented(lines, indent)]

    def block(self, value: Any) -> list[str]:
        lines: list[str] = []
        if isinstance(value, dict):
            for name, part in value.items():
                width = self.offset if isinstance(part, list) else self.step
                if lines or self.rng.random() < 0.5:
                    lines += self.above()
                lines += self.after(f"{self.scalar(name, flow=False)}:", part, width)
        else:
            for item in value:
                if lines or self.rng.random() < 0.5:
                    lines += self.above()
                lines += self.after("-", item, 2)
        return lines


def indented(lines: list[str], by: int) -> list[str]:
    return [" " * by + line if line else line for line in lines]


def random_yaml(seed: int) -> tuple[str, Any]:
    """Return a text of YAML, and the object that it holds."""
    rng = random.Random(seed)
    value = value_from(rng)
    return Writer(rng).text(value), value


def random_json(seed: int) -> tuple[str, Any]:
    """Return a text of JSON, and the object that it holds."""
    rng = random.Random(seed)
    value = value_from(rng)
    indent = rng.choice((None, 2, 4, "\t"))
    separators = (",", ":") if indent is None and rng.random() < 0.5 else None
    return json.dumps(value, indent=indent, separators=separators) + "\n", value
