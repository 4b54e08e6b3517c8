"""The keys of labels and annotations in limits and immutable fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jobsworth.api.formats.names import label_key

if TYPE_CHECKING:
    from jobsworth.policy.problems import Problems


def check_key(holder: str, key: str, path: str, problems: Problems) -> None:
    """Report a key that the API server accepts in no object.

    Args:
        holder: ``labels``, or ``annotations``, whose keys it validates in lower case (k8s.io/apimachinery,
            ``ValidateAnnotations``).
        key: the key.
        path: its path in the policy.
        problems: collects it.
    """
    for detail in label_key(key.lower() if holder == "annotations" else key):
        problems.add(path, f"no object can have this key: {detail}")
