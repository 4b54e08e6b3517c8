"""URLs (k8s.io/apiserver, ``pkg/cel/library/urls.go``): absolute ones, and absolute paths."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jobsworth.cel.functions.arguments import check
from jobsworth.cel.values import CelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jobsworth.cel.functions.arguments import Function

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


def _read(text: Any) -> UrlValue:
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
    return url.path if plain else _quoted(url.path)


def _quoted(path: str) -> str:
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


FUNCTIONS: dict[str, Function] = {
    "url": _read,
    "isURL": _is_url,
    ".getScheme": _of_url(lambda url: url.scheme),
    ".getHost": _of_url(lambda url: url.host),
    ".getHostname": _of_url(_hostname),
    ".getPort": _of_url(_port),
    ".getEscapedPath": _of_url(_escaped_path),
    ".getQuery": _of_url(_query),
}
