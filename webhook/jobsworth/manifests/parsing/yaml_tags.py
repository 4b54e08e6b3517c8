"""Values of scalars with a YAML tag: ``!!str 1``, ``!!int "3"``, ``!!binary aGk=``, ``!foo bar``.

Source: resolve.go and decode.go of go.yaml.in/yaml/v2 2.4.3.
"""

from __future__ import annotations

from jobsworth.manifests.parsing.scalars import MAX_INT64, Scalar, ScalarError, go_text, resolve

_TAG = "tag:yaml.org,2002:"


def resolve_tagged(tag: str, text: str) -> Scalar:
    """Return the value of a scalar with a tag; raise ScalarError if the tag contradicts the text.

    A tag that YAML does not define is ignored, but makes the value a string.
    """
    kind = tag[len(_TAG) :] if tag.startswith(_TAG) else None
    if kind == "binary":
        return _binary(text)
    if kind not in ("bool", "int", "float", "null", "timestamp"):
        return text
    value = resolve(text)
    if kind == "timestamp":
        if _is_timestamp(text):
            return text
    elif kind == "float" and type(value) is int and value <= MAX_INT64:
        return float(value)
    elif _kind_of(value) == kind:
        return value
    raise ScalarError(
        f"`{text}` is tagged !!{kind} and reads as !!{_kind_of(value)}; change the tag or the value"
    )


def _kind_of(value: Scalar) -> str:
    if isinstance(value, str):
        return "str"
    if value is None:
        return "null"
    return type(value).__name__


def _binary(text: str) -> str:
    """Decode !!binary as Go's base64.StdEncoding does; bytes that are not UTF-8 become U+FFFD."""
    from binascii import Error, a2b_base64

    digits = text.replace("\n", "").replace("\r", "")
    try:
        if len(digits) % 4:
            raise Error
        data = a2b_base64(digits.encode("ascii"), strict_mode=True)
    except (Error, UnicodeEncodeError) as error:
        raise ScalarError(
            "this value is tagged !!binary but is not base64; encode it, or remove the tag"
        ) from error
    return go_text(data)


def _is_timestamp(text: str) -> bool:
    """Return True if go-yaml reads a date, alone, with a time, or with a time and a zone."""
    from datetime import datetime

    clock, dot, rest = text.partition(".")  # Go takes any number of digits for the fraction
    zone = rest.lstrip("0123456789")
    if dot and zone == rest:
        return False
    for form in ("%Y-%m-%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dt%H:%M:%S%z"):
        try:
            datetime.strptime(clock + zone, form)
        except ValueError:
            continue
        return True
    return False
