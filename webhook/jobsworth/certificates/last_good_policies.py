"""Store the last good version of each policy in a ConfigMap, for processes that start while one is broken.

The leader writes it. A policy whose document is broken keeps the stored version; a deleted one loses it.
The RBAC verbs ``get``, ``patch`` and ``create`` on the named ConfigMap suffice: see :mod:`.cluster_store`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from jobsworth.client.api_errors import ApiError
from jobsworth.client.api_interface import APPLY, MERGE, Api
from jobsworth.client.api_resources import CORE, resource_path
from jobsworth.policy.effective_policies import EffectivePolicies

LOG = logging.getLogger("jobsworth.certificates")
FIELD_MANAGER = "jobsworth-certificates"
MAX_BYTES = 1_000_000
"""The largest size of all versions together: an API server accepts 1 MiB of data in a ConfigMap."""


class LastGoodPolicies:
    """Keep a ConfigMap with the last good version of each policy.

    Args:
        api: the API server.
        namespace, name: of the ConfigMap.
        policies: returns the effective policies; None if they cannot be read.
    """

    def __init__(
        self, api: Api, namespace: str, name: str, policies: Callable[[], EffectivePolicies | None]
    ) -> None:
        self._api = api
        self._metadata = {"name": name, "namespace": namespace}
        self._path = resource_path(CORE, "configmaps", namespace, name)
        self._what = f"ConfigMap {namespace}/{name}"
        self._policies = policies
        self._omitted: tuple[str, ...] = ()

    def reconcile(self) -> None:
        """Write what differs.

        Raises:
            ApiError: the API server rejected a call or could not be reached.
        """
        policies = self._policies()
        if policies is None:
            return
        found = self._read()
        stored: dict[str, str] = found.get("data") or {}
        wanted, omitted = bounded(desired(stored, policies))
        if omitted and omitted != self._omitted:
            LOG.error(
                f"cannot store the last valid version of {', '.join(omitted)}: all policies together have "
                f"more than {MAX_BYTES:,} bytes. A replica that starts while one is invalid lacks it"
            )
        self._omitted = omitted
        changes: dict[str, str | None] = {
            name: text for name, text in wanted.items() if stored.get(name) != text
        }
        changes |= dict.fromkeys(stored.keys() - wanted.keys())  # null removes a key
        if not changes:
            return
        body = {
            "metadata": {"resourceVersion": found["metadata"]["resourceVersion"]},
            "data": changes,
        }
        try:
            self._api.patch(self._path, body, MERGE, field_manager=FIELD_MANAGER)
        except ApiError as error:
            raise error.while_trying_to(f"write {self._what}") from None
        LOG.info("stored the last valid policies", extra={"changed": sorted(changes)})

    def _read(self) -> dict[str, Any]:
        """Return the ConfigMap, created if it is missing."""
        try:
            return self._api.get(self._path)
        except ApiError as error:
            if not error.not_found:
                raise error.while_trying_to(f"read {self._what}") from None
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": self._metadata}
        try:
            return self._api.patch(self._path, body, APPLY, field_manager=FIELD_MANAGER)
        except ApiError as error:
            raise error.while_trying_to(f"create {self._what}") from None


def desired(stored: Mapping[str, str], policies: EffectivePolicies) -> dict[str, str]:
    """Return the versions to store by policy.

    While there are errors, no version is deleted: this process may have started after the last good version
    was in the files.
    """
    written = {name: one.to_json() for name, one in policies.versions.items()}
    kept = {name: text for name, text in stored.items() if name not in policies.valid}
    return {**written, **kept} if policies.errors else written


def bounded(versions: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the versions that fit into a ConfigMap, small ones first, and the names of the others."""
    left = MAX_BYTES
    kept, omitted = {}, []
    for name, text in sorted(versions.items(), key=lambda item: (len(item[1].encode()), item[0])):
        left -= len(name) + len(text.encode())
        if left >= 0:
            kept[name] = text
        else:
            omitted.append(name)
    return kept, tuple(sorted(omitted))
