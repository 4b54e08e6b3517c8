"""matchLabelKeys and mismatchLabelKeys: select by the label values of the Pod itself (KEP-3633)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jobsworth.api.field_errors import FieldError, forbidden, invalid
from kube_cel.formats.names import label_key

IN_BOTH = "exists in both matchLabelKeys and labelSelector"


def check_label_keys(value: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate the label keys of a Pod affinity term or a topology spread constraint.

    Args:
        value: the decoded object that has a labelSelector and label keys.
        path: its field path.
    """
    keys, mismatched = value.get("matchLabelKeys", ()), value.get("mismatchLabelKeys", ())
    selector = value.get("labelSelector")
    yield from _check_names(keys, selector, f"{path}.matchLabelKeys")
    yield from _check_names(mismatched, selector, f"{path}.mismatchLabelKeys")
    if keys and selector is not None:
        yield from _check_selected_twice(keys, selector, path)
    both = set(keys).intersection(mismatched)
    for index, key in enumerate(keys):
        if key in both:
            yield invalid(
                f"{path}.matchLabelKeys[{index}]",
                key,
                "exists in both matchLabelKeys and mismatchLabelKeys",
            )


def _check_names(
    keys: list[str], selector: dict[str, Any] | None, path: str
) -> Iterator[FieldError]:
    if keys and selector is None:
        yield forbidden(path, "must not be specified when labelSelector is not set")
        return
    for index, key in enumerate(keys):
        for detail in label_key(key):
            yield invalid(f"{path}[{index}]", key, detail)


def _check_selected_twice(
    keys: list[str], selector: dict[str, Any], path: str
) -> Iterator[FieldError]:
    # The server adds a requirement for each key to the selector of a Pod. It reports a key as a
    # duplicate if a requirement has a key that also occurs earlier in the selector.
    positions = {key: index for index, key in enumerate(keys)}
    selected = set(selector.get("matchLabels", ()))
    for requirement in selector.get("matchExpressions", ()):
        key = requirement.get("key", "")
        if key in positions and key in selected:
            yield invalid(f"{path}[{positions[key]}]", key, IN_BOTH)
        selected.add(key)


def check_label_keys_without_merging(value: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate the label keys of a topology spread constraint as Kubernetes does before 1.34."""
    if value.get("matchLabelKeys") and value.get("labelSelector") is None:
        at = f"{path}.matchLabelKeys"
        yield forbidden(at, "must not be specified when labelSelector is not set")
    yield from check_label_keys_without_selector(value, path)


def check_label_keys_without_selector(value: dict[str, Any], path: str) -> Iterator[FieldError]:
    """Validate the label keys of a topology spread constraint as Kubernetes does before 1.27."""
    keys, selector = value.get("matchLabelKeys", ()), value.get("labelSelector")
    at = f"{path}.matchLabelKeys"
    selected = set((selector or {}).get("matchLabels", ()))
    selected.update(
        requirement.get("key", "") for requirement in (selector or {}).get("matchExpressions", ())
    )
    for index, key in enumerate(keys):
        for detail in label_key(key):
            yield invalid(f"{at}[{index}]", key, detail)
        if key in selected:
            yield invalid(f"{at}[{index}]", key, IN_BOTH)
