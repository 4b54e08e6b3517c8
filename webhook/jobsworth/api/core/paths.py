"""Paths on a node and inside a volume, which must not leave it.

Source: ``validateLocalDescendingPath`` and ``ValidateLocalNonReservedPath`` in
``pkg/apis/core/validation``, Kubernetes 1.36.
"""

from __future__ import annotations


def without_backsteps(path: str) -> list[str]:
    """Validate that no segment of a path is ``..``."""
    return ["must not contain '..'"] if ".." in path and ".." in path.split("/") else []


def descending(path: str) -> list[str]:
    """Validate a relative path without ``..`` segments.

    >>> descending("/a/../b")
    ['must be a relative path', "must not contain '..'"]
    """
    wrong = ["must be a relative path"] if path.startswith("/") else []
    return wrong + without_backsteps(path)


def of_written_file(path: str) -> list[str]:
    """Validate the path of a file that the kubelet writes to a volume; ``..data`` is reserved.

    >>> of_written_file("..data/key")
    ["must not start with '..'"]
    """
    wrong = descending(path)
    if path.startswith("..") and not path.startswith("../"):
        wrong.append("must not start with '..'")
    return wrong


def absolute(path: str) -> list[str]:
    """Validate an absolute path."""
    return [] if path.startswith("/") else ["must be an absolute path"]
