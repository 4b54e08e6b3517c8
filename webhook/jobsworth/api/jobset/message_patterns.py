"""The regular expressions of ``onJobFailureMessagePatterns``: RE2, matched with Python's engine.

JobSet does not validate them; a pattern that RE2 cannot compile is logged by its controller and never matches
(``anyMatchFound`` in ``pkg/controllers/failure_policy.go``).
"""

from __future__ import annotations

import re

MAX_PATTERN = 1000
"""Longer patterns are neither checked nor matched."""
MAX_REPEATS = 3
"""Repeats in a pattern that is matched. Python's engine backtracks: with many, a match may take years."""
_ONLY_IN_PYTHON = re.compile(r"\(\?(?:<?[=!]|P=|\(|#|>)|\\[1-9]|(?<!\\)[*+?}]\+")
"""Constructs that RE2 lacks: lookaround, references, conditions, possessive repeats."""
_TOKEN = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[^:)]*:?|\{\d+(?:,\d*)?\}|.", re.DOTALL)
_REPEATS = ("*", "+", "?")


def malformation(pattern: str) -> str:
    """Return the reason why RE2 cannot compile a pattern; empty if it probably can."""
    if len(pattern) > MAX_PATTERN:
        return ""
    found = _ONLY_IN_PYTHON.search(pattern)
    if found:
        return f"RE2 has no {found[0]}"
    try:
        re.compile(pattern)
    except re.error as error:
        return str(error)
    except (OverflowError, RecursionError):
        return ""
    return ""


def is_matched(pattern: str) -> bool:
    """Return False for a pattern that :func:`matches` does not match: it may take too long.

    >>> is_matched("exceeded .* limit"), is_matched("(a+)+b"), is_matched("(?:(?:a|b)+)*")
    (True, False, False)
    """
    if len(pattern) > MAX_PATTERN:
        return False
    repeats, groups, closed = 0, [False], False
    for token in _TOKEN.findall(pattern):
        repeated = token in _REPEATS or (token[0] == "{" and len(token) > 1)
        if repeated:
            repeats += 1
            if closed and token != "?":
                return False
            groups[-1] = True
        elif token == "|":
            groups[-1] = True
        elif token[0] == "(":
            groups.append(False)
        if token == ")" and len(groups) > 1:
            closed = groups.pop()
            groups[-1] |= closed
        elif not repeated:
            closed = False
    return repeats <= MAX_REPEATS


def matches(pattern: str, message: str) -> bool:
    """Return True if a pattern matches a part of a message; False for one that is malformed.

    Raises:
        ValueError: the pattern is not matched; see :func:`is_matched`.

    >>> matches("limit$", "Job has reached the specified backoff limit"), matches("(", "(")
    (True, False)
    """
    if malformation(pattern):
        return False
    if not is_matched(pattern):
        raise ValueError(f"the pattern is too long or has too many repeats: {pattern[:40]}")
    return re.search(pattern, message) is not None
