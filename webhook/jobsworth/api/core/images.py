"""Image references, their grammar and their default pull policy (``core/v1``).

Source: ``SetDefaults_Container`` in ``pkg/apis/core/v1`` of Kubernetes 1.36, and the grammar of
``github.com/distribution/reference`` on which it depends.
"""

from __future__ import annotations

from kube_cel.formats.bounded_cache import bounded_cache
from kube_cel.formats.names import DIGITS, LETTERS, LOWER_ALPHANUMERIC, byte_length, only

PULL_POLICIES = ("Always", "IfNotPresent", "Never")

_DOCKER_HUB = "docker.io"
_SEPARATORS = "._-"
_PATH_MAX_LENGTH = 255
_TAG_CHARACTERS = LETTERS + DIGITS + "_.-"
_TAG_MAX_LENGTH = 128
_DIGEST_LENGTHS = {"sha256": 64, "sha384": 96, "sha512": 128}
_LOWER_HEXADECIMAL = DIGITS + "abcdef"
_HEXADECIMAL = _LOWER_HEXADECIMAL + "ABCDEF"


def default_pull_policy(image: str) -> str:
    """Return the default pull policy of an image: ``Always`` for the tag ``latest``.

    An image without tag and digest has the tag ``latest``; a malformed image gets ``IfNotPresent``.

    >>> default_pull_policy("busybox"), default_pull_policy("registry:5000/tool:latest")
    ('Always', 'Always')
    >>> default_pull_policy("busybox:1.37"), default_pull_policy("BusyBox")
    ('IfNotPresent', 'IfNotPresent')
    """
    return "Always" if _tag(image) == "latest" else "IfNotPresent"


@bounded_cache
def _tag(image: str) -> str:
    """Return the tag, or "" if there is only a digest, or if the image is malformed."""
    if len(image) == _DIGEST_LENGTHS["sha256"] and only(image, _LOWER_HEXADECIMAL):
        return ""  # an image ID, not a name
    domain, rest = _domain_and_rest(image)
    named, at, digest = rest.partition("@")
    name, colon, tag = named.partition(":")
    well_formed = (
        (not colon or _is_tag(tag)) and (not at or _is_digest(digest)) and _is_name(domain, name)
    )
    if not well_formed:
        return ""
    return tag or ("" if at else "latest")


def malformation(image: str) -> str:
    """Return the reason why no kubelet can parse an image reference, as a clause; empty if it can.

    >>> malformation("registry.example.com/tools/kubectl:1.30"), malformation("kubectl:1.30+")
    ('', 'the tag "1.30+" contains "+"; a tag consists of letters, digits, "_", "." and "-"')
    >>> malformation("registry.example.com/Tools"), malformation("tool:")
    ('the repository "Tools" is not in lower case', 'the tag after ":" is empty')
    """
    if _tag(image):
        return ""  # fast path: nearly all images
    if len(image) == _DIGEST_LENGTHS["sha256"] and only(image, _LOWER_HEXADECIMAL):
        return "64 hexadecimal digits are the ID of an image, not its name"
    scheme, found, _ = image.partition("://")
    if found and only(scheme, LETTERS):
        return f'"{scheme}://" is not part of an image reference'
    domain, rest = _domain_and_rest(image)
    named, at, digest = rest.partition("@")
    name, colon, tag = named.partition(":")
    if not name.removeprefix("library/"):
        return "the name of the repository is missing"
    if name != name.lower():
        return f'the repository "{name.removeprefix("library/")}" is not in lower case'
    if not _is_name(domain, name):
        return _wrong_name(domain, name)
    if colon and not _is_tag(tag):
        return _wrong_tag(tag)
    if at and not _is_digest(digest):
        return f'the digest "{digest}" is not "sha256:" and 64 hexadecimal digits in lower case'
    return ""


def canonical_name(image: str) -> str:
    """Return an image reference with its registry and repository spelled out.

    >>> canonical_name("busybox:1.37")
    'docker.io/library/busybox:1.37'
    """
    domain, rest = _domain_and_rest(image)
    return f"{domain}/{rest}"


def _wrong_name(domain: str, name: str) -> str:
    parts = name.removeprefix("library/").split("/")
    for part in parts:
        if not part:
            return "a part of the repository between slashes is empty"
        if not _is_component(part):
            return (
                f'"{part}" is not part of a repository, which consists of lowercase letters and digits, '
                'separated by ".", "_", "__" or "-"'
            )
    if byte_length(name) > _PATH_MAX_LENGTH:
        return f"the repository has more than {_PATH_MAX_LENGTH} characters"
    return f'"{domain}" is not a host of a registry'


def _wrong_tag(tag: str) -> str:
    if not tag:
        return 'the tag after ":" is empty'
    if ":" in tag:
        return f'"{tag}" is more than one tag'
    if len(tag) > _TAG_MAX_LENGTH:
        return f"the tag has more than {_TAG_MAX_LENGTH} characters"
    wrong = next((character for character in tag if character not in _TAG_CHARACTERS), "")
    if wrong:
        return f'the tag "{tag}" contains "{wrong}"; a tag consists of letters, digits, "_", "." and "-"'
    return f'the tag "{tag}" begins with "{tag[0]}"'


def _domain_and_rest(image: str) -> tuple[str, str]:
    first, slash, rest = image.partition("/")
    if first == "index.docker.io" and slash:
        first = _DOCKER_HUB
    is_domain = first == "localhost" or "." in first or ":" in first or first != first.lower()
    if not (slash and is_domain):
        first, rest = _DOCKER_HUB, image
    if first == _DOCKER_HUB and "/" not in rest:
        rest = f"library/{rest}"
    return first, rest


def _is_tag(tag: str) -> bool:
    return 0 < len(tag) <= _TAG_MAX_LENGTH and only(tag, _TAG_CHARACTERS) and tag[0] not in ".-"


def _is_digest(digest: str) -> bool:
    algorithm, _, encoded = digest.partition(":")
    return len(encoded) == _DIGEST_LENGTHS.get(algorithm) and only(encoded, _LOWER_HEXADECIMAL)


def _is_name(domain: str, path: str) -> bool:
    if not all(map(_is_component, path.split("/"))):
        return False
    if _is_domain(domain):
        return byte_length(path) <= _PATH_MAX_LENGTH
    return _is_component(domain) and len(domain) + 1 + len(path) <= _PATH_MAX_LENGTH


def _is_component(text: str) -> bool:
    """Return True for a path component: lowercase, separated by ".", "_", "__" or any number of "-"."""
    if not text or text[0] in _SEPARATORS or text[-1] in _SEPARATORS:
        return False
    return all(
        separator in ("", ".", "_", "__") or not separator.strip("-")
        for separator in text.translate(_BETWEEN).split("/")
    )


_BETWEEN = {ord(character): "/" for character in LOWER_ALPHANUMERIC}
"""Replaces letters and digits by slashes, so that only separators remain."""


def _is_domain(text: str) -> bool:
    """Return True for a host, or an IPv6 address in brackets, with or without a port."""
    if text[:1] == "[":
        host, bracket, port = text[1:].partition("]")
        is_host = bool(host and bracket) and only(host, _HEXADECIMAL + ":")
    else:
        host, colon, port = text.partition(":")
        is_host = all(map(_is_host_label, host.split(".")))
        port = colon + port
    return is_host and (not port or (port[0] == ":" and port[1:] != "" and only(port[1:], DIGITS)))


def _is_host_label(text: str) -> bool:
    return text != "" and "-" not in (text[0], text[-1]) and only(text, LETTERS + DIGITS + "-")
