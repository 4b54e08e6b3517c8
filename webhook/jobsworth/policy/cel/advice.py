"""The expression to write instead of one that an API server refuses."""

from __future__ import annotations

import re

_ADVICE: tuple[tuple[str, str], ...] = (
    ("must evaluate to bool but got dyn", "compare it: write (…) == true"),
    ("must evaluate to bool", "write a condition that is true or false"),
    ("must evaluate to string but got dyn", "write string(…)"),
    ("must evaluate to string", "write string(…), or a text"),
    (
        r"undeclared reference to 'math'",
        "write [a, b].max(), [a, b].min(), x < 0 ? -x : x, or int(x)",
    ),
    (r"undeclared reference to '(greatest|least)'", "write [a, b].max() or [a, b].min()"),
    (r"undeclared reference to '(abs|ceil|floor|round)'", "write x < 0 ? -x : x, or int(x)"),
    (r"undeclared reference to '(ip|cidr|isIP|isCIDR)'", "Kubernetes has them since 1.31"),
    (r"undeclared reference to '(semver|isSemver)'", "Kubernetes has them since 1.34"),
    (
        r"undeclared reference to '(lists|range|distinct|sort|sortBy|flatten|slice|reverse)'",
        "Kubernetes has it since 1.35",
    ),
    (r"undeclared reference to 'format'", "Kubernetes has named formats since 1.32"),
    (
        r"undeclared reference to '(transformList|transformMap|transformMapEntry|existsOne)'",
        "macros with two variables are in Kubernetes since 1.33: write map, filter or exists_one",
    ),
    (r"found no matching overload for 'sign'", "write sign(quantity)"),
    (r"undeclared reference to 'sign'", "write sign(quantity)"),
    (r"undeclared reference to '(first|last)'", "write list[0], or list[size(list) - 1]"),
    (
        r"found no matching overload for '_\?_:_'",
        "give both results one type, or write dyn(…) around both",
    ),
    (r"found no matching overload for '_[!=]=_'", "convert one side: string(…), int(…)"),
    (r"found no matching overload", "convert the arguments: string(…), int(…), double(…)"),
    (r"expected type '.*' but found", "give all items one type, or write dyn(…) around each"),
    (r"invalid (duration|timestamp|matches) argument", "correct the text"),
)
"""The expression to write instead, by the beginning of the API server's answer."""

_MACROS_WITH_TWO_VARIABLES = re.compile(r"undeclared reference to '(all|exists|exists_one)'")


def advice(message: str) -> str:
    """Return what to write instead of an expression that an API server refuses with a message."""
    if _MACROS_WITH_TWO_VARIABLES.match(message):
        return "macros with two variables are in Kubernetes since 1.33: use one variable"
    return next((text for pattern, text in _ADVICE if re.match(pattern, message)), "")
