"""Names: DNS labels and subdomains, label keys and values.

Each function takes a string and returns the API server's error details, empty for a valid string.
Source: ``pkg/util/validation`` and ``pkg/api/validate/content`` in ``k8s.io/apimachinery`` 0.36.

    >>> dns_label("my-name")
    []
    >>> dns_label("my.name")
    ['must not contain dots']

Regular expressions occur only in messages: checks with sets of characters take a fifth of the time.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps

from kube_cel.formats.bounded_cache import bounded_cache

Format = Callable[[str], list[str]]

LOWER = "abcdefghijklmnopqrstuvwxyz"
DIGITS = "0123456789"
LETTERS = LOWER + LOWER.upper()
LOWER_ALPHANUMERIC = frozenset(LOWER + DIGITS)
ALPHANUMERIC = frozenset(LETTERS + DIGITS)

_LABEL_CHARACTERS = LOWER + DIGITS + "-"
_NAME_CHARACTERS = LETTERS + DIGITS + "-_."

DNS_LABEL_MAX_LENGTH = 63
DNS_SUBDOMAIN_MAX_LENGTH = 253
LABEL_VALUE_MAX_LENGTH = 63


def cached(format_: Format) -> Format:
    """Return a format with a cache of its results: names and labels repeat within objects and clusters."""
    results = bounded_cache(format_)

    @wraps(format_)
    def lookup(text: str) -> list[str]:
        return [*results(text)]  # which the caller may change

    return lookup


def only(text: str, characters: str) -> bool:
    """Return True if the text has no other characters than these."""
    return not text.strip(characters)


def byte_length(text: str) -> int:
    """Return the length of the UTF-8 encoding, which is the length in Go."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def max_length(limit: int) -> str:
    """Return the error detail for a name of more than `limit` characters."""
    return f"must be no more than {limit} characters"


def max_bytes(limit: int) -> str:
    """Return the error detail for a label key or value of more than `limit` bytes."""
    return f"must be no more than {limit} bytes"


def pattern(message: str, expression: str, *examples: str) -> str:
    """Return an error detail with examples and the regular expression."""
    if not examples:
        return f"{message} (regex used for validation is '{expression}')"
    named = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {named}regex used for validation is '{expression}')"


DNS_LABEL_PATTERN = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
DNS_SUBDOMAIN_PATTERN = DNS_LABEL_PATTERN + r"(\." + DNS_LABEL_PATTERN + ")*"
DNS_LABEL_WITH_UNDERSCORE_PATTERN = "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?"
DNS_SUBDOMAIN_WITH_UNDERSCORE_PATTERN = (
    DNS_LABEL_WITH_UNDERSCORE_PATTERN + r"(\." + DNS_LABEL_WITH_UNDERSCORE_PATTERN + ")*"
)
WILDCARD_DNS_SUBDOMAIN_PATTERN = r"\*\." + DNS_SUBDOMAIN_PATTERN
DNS_1035_LABEL_PATTERN = "[a-z]([-a-z0-9]*[a-z0-9])?"
LABEL_KEY_PATTERN = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
LABEL_VALUE_PATTERN = f"({LABEL_KEY_PATTERN})?"
HTTP_PATH_PATTERN = r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+"

NOT_DNS_LABEL = pattern(
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
    "and must start and end with an alphanumeric character",
    DNS_LABEL_PATTERN,
    "my-name",
    "123-abc",
)
_NOT_DNS_SUBDOMAIN = pattern(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'-' or '.', and must start and end with an alphanumeric character",
    DNS_SUBDOMAIN_PATTERN,
    "example.com",
)
_NOT_DNS_SUBDOMAIN_WITH_UNDERSCORE = pattern(
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
    "'_', '-' or '.', and must start and end with an alphanumeric character",
    DNS_SUBDOMAIN_WITH_UNDERSCORE_PATTERN,
    "example.com",
)
_NOT_WILDCARD_DNS_SUBDOMAIN = pattern(
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, "
    "which must consist of lower case alphanumeric characters, '-' or '.' "
    "and end with an alphanumeric character",
    WILDCARD_DNS_SUBDOMAIN_PATTERN,
    "*.example.com",
)
_NOT_DNS_1035_LABEL = pattern(
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', "
    "start with an alphabetic character, and end with an alphanumeric character",
    DNS_1035_LABEL_PATTERN,
    "my-name",
    "abc-123",
)
_NOT_LABEL_KEY = pattern(
    "must consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character",
    LABEL_KEY_PATTERN,
    "MyName",
    "my.name",
    "123-abc",
)
_NOT_LABEL_VALUE = pattern(
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character",
    LABEL_VALUE_PATTERN,
    "MyValue",
    "my_value",
    "12345",
)


def _is_dns_label(text: str) -> bool:
    return (
        text != ""
        and text[0] in LOWER_ALPHANUMERIC
        and text[-1] in LOWER_ALPHANUMERIC
        and only(text, _LABEL_CHARACTERS)
    )


def _is_dns_subdomain(text: str) -> bool:
    return all(_is_dns_label(part) for part in text.split("."))


