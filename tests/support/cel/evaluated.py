"""Expressions of an API server's match conditions, evaluated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kube_cel.compiling import compile_expression


def evaluated(expression: str, variables: Mapping[str, Any]) -> Any:
    """The value of an expression that the oldest release accepts in a match condition."""
    return compile_expression(expression, "1.30", returns="bool").value(variables)
