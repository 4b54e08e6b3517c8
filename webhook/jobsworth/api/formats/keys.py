"""Formats of port names, environment variables, keys and prefixed names.

As in :mod:`~kube_cel.formats.names`, each function returns the API server's error details,
empty for a valid text. If upstream reports a part of the text, each result is a pair (part, detail).
The caller reports a missing text.
Source: ``pkg/util/validation`` and ``pkg/api/validate/content`` in ``k8s.io/apimachinery`` 0.36.

    >>> port_name("http")
    []
    >>> domain_prefixed_path("acme.io")
    [('acme.io', 'must be a domain-prefixed path (such as "acme.io/foo")')]
"""

from __future__ import annotations

from kube_cel.formats.names import (
    DIGITS,
    DNS_SUBDOMAIN_MAX_LENGTH,
    HTTP_PATH_PATTERN,
    LETTERS,
    LOWER,
    byte_length,
    dns_label,
    dns_subdomain,
    label_key,
    max_length,
    only,
    pattern,
)

PORT_NAME_MAX_LENGTH = 15
CONFIG_MAP_KEY_MAX_LENGTH = DNS_SUBDOMAIN_MAX_LENGTH

_PRINTABLE = "".join(map(chr, range(ord(" "), ord("~") + 1)))
_PATH_CHARACTERS = LETTERS + DIGITS + "/-._~%!$&'()*+,;=:"

_NOT_ENV_VAR_NAME = pattern(
    "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or "
    "'.', and must not start with a digit",
    "[-._a-zA-Z][-._a-zA-Z0-9]*",
    "my.env-name",
    "MY_ENV.NAME",
    "MyEnvName1",
)
_NOT_RELAXED_ENV_VAR_NAME = (
    "a valid environment variable name must consist only of printable ASCII characters "
    "other than '='"
)
_NOT_CONFIG_MAP_KEY = pattern(
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
    "[-._a-zA-Z0-9]+",
    "key.name",
    "KEY_NAME",
    "key-name",
)
_NOT_HTTP_HEADER_NAME = pattern(
    "a valid HTTP header must consist of alphanumeric characters or '-'",
    "[-A-Za-z0-9]+",
    "X-Header-Name",
)
_NOT_C_IDENTIFIER = pattern(
    "a valid C identifier must start with alphabetic character or '_', "
    "followed by a string of alphanumeric characters or '_'",
    "[A-Za-z_][A-Za-z0-9_]*",
    "my_name",
    "MY_NAME",
    "MyName",
)
_NOT_PERCENT = pattern(
    "a valid percent string must be a numeric string followed by an ending '%'",
    "[0-9]+%",
    "1%",
    "93%",
)
_NOT_PATH = pattern("Invalid path", HTTP_PATH_PATTERN)


def port_name(text: str) -> list[str]:
    """Validate the name of a container port, also in a probe.

    >>> port_name("-8080")
    ['must contain at least one letter (a-z)', 'must not begin or end with a hyphen']
    """
    wrong = []
    if byte_length(text) > PORT_NAME_MAX_LENGTH:
        wrong.append(max_length(PORT_NAME_MAX_LENGTH))
    if not text or not only(text, LOWER + DIGITS + "-"):
        wrong.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not any(letter in LOWER for letter in text):
        wrong.append("must contain at least one letter (a-z)")
    if "--" in text:
        wrong.append("must not contain consecutive hyphens")
    if text.startswith("-") or text.endswith("-"):
        wrong.append("must not begin or end with a hyphen")
    return wrong


def env_var_name(text: str) -> list[str]:
    """Validate an environment variable name, without RelaxedEnvironmentVariableValidation."""
    wrong = []
    if not text or text[0] in DIGITS or not only(text, LETTERS + DIGITS + "-._"):
        wrong.append(_NOT_ENV_VAR_NAME)
    return wrong + _no_parent_directory(text)


def relaxed_env_var_name(text: str) -> list[str]:
    """Validate an environment variable name, with RelaxedEnvironmentVariableValidation.

    >>> relaxed_env_var_name("1: so be it")
    []
    """
    if not text:
        return ["environment variable name must be non-empty"]
    if "=" in text or not only(text, _PRINTABLE):
        return [_NOT_RELAXED_ENV_VAR_NAME]
    return []


def config_map_key(text: str) -> list[str]:
    """Validate a key of a ConfigMap or Secret."""
    wrong = []
    if byte_length(text) > CONFIG_MAP_KEY_MAX_LENGTH:
        wrong.append(max_length(CONFIG_MAP_KEY_MAX_LENGTH))
    if not text or not only(text, LETTERS + DIGITS + "-._"):
        wrong.append(_NOT_CONFIG_MAP_KEY)
    return wrong + _no_parent_directory(text)


def _no_parent_directory(text: str) -> list[str]:
    if text in (".", ".."):
        return [f"must not be '{text}'"]
    return ["must not start with '..'"] if text.startswith("..") else []


def http_header_name(text: str) -> list[str]:
    """Validate the name of an HTTP header."""
    return [] if text and only(text, LETTERS + DIGITS + "-") else [_NOT_HTTP_HEADER_NAME]


def c_identifier(text: str) -> list[str]:
    """Validate a C identifier."""
    well_formed = text and text[0] not in DIGITS and only(text, LETTERS + DIGITS + "_")
    return [] if well_formed else [_NOT_C_IDENTIFIER]


def percent(text: str) -> list[str]:
    """Validate a percentage: ``25%``."""
    well_formed = len(text) > 1 and text[-1] == "%" and only(text[:-1], DIGITS)
    return [] if well_formed else [_NOT_PERCENT]


def path_segment_prefix(text: str) -> list[str]:
    """Validate the prefix of a name that is a URL path segment.

    >>> path_segment_prefix("50%/day")
    ["may not contain '/'", "may not contain '%'"]
    """
    return [f"may not contain '{character}'" for character in "/%" if character in text]


def fully_qualified_name(text: str) -> list[tuple[str, str]]:
    """Validate a domain name of at least three segments: a Pod condition type, a signer."""
    if not text:
        return []
    wrong = dns_subdomain(text)
    if wrong:
        return [(text, ",".join(wrong))]
    if text.count(".") < 2:
        return [(text, "should be a domain with at least three segments separated by dots")]
    return []


def fully_qualified_domain_name(text: str) -> list[tuple[str, str]]:
    """Validate a domain name of at least two segments, with or without a trailing dot."""
    if not text:
        return []
    text = text.removesuffix(".")
    wrong = dns_subdomain(text)
    if wrong:
        return [(text, ",".join(wrong))]
    labels = text.split(".")
    if len(labels) < 2:
        return [(text, "should be a domain with at least two segments separated by dots")]
    for label in labels:
        wrong = dns_label(label)
        if wrong:
            return [(label, ",".join(wrong))]
    return []


def domain_prefixed_path(text: str) -> list[tuple[str, str]]:
    """Validate a domain-prefixed path, ``acme.io/foo``: a finalizer, a Job's ``managedBy``."""
    if not text:
        return []
    host, _, path = text.partition("/")
    if not host or not path:
        return [(text, 'must be a domain-prefixed path (such as "acme.io/foo")')]
    wrong = [(host, detail) for detail in dns_subdomain(host)]
    if not only(path, _PATH_CHARACTERS):
        wrong.append((path, _NOT_PATH))
    return wrong


def prefixed_label_key(text: str) -> list[str]:
    """Validate a label key with a domain prefix: ``example.com/key``."""
    wrong = label_key(text)
    if not wrong and "/" not in text:
        wrong = ["must include a prefix (e.g. 'example.com/key')"]
    return wrong
