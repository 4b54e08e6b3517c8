"""Named formats (k8s.io/apiserver, ``pkg/cel/library/format.go``)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

from kube_cel.formats import names
from kube_cel.functions import network
from kube_cel.functions.times import read_timestamp
from kube_cel.values import NONE, CelError, Function, Optional, check

_UUID = re.compile(
    r"(?:urn:uuid:)?\{?[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}\}?"
)
_BASE64 = re.compile(
    r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"
)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)


@dataclass(frozen=True, slots=True)
class FormatValue:
    """A format as a value: equal to another of the same name."""

    type_name = "kubernetes.NamedFormat"

    name: str


def _prefix(validate: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """Return the format of the beginning of a name, which may end in a dash."""

    def validated(text: str) -> list[str]:
        return validate(f"{text[:-1]}a" if text[-1:] == "-" else text)

    return validated


def _unless(is_fine: Callable[[str], bool], message: str) -> Callable[[str], list[str]]:
    return lambda text: [] if is_fine(text) else [message]


def _is_date(text: str) -> bool:
    try:
        return bool(_DATE.fullmatch(text)) and date.fromisoformat(text) is not None
    except ValueError:
        return False


def _uri(text: str) -> list[str]:
    try:
        network.parse(text)
    except CelError as error:
        return [str(error)]
    return []


_VALIDATE: dict[str, Callable[[str], list[str]]] = {
    "dns1123Label": names.dns_label,
    "dns1123Subdomain": names.dns_subdomain,
    "dns1035Label": names.dns_1035_label,
    "qualifiedName": names.label_key,
    "labelValue": names.label_value,
    "dns1123LabelPrefix": _prefix(names.dns_label),
    "dns1123SubdomainPrefix": _prefix(names.dns_subdomain),
    "dns1035LabelPrefix": _prefix(names.dns_1035_label),
    "uri": _uri,
    "uuid": _unless(lambda text: bool(_UUID.fullmatch(text)), "does not match the UUID format"),
    "byte": _unless(lambda text: bool(_BASE64.fullmatch(text)), "invalid base64"),
    "date": _unless(_is_date, "invalid date"),
    "datetime": _unless(lambda text: read_timestamp(text) is not None, "invalid datetime"),
}


def _named(name: Any) -> Optional:
    check(str, name)
    return Optional(True, FormatValue(name)) if name in _VALIDATE else NONE


def _validate(format_: Any, text: Any) -> Optional:
    check(FormatValue, format_)
    check(str, text)
    wrong = _VALIDATE[format_.name](text)
    return Optional(True, list(wrong)) if wrong else NONE


def _constant(name: str) -> Function:
    return lambda: FormatValue(name)


FUNCTIONS: dict[str, Function] = {
    "format.named": _named,
    ".validate": _validate,
    **{f"format.{name}": _constant(name) for name in _VALIDATE},
}
