"""The expression to write instead of one that an API server refuses."""

from __future__ import annotations

from collections.abc import Mapping

from kube_cel.compiling import Returned
from kube_cel.refusals import Kind, Refusal

_OF_DYNAMIC: Mapping[Returned, str] = {
    "bool": "compare it: write (…) == true",
    "string": "write string(…)",
}
_OF_RESULT: Mapping[Returned, str] = {
    "bool": "write a condition that is true or false",
    "string": "write string(…), or a text",
}
_EXTREMES = "write [a, b].max() or [a, b].min()"
_ROUNDING = "write x < 0 ? -x : x, or int(x)"
_ADDRESSES = "Kubernetes has them since 1.31"
_LISTS = "Kubernetes has it since 1.35"
_ONE_VARIABLE = "macros with two variables are in Kubernetes since 1.33: use one variable"
_OTHER_MACROS = (
    "macros with two variables are in Kubernetes since 1.33: write map, filter or exists_one"
)
_ENDS = "write list[0], or list[size(list) - 1]"
_SIGN = "write sign(quantity)"
_OF_NAME: Mapping[str, str] = {
    "math": "write [a, b].max(), [a, b].min(), x < 0 ? -x : x, or int(x)",
    **dict.fromkeys(("greatest", "least"), _EXTREMES),
    **dict.fromkeys(("abs", "ceil", "floor", "round"), _ROUNDING),
    **dict.fromkeys(("ip", "cidr", "isIP", "isCIDR"), _ADDRESSES),
    **dict.fromkeys(("semver", "isSemver"), "Kubernetes has them since 1.34"),
    **dict.fromkeys(
        ("lists", "range", "distinct", "sort", "sortBy", "flatten", "slice", "reverse"), _LISTS
    ),
    "format": "Kubernetes has named formats since 1.32",
    **dict.fromkeys(("all", "exists", "exists_one"), _ONE_VARIABLE),
    **dict.fromkeys(
        ("transformList", "transformMap", "transformMapEntry", "existsOne"), _OTHER_MACROS
    ),
    "sign": _SIGN,
    **dict.fromkeys(("first", "last"), _ENDS),
}
"""By the name that nothing declares."""

_CONVERT = "convert one side: string(…), int(…)"
_OF_OVERLOAD: Mapping[str, str] = {
    "sign": _SIGN,
    "_?_:_": "give both results one type, or write dyn(…) around both",
    **dict.fromkeys(("_==_", "_!=_"), _CONVERT),
}
"""By the function or operator that has no variant for the types of its arguments."""

_OF_KIND: Mapping[Kind, str] = {
    "NoOverload": "convert the arguments: string(…), int(…), double(…)",
    "TypeMismatch": "give all items one type, or write dyn(…) around each",
    "InvalidLiteral": "correct the text",
}


def advice(refusal: Refusal, returns: Returned) -> str:
    """Return what to write instead of an expression that an API server refuses; empty if nothing replaces it.

    Args:
        refusal: the reason.
        returns: the type that the expression must return.
    """
    if refusal.kind == "WrongResult":
        return (_OF_DYNAMIC if refusal.name == "dyn" else _OF_RESULT).get(returns, "")
    if refusal.kind in ("UndeclaredVariable", "UndeclaredFunction"):
        return _OF_NAME.get(refusal.name, "")
    if refusal.kind == "NoOverload" and refusal.name in _OF_OVERLOAD:
        return _OF_OVERLOAD[refusal.name]
    return _OF_KIND.get(refusal.kind, "")
