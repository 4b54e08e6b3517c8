"""Parameters of an OpenShift Template in its objects.

Source: OpenShift's documentation, "Using templates", section "Writing templates": ``${NAME}`` is replaced in
strings, and a string that is ``${{NAME}}`` by the JSON value.
"""

from __future__ import annotations

import re
from json import loads
from typing import Any

_PARAMETER = re.compile(r"\$\{(\w+)\}")
_JSON_PARAMETER = re.compile(r"\$\{\{(\w+)\}\}")
UNKNOWN = "x"
"""Stands for a parameter that has no value before the Template is processed."""


def with_parameters(value: Any, parameters: Any) -> Any:
    """Return an object of a Template with the values of the parameters.

    Args:
        value: the object.
        parameters: the field ``parameters`` of the Template.

    >>> with_parameters({"a": "${{N}}", "b": "${X}-${Y}"}, [{"name": "N", "value": "3"}, {"name": "X"}])
    {'a': 3, 'b': 'x-x'}
    """
    values = {}
    for parameter in parameters if isinstance(parameters, list) else ():
        if isinstance(parameter, dict) and isinstance(parameter.get("name"), str):
            values[parameter["name"]] = parameter.get("value")
    return _replaced(value, values)


def has_unknown_parameter(text: Any, parameters: Any) -> bool:
    """Return True for a text of a Template with a parameter whose value is only known when it is processed.

    >>> parameters = [{"name": "A"}, {"name": "B", "value": "b"}]
    >>> has_unknown_parameter("${A}", parameters), has_unknown_parameter("${B}", parameters)
    (True, False)
    """
    if not isinstance(text, str) or not isinstance(parameters, list):
        return False
    known = {
        each.get("name") for each in parameters if isinstance(each, dict) and each.get("value")
    }
    return any(name not in known for name in _PARAMETER.findall(text.replace("${{", "${")))


def _replaced(value: Any, values: dict[str, Any]) -> Any:
    if isinstance(value, dict):
        return {key: _replaced(part, values) for key, part in value.items()}
    if isinstance(value, list):
        return [_replaced(item, values) for item in value]
    if not isinstance(value, str) or "${" not in value:
        return value
    whole = _JSON_PARAMETER.fullmatch(value)
    if whole is None:
        return _PARAMETER.sub(lambda match: str(values.get(match[1]) or UNKNOWN), value)
    try:
        return loads(values.get(whole[1]) or "1")
    except (TypeError, ValueError):
        return values[whole[1]]
