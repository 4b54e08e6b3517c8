"""Semantic equality, as the API server uses it to check that a field is immutable."""

from __future__ import annotations

from typing import Any


def equal(left: Any, right: Any) -> bool:
    """Return True if two decoded values are semantically equal.

    An empty list equals none (``apiequality.Semantic.DeepEqual`` upstream); quantities are equal if they
    decode to the same canonical text. An empty struct does not equal none: decoded objects omit empty
    maps, so every empty dict is a struct.

    >>> equal({"rules": []}, {})
    True
    >>> equal({"securityContext": {}}, {})
    False
    """
    if type(left) is dict and type(right) is dict:
        if left.keys() == right.keys():
            return all(equal(value, right[name]) for name, value in left.items())
        return all(equal(value, right.get(name)) for name, value in left.items()) and all(
            equal(None, value) for name, value in right.items() if name not in left
        )
    if type(left) is list and type(right) is list:
        return len(left) == len(right) and all(map(equal, left, right))
    if left == [] or right == []:
        return (left or []) == (right or [])
    return bool(left == right) and type(left) is type(right)
