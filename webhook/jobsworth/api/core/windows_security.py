"""Security options of Windows containers: user accounts, GMSA, and host processes."""

from __future__ import annotations

from jobsworth.api.declare import Boolean, Field, Pointer, String, Struct
from kube_cel.formats.names import DIGITS, LETTERS, byte_length, dns_subdomain, only

CREDENTIAL_SPEC_MAX_KIB = 64
DOMAIN_MAX_LENGTH = 256
USER_MAX_LENGTH = 104
NETBIOS_MAX_LENGTH = 15
DNS_LABEL_MAX_LENGTH = 63

_CONTROL_CHARACTERS = frozenset(chr(code) for code in (*range(0x20), 0x7F))
_NOT_IN_NETBIOS_NAMES = frozenset('\\/:*?"<>|')
_BAD_CHARACTERS = '"/\\:;|=,+*?<>@[]'
_NOT_IN_USER_NAMES = frozenset(_BAD_CHARACTERS)
_ALPHANUMERIC = LETTERS + DIGITS


def credential_spec(text: str) -> list[str]:
    """Validate a GMSA credential spec: not empty, and not too large."""
    if not text:
        return ["gmsaCredentialSpec cannot be an empty string"]
    if byte_length(text) > CREDENTIAL_SPEC_MAX_KIB * 1024:
        return [f"gmsaCredentialSpec size must be under {CREDENTIAL_SPEC_MAX_KIB} KiB"]
    return []


def user_name(text: str) -> list[str]:
    r"""Validate a Windows user, with or without a domain: ``DOMAIN\user`` or ``user``.

    >>> user_name("ContainerAdministrator"), user_name("CORP\\jobs")
    ([], [])
    >>> user_name("a\\b\\c")
    ['runAsUserName cannot contain more than one backslash']
    """
    if not text:
        return ["runAsUserName cannot be an empty string"]
    if not _CONTROL_CHARACTERS.isdisjoint(text):
        return ["runAsUserName cannot contain control characters"]
    domain, backslash, user = text.rpartition("\\")
    if "\\" in domain:
        return ["runAsUserName cannot contain more than one backslash"]
    wrong = []
    if byte_length(domain) >= DOMAIN_MAX_LENGTH:
        wrong.append(f"runAsUserName's Domain length must be under {DOMAIN_MAX_LENGTH} characters")
    if backslash and not (_is_netbios_name(domain) or _is_dns_name(domain)):
        wrong.append("runAsUserName's Domain doesn't match the NetBios nor the DNS format")
    if not user:
        wrong.append("runAsUserName's User cannot be empty")
    elif byte_length(user) > USER_MAX_LENGTH:
        wrong.append(
            f"runAsUserName's User length must not be longer than {USER_MAX_LENGTH} characters"
        )
    if user and only(user, ". "):
        wrong.append("runAsUserName's User cannot contain only periods or spaces")
    if not _NOT_IN_USER_NAMES.isdisjoint(user):
        wrong.append(
            f"runAsUserName's User cannot contain the following characters: {_BAD_CHARACTERS}"
        )
    return wrong


def _is_netbios_name(domain: str) -> bool:
    return (
        0 < len(domain) <= NETBIOS_MAX_LENGTH
        and domain[0] != "."
        and _NOT_IN_NETBIOS_NAMES.isdisjoint(domain)
    )


def _is_dns_name(domain: str) -> bool:
    return all(
        0 < len(label) <= DNS_LABEL_MAX_LENGTH
        and label[0] in _ALPHANUMERIC
        and label[-1] in _ALPHANUMERIC
        and only(label, _ALPHANUMERIC + "-")
        for label in domain.split(".")
    )


WindowsSecurityContextOptions = Struct(
    "WindowsSecurityContextOptions",
    "Security settings for Windows: accounts, credentials, host processes.",
    gmsaCredentialSpecName=Field(Pointer(String), format=dns_subdomain, as_json=True),
    gmsaCredentialSpec=Field(Pointer(String), format=credential_spec),
    runAsUserName=Field(Pointer(String), format=user_name, as_json=True),
    hostProcess=Field(Pointer(Boolean)),
)
