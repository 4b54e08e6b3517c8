"""URLs, IP addresses and networks: ``pkg/cel/library`` of k8s.io/apiserver."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kube_cel.values import CelError, Function, NoOverload, check

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Interface | ipaddress.IPv6Interface


_LINK_LOCAL_MULTICAST = (
    ipaddress.ip_network("224.0.0.0/24"),
    ipaddress.ip_network("ff02::/16"),
)
_DIGITS = "0123456789"
_PREFIX = "network address parse error during conversion from string: "
_BROADCAST = ipaddress.ip_address("255.255.255.255")


@dataclass(frozen=True, slots=True)
class IpValue:
    """An IP address."""

    type_name = "net.IP"

    address: Address

    @property
    def text(self) -> str:
        """The address in its canonical form."""
        return str(self.address)


@dataclass(frozen=True, slots=True)
class CidrValue:
    """An address with the length of its network's prefix."""

    type_name = "net.CIDR"

    network: Network

    @property
    def text(self) -> str:
        """The network as it is written."""
        return str(self.network)


def _read_ip(text: Any) -> IpValue:
    check(str, text)
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        raise CelError(
            f'IP Address "{text}" parse error during conversion from string: '
            f'ParseAddr("{text}"): {_why(text)}'
        ) from None
    if isinstance(found, ipaddress.IPv6Address):
        if found.scope_id is not None:
            raise CelError(f'IP address "{text}" with zone value is not allowed')
        if found.ipv4_mapped is not None:
            raise CelError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return IpValue(found)


def _why(text: str) -> str:
    """Return why Go's ``netip`` does not read an address, as far as Python's reader distinguishes it."""
    parts = text.split(".")
    if ":" in text or len(parts) < 2:
        return "unable to parse IP"
    read = 0
    for part in parts:
        digits = len(part) - len(part.lstrip(_DIGITS))
        if digits < len(part) or not part:
            rest = text[read + digits :]
            return f'unexpected character (at "{rest}")' if rest else "IPv4 address too short"
        if len(part) > 1 and part[0] == "0":
            return "IPv4 field has octet with leading zero"
        if int(part[:4]) > 255:
            return "IPv4 field has value >255"
        read += len(part) + 1
    return "IPv4 address too short" if len(parts) < 4 else "IPv4 address too long"


def _read_cidr(text: Any) -> CidrValue:
    check(str, text)
    problem = "netip.ParsePrefix"
    address, slash, length = text.rpartition("/")
    if not slash:
        raise _bad_cidr(f"{problem}(\"{text}\"): no '/'")
    try:
        found = ipaddress.ip_interface(text)
    except ValueError:
        raise _bad_cidr(f'{problem}("{text}"): {_why_not(address, length)}') from None
    if not length.isdigit() or (len(length) > 1 and length[0] == "0"):
        raise _bad_cidr(f'{problem}("{text}"): bad bits after slash: "{length}"')
    if isinstance(found.ip, ipaddress.IPv6Address):
        if "%" in address:
            raise _bad_cidr(f'{problem}("{text}"): IPv6 zones cannot be present in a prefix')
        if found.ip.ipv4_mapped is not None:
            raise CelError(f'{_PREFIX}IPv4-mapped IPv6 address "{text}" is not allowed')
    return CidrValue(found)


def _why_not(address: str, length: str) -> str:
    if not _is_ip(address):
        return f'ParseAddr("{address}"): {_why(address)}'
    return "prefix length out of range" if length.isdigit() else f'bad bits after slash: "{length}"'


def _bad_cidr(why: str) -> CelError:
    return CelError(f"{_PREFIX}{_PREFIX}{why}")


def _is_ip(text: Any) -> bool:
    return _is_read(_read_ip, text)


def _is_read(read: Function, text: Any) -> bool:
    check(str, text)
    try:
        read(text)
    except NoOverload:
        raise
    except CelError:
        return False
    return True


def _of_address(result: Callable[[Address], Any]) -> Function:
    def checked(value: Any) -> Any:
        check(IpValue, value)
        return result(value.address)

    return checked


def _link_local_multicast(address: Address) -> bool:
    return any(address in network for network in _LINK_LOCAL_MULTICAST)


def _global_unicast(address: Address) -> bool:
    return not (
        address.is_unspecified
        or address.is_loopback
        or address.is_multicast
        or address.is_link_local
        or address == _BROADCAST
    )


def _contains_ip(network: Any, value: Any) -> bool:
    check(CidrValue, network)
    if isinstance(value, str):
        try:
            value = _read_ip(value)
        except CelError:
            raise NoOverload from None
    check(IpValue, value)
    return value.address in network.network.network


def _contains_cidr(network: Any, value: Any) -> bool:
    check(CidrValue, network)
    if isinstance(value, str):
        try:
            value = _read_cidr(value)
        except CelError:
            raise NoOverload from None
    check(CidrValue, value)
    outer, inner = network.network.network, value.network
    return outer.version == inner.version and (
        inner.ip in outer and inner.network.prefixlen >= outer.prefixlen
    )


def _ip_of(network: Any) -> IpValue:
    check(CidrValue, network)
    return IpValue(network.network.ip)


def _masked(network: Any) -> CidrValue:
    check(CidrValue, network)
    return CidrValue(ipaddress.ip_interface(str(network.network.network)))


def _prefix_length(network: Any) -> int:
    check(CidrValue, network)
    return int(network.network.network.prefixlen)