@cached
def dns_label(text: str) -> list[str]:
    """Validate a DNS label (RFC 1123): the names of containers, volumes and namespaces."""
    wrong = []
    if byte_length(text) > DNS_LABEL_MAX_LENGTH:
        wrong.append(max_length(DNS_LABEL_MAX_LENGTH))
    if not _is_dns_label(text):
        wrong.append("must not contain dots" if _is_dns_subdomain(text) else NOT_DNS_LABEL)
    return wrong


@cached
def dns_subdomain(text: str) -> list[str]:
    """Validate a DNS subdomain (RFC 1123): the names of most objects."""
    wrong = []
    if byte_length(text) > DNS_SUBDOMAIN_MAX_LENGTH:
        wrong.append(max_length(DNS_SUBDOMAIN_MAX_LENGTH))
    if not _is_dns_subdomain(text):
        wrong.append(_NOT_DNS_SUBDOMAIN)
    return wrong


def dns_subdomain_with_underscore(text: str) -> list[str]:
    """Validate a DNS subdomain with underscores: a search domain, with RelaxedDNSSearchValidation."""
    wrong = []
    if byte_length(text) > DNS_SUBDOMAIN_MAX_LENGTH:
        wrong.append(max_length(DNS_SUBDOMAIN_MAX_LENGTH))
    if not all(map(_is_dns_label_with_underscore, text.split("."))):
        wrong.append(_NOT_DNS_SUBDOMAIN_WITH_UNDERSCORE)
    return wrong


def _is_dns_label_with_underscore(text: str) -> bool:
    text = text.removeprefix("_")
    return (
        text != ""
        and text[0] in LOWER_ALPHANUMERIC
        and text[-1] in LOWER_ALPHANUMERIC
        and only(text, _LABEL_CHARACTERS + "_")
    )


def wildcard_dns_subdomain(text: str) -> list[str]:
    """Validate a wildcard DNS subdomain: ``*.example.com``."""
    wrong = []
    if byte_length(text) > DNS_SUBDOMAIN_MAX_LENGTH:
        wrong.append(max_length(DNS_SUBDOMAIN_MAX_LENGTH))
    if not (text.startswith("*.") and _is_dns_subdomain(text[2:])):
        wrong.append(_NOT_WILDCARD_DNS_SUBDOMAIN)
    return wrong


def dns_1035_label(text: str) -> list[str]:
    """Validate a DNS label (RFC 1035), which starts with a letter."""
    wrong = []
    if byte_length(text) > DNS_LABEL_MAX_LENGTH:
        wrong.append(max_length(DNS_LABEL_MAX_LENGTH))
    if not (_is_dns_label(text) and text[0] in LOWER):
        wrong.append(_NOT_DNS_1035_LABEL)
    return wrong


def as_prefix(text: str) -> str:
    """Return the name to validate for a generateName: random characters follow its trailing dash."""
    return text[:-2] + "a" if len(text) > 1 and text.endswith("-") else text


def readable_name(metadata: object) -> str:
    """Return the name of an object for people: ``etl-*`` for one whose name the API server generates.

    >>> readable_name({"name": "etl"}), readable_name({"generateName": "etl-"}), readable_name({})
    ('etl', 'etl-*', '')
    """
    if not isinstance(metadata, dict):
        return ""
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if isinstance(name, str) and name:
        return name
    return f"{prefix}*" if isinstance(prefix, str) and prefix else ""


def _is_label_name(text: str) -> bool:
    return (
        text != ""
        and text[0] in ALPHANUMERIC
        and text[-1] in ALPHANUMERIC
        and only(text, _NAME_CHARACTERS)
    )


@cached
def label_key(text: str) -> list[str]:
    """Validate a label key, also called qualified name: ``name`` or ``example.com/name``."""
    prefix, slash, name = text.partition("/")
    if not slash:
        prefix, name = "", text
    elif "/" in name:
        return [
            f"a valid label key {_NOT_LABEL_KEY}"
            " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    wrong = []
    if slash and not prefix:
        wrong.append("prefix part must be non-empty")
    elif slash:
        if byte_length(prefix) > DNS_SUBDOMAIN_MAX_LENGTH:
            wrong.append(f"prefix part {max_bytes(DNS_SUBDOMAIN_MAX_LENGTH)}")
        if not _is_dns_subdomain(prefix):
            wrong.append(f"prefix part {_NOT_DNS_SUBDOMAIN}")
    if not name:
        wrong.append("name part must be non-empty")
    elif byte_length(name) > LABEL_VALUE_MAX_LENGTH:
        wrong.append(f"name part {max_bytes(LABEL_VALUE_MAX_LENGTH)}")
    if not _is_label_name(name):
        wrong.append(f"name part {_NOT_LABEL_KEY}")
    return wrong


@cached
def label_value(text: str) -> list[str]:
    """Validate a label value, which may be empty."""
    wrong = []
    if byte_length(text) > LABEL_VALUE_MAX_LENGTH:
        wrong.append(max_bytes(LABEL_VALUE_MAX_LENGTH))
    if text and not _is_label_name(text):
        wrong.append(_NOT_LABEL_VALUE)
    return wrong
