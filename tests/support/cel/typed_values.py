"""CEL values as the recording of kube-apiserver's writes them: pairs of type and value."""

from __future__ import annotations

import base64
import math
from typing import Any

from kube_cel.formats.duration import parse as nanoseconds
from kube_cel.functions.numbers import QuantityValue
from kube_cel.functions.times import timestamp_text
from kube_cel.values import Duration, Optional, Timestamp, TypeValue, type_name, value_of


def typed(value: Any) -> list[Any]:
    """A value in the form of the recording, with durations in nanoseconds."""
    name = type_name(value)
    if isinstance(value, (bool, str)) or value is None:
        return [name, value]
    if isinstance(value, int):
        return [name, int(value)]
    if isinstance(value, float):
        return [name, value if math.isfinite(value) else _NOT_FINITE[str(value)]]
    if isinstance(value, bytes):
        return [name, base64.b64encode(value).decode()]
    if isinstance(value, list):
        return [name, [typed(item) for item in value]]
    if isinstance(value, dict):
        return [name, _sorted([[typed(value_of(key)), typed(item)] for key, item in value.items()])]
    if isinstance(value, Optional):
        return ["optional", typed(value.value) if value.present else None]
    if isinstance(value, Duration):
        return ["duration", value.nanoseconds]
    if isinstance(value, Timestamp):
        return ["timestamp", timestamp_text(value)]
    if isinstance(value, TypeValue):
        return ["type", value.name]
    if isinstance(value, QuantityValue):
        return [name, value.amount.canonical()]
    shown = getattr(value, "text", None) or getattr(value, "name", None) or str(value)
    return [name, shown.lower() if name == "kubernetes.NamedFormat" else shown]


def comparable(recorded: list[Any]) -> list[Any]:
    """A recorded pair in the same form."""
    name, value = recorded
    if name == "list":
        return [name, [comparable(item) for item in value]]
    if name == "map":
        return [name, _sorted([[comparable(key), comparable(item)] for key, item in value])]
    if name == "optional" and value is not None:
        return [name, comparable(value)]
    if name == "duration":
        return [name, nanoseconds(value)]
    if name == "double" and isinstance(value, int):
        return [name, float(value)]
    if name == "kubernetes.NamedFormat":
        return [name, value.lower()]
    return [name, value]


def _sorted(entries: list[Any]) -> list[Any]:
    return sorted(entries, key=lambda entry: str(entry[0]))


_NOT_FINITE = {"nan": "NaN", "inf": "+Inf", "-inf": "-Inf"}