FUNCTIONS: dict[str, Function] = {
    "ip": _read_ip,
    "isIP": _is_ip,
    "ip.isCanonical": lambda text: _read_ip(text).text == text,
    "cidr": _read_cidr,
    "isCIDR": lambda text: _is_read(_read_cidr, text),
    ".family": _of_address(lambda address: address.version),
    ".isUnspecified": _of_address(lambda address: address.is_unspecified),
    ".isLoopback": _of_address(lambda address: address.is_loopback),
    ".isLinkLocalMulticast": _of_address(_link_local_multicast),
    ".isLinkLocalUnicast": _of_address(lambda address: address.is_link_local),
    ".isGlobalUnicast": _of_address(_global_unicast),
    ".containsIP": _contains_ip,
    ".containsCIDR": _contains_cidr,
    ".ip": _ip_of,
    ".masked": _masked,
    ".prefixLength": _prefix_length,
}


_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}")
_ESCAPE = re.compile(rb"%([0-9A-Fa-f]{2})")
_IN_PATHS = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/$&+,:;=@!'()*-._~"
)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST_SIGNS = frozenset("!$&'()*+,;=:[]<>\"-_.~")


@dataclass(frozen=True, slots=True)
class UrlValue:
    """A URL and its parts, as ``net/url`` of Go distinguishes them."""

    type_name = "kubernetes.URL"

    text: str
    scheme: str
    host: str
    path: str
    query: str

    @property
    def characters(self) -> int:
        """The characters of the URL, which its functions read."""
        return len(self.text)


def parse(text: str) -> UrlValue:
    """Return the parts of a URL.

    Raises:
        CelError: it is neither an absolute URL nor an absolute path; with Go's words after "parse".
    """
    quoted = f'parse "{text}": '
    if not text:
        raise CelError(f"{quoted}empty url")
    if _CONTROL.search(text):
        raise CelError(f"{quoted}net/url: invalid control character in URL")
    match = _SCHEME.fullmatch(text)
    scheme, rest = (match[1].lower(), match[2]) if match else ("", text)
    if not match and text[0] == ":":
        raise CelError(f"{quoted}missing protocol scheme")
    rest, _, query = rest.partition("#")[0].partition("?")
    if not rest.startswith("/"):
        if scheme:
            return UrlValue(text, scheme, "", "", query)
        raise CelError(f"{quoted}invalid URI for request")
    host = ""
    if rest.startswith("//") and (scheme or not rest.startswith("///")):
        host, slash, path = rest[2:].partition("/")
        rest = slash + path
        host = _host(host.rpartition("@")[2], quoted)
    escape = _BAD_ESCAPE.search(rest)
    if escape:
        raise CelError(f'{quoted}invalid URL escape "{escape[0]}"')
    return UrlValue(text, scheme, host, rest, query)


def _host(host: str, quoted: str) -> str:
    if host.startswith("["):
        end = host.rfind("]")
        if end < 0:
            raise CelError(f"{quoted}missing ']' in host")
        port = host[end + 1 :]
    else:
        _, colon, number = host.partition(":")
        port = colon + number if colon else ""
    if port and not re.fullmatch(r":[0-9]*", port):
        raise CelError(f'{quoted}invalid port "{port}" after host')
    for character in host:
        if character.isascii() and not character.isalnum() and character not in _HOST_SIGNS:
            if character == "%":
                raise CelError(f'{quoted}invalid URL escape "{host[host.index("%") :][:3]}"')
            raise CelError(f'{quoted}invalid character "{character}" in host name')
    return host


def _parsed_url(text: Any) -> UrlValue:
    check(str, text)
    try:
        return parse(text)
    except CelError as error:
        raise CelError(f"URL parse error during conversion from string: {error}") from None


def _is_url(text: Any) -> bool:
    check(str, text)
    try:
        parse(text)
    except CelError:
        return False
    return True


def _hostname(url: UrlValue) -> str:
    if url.host.startswith("["):
        return url.host[1 : url.host.rfind("]")]
    return url.host.partition(":")[0]


def _port(url: UrlValue) -> str:
    return url.host.rpartition("]")[2].partition(":")[2]


def _query(url: UrlValue) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for part in url.query.split("&"):
        if part and ";" not in part and not _BAD_ESCAPE.search(part):
            key, _, value = part.partition("=")
            found.setdefault(_unescaped(key, plus=" "), []).append(_unescaped(value, plus=" "))
    return found


def _escaped_path(url: UrlValue) -> str:
    safe = "/%!$&'()*+,;=:@-._~"
    plain = all(c.isascii() and (c.isalnum() or c in safe) for c in url.path)
    return url.path if plain else _quoted_url(url.path)


def _quoted_url(path: str) -> str:
    octets = _unescaped(path).encode("utf-8", "replace")
    return "".join(chr(octet) if chr(octet) in _IN_PATHS else f"%{octet:02X}" for octet in octets)


def _unescaped(text: str, plus: str = "+") -> str:
    """Return a text without escapes; `plus` is what a plus sign stands for."""
    octets = _ESCAPE.sub(
        lambda match: bytes.fromhex(match[1].decode()),
        text.replace("+", plus).encode("utf-8", "replace"),
    )
    return octets.decode("utf-8", "replace")


def _of_url(result: Callable[[UrlValue], Any]) -> Function:
    def checked(url: Any) -> Any:
        check(UrlValue, url)
        return result(url)

    return checked


FUNCTIONS |= {
    "url": _parsed_url,
    "isURL": _is_url,
    ".getScheme": _of_url(lambda url: url.scheme),
    ".getHost": _of_url(lambda url: url.host),
    ".getHostname": _of_url(_hostname),
    ".getPort": _of_url(_port),
    ".getEscapedPath": _of_url(_escaped_path),
    ".getQuery": _of_url(_query),
}
