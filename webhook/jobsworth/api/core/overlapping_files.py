"""Warnings about files of one volume that share a path, or of which one is a folder above the other.

Source: ``warningsForOverlappingVirtualPaths`` in ``pkg/api/pod/warnings.go``, Kubernetes 1.32 to 1.37.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from jobsworth.api.declare import ServerWarning
from jobsworth.api.field_errors import quoted

MAX_FILES_COMPARED = 10
"""The number of overlapping files that are reported of one file: all pairs of many would take too long."""
PER_SOURCE_SINCE = 34
"""The first minor version that gives a source without paths no files; before, it has those of the last one
with paths."""
CERTIFICATES_SINCE = 34

_CERTIFICATE_FILES = {
    "certificateChainPath": "PodCertificate chain",
    "keyPath": "PodCertificate key",
    "credentialBundlePath": "PodCertificate credential bundle",
}


class _File(NamedTuple):
    """A file of a volume: its path without trailing slashes, and its source in the server's words."""

    path: str
    source: str

    def __str__(self) -> str:
        path = quoted(self.path)
        return f"{path} ({self.source})" if self.source else path


class _Folder:
    """The files at a path, and all files at and below it, each with the order of its occurrence."""

    __slots__ = ("below", "children", "here")

    def __init__(self) -> None:
        self.children: dict[str, _Folder] = {}
        self.here: list[tuple[int, _File]] = []
        self.below: list[tuple[int, _File]] = []


class _Files:
    """The files of a volume so far, as a tree of folders: looking for overlaps takes time in their number."""

    def __init__(self) -> None:
        self._root = _Folder()
        self._count = 0

    def overlapped_by(self, file: _File) -> Iterator[_File]:
        """Add a file, and yield those before it that overlap with it, in the order of their occurrence."""
        self._count += 1
        if not file.path:
            return
        folder, above = self._root, []
        numbered = self._count, file
        parts = file.path.split("/")
        for depth, part in enumerate(parts):
            folder = folder.children.setdefault(part, _Folder())
            if depth < len(parts) - 1:
                above += folder.here[:MAX_FILES_COMPARED]
                folder.below.append(numbered)
        first = sorted([*above[:MAX_FILES_COMPARED], *folder.below[:MAX_FILES_COMPARED]])
        folder.here.append(numbered)
        folder.below.append(numbered)
        for _, each in first[:MAX_FILES_COMPARED]:
            yield each


def overlapping_files(
    volumes: list[dict[str, Any]], path: str, minor: int
) -> Iterator[ServerWarning]:
    """Yield the warnings about the volumes of a valid Pod.

    Args:
        volumes: the volumes of a PodSpec.
        path: their field path.
        minor: the minor version of the server.
    """
    for index, volume in enumerate(volumes):
        at, name = f"{path}[{index}]", quoted(volume.get("name", ""))
        if "configMap" in volume:
            source = volume["configMap"]
            what = f"ConfigMap {quoted(source.get('name', ''))}"
            yield from _overlaps(_items(source, ""), f"{at}.configMap.items", name, what)
        if "secret" in volume:
            source = volume["secret"]
            what = f"Secret {quoted(source.get('secretName', ''))}"
            yield from _overlaps(_items(source, ""), f"{at}.secret.items", name, what)
        if "downwardAPI" in volume:
            files = _items(volume["downwardAPI"], "")
            yield from _overlaps(files, f"{at}.downwardAPI.items", name, "DownwardAPI")
        if "projected" in volume:
            yield from _projected(volume["projected"], f"{at}.projected", name, minor)


def _overlaps(files: list[_File], path: str, volume: str, what: str) -> Iterator[ServerWarning]:
    known = _Files()
    for index, file in enumerate(files):
        for other in known.overlapped_by(file):
            yield _warning(f"{path}[{index}].path", volume, what, file, other)


def _warning(field: str, volume: str, what: str, file: _File, other: _File) -> ServerWarning:
    text = f"volume {volume} ({what}): overlapping paths: {file} with {other}"
    return ServerWarning(field, text, names_field=False)


def _projected(
    projected: dict[str, Any], path: str, volume: str, minor: int
) -> Iterator[ServerWarning]:
    known = _Files()
    files: list[_File] = []
    for index, source in enumerate(projected.get("sources", ())):
        at = f"{path}.sources[{index}]"
        if not source:
            text = f"volume {volume} (Projected) has no sources provided"
            yield ServerWarning(at, text, names_field=False)
            continue
        own = _files_of(source, minor)
        if own is not None:
            files = own
        elif minor >= PER_SOURCE_SINCE:
            files = []
        for file in files:
            for other in known.overlapped_by(file):
                yield _warning(at, volume, "Projected", file, other)


def _files_of(source: dict[str, Any], minor: int) -> list[_File] | None:
    """Return the files of a source of a projected volume; None if it names none."""
    for kind, shown in (("configMap", "ConfigMap"), ("secret", "Secret")):
        if "items" in source.get(kind, ()):
            holder = source[kind]
            return _items(holder, f"{shown} {quoted(holder.get('name', ''))}")
    if "items" in source.get("downwardAPI", ()):
        return _items(source["downwardAPI"], "DownwardAPI")
    if "serviceAccountToken" in source:
        return [_file(source["serviceAccountToken"], "path", "ServiceAccountToken")]
    if "clusterTrustBundle" in source:
        bundle = source["clusterTrustBundle"]
        name = bundle["name"] if "name" in bundle else bundle.get("signerName", "")
        return [_file(bundle, "path", f"ClusterTrustBundle {quoted(name)}")]
    if "podCertificate" in source and minor >= CERTIFICATES_SINCE:
        certificate = source["podCertificate"]
        return [
            _file(certificate, field, shown)
            for field, shown in _CERTIFICATE_FILES.items()
            if certificate.get(field)
        ]
    return None


def _items(source: dict[str, Any], shown: str) -> list[_File]:
    return [_file(item, "path", shown) for item in source.get("items", ())]


def _file(holder: dict[str, Any], field: str, source: str) -> _File:
    return _File(holder.get(field, "").rstrip("/"), source)
