"""Which replica looks after the certificates: the one that holds a Lease.

Writes are safe without (they name resource versions); with it, one replica writes and the others look on.
As in Kubernetes' own leader election, whether a holder is gone is judged by this replica's clock alone:
its Lease has not changed for as long as it is good for.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from kubernetes.client import CoordinationV1Api
from kubernetes.client.exceptions import ApiException
from urllib3.exceptions import HTTPError

from jobsworth.certificates.cluster import FIELD_MANAGER, TIMEOUT, Unavailable, said

if TYPE_CHECKING:
    from kubernetes.client import ApiClient


class Election:
    """The candidacy of one replica."""

    def __init__(
        self,
        client: ApiClient,
        *,
        namespace: str,
        name: str,
        identity: str,
        duration: datetime.timedelta,
    ) -> None:
        self._api = CoordinationV1Api(client)
        self._namespace = namespace
        self._name = name
        self._identity = identity
        self._duration = duration
        self._seen: tuple[str, float] = ("", 0.0)

    def holds(self, now: float) -> bool:
        """Take or renew the Lease if it can be had, and say whether this replica holds it.

        Args:
            now: seconds of a monotonic clock.

        Raises:
            Unavailable: the API server could not be asked, or refused.
        """
        try:
            lease = self._read()
            holder = lease.spec.holder_identity if lease.spec else None
            version = str(lease.metadata.resource_version)
            if holder and holder != self._identity and not self._expired(version, now):
                return False
            self._write(version, self._identity, lease, new=holder != self._identity)
        except ApiException as error:
            if error.status in (404, 409):
                return False
            where = f"{self._namespace}/{self._name}"
            raise Unavailable(f"cannot hold Lease {where}: {said(error)}") from None
        except (HTTPError, OSError) as error:
            where = f"{self._namespace}/{self._name}"
            raise Unavailable(f"cannot hold Lease {where}: {error}") from None
        return True

    def release(self) -> None:
        """Let the Lease go, if this replica holds it, so that another need not wait."""
        try:
            lease = self._read()
            if lease.spec and lease.spec.holder_identity == self._identity:
                self._write(str(lease.metadata.resource_version), "", lease, new=False)
        except (ApiException, HTTPError, OSError):
            pass  # it runs out by itself

    def _expired(self, version: str, now: float) -> bool:
        if self._seen[0] != version:
            self._seen = version, now
        return now - self._seen[1] >= self._duration.total_seconds()

    def _read(self) -> Any:
        try:
            return self._api.read_namespaced_lease(
                self._name, self._namespace, _request_timeout=TIMEOUT
            )
        except ApiException as error:
            if error.status != 404:
                raise
        body = {
            "apiVersion": "coordination.k8s.io/v1",
            "kind": "Lease",
            "metadata": {"name": self._name, "namespace": self._namespace},
        }
        return self._api.patch_namespaced_lease(
            self._name, self._namespace, body,
            field_manager=FIELD_MANAGER, _content_type="application/apply-patch+yaml",
            _request_timeout=TIMEOUT,
        )  # fmt: skip

    def _write(self, version: str, holder: str, lease: Any, *, new: bool) -> None:
        moment = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        spec: dict[str, Any] = {
            "holderIdentity": holder,
            "renewTime": moment,
            "leaseDurationSeconds": max(1, round(self._duration.total_seconds())),
        }
        if new:
            transitions = lease.spec.lease_transitions if lease.spec else None
            spec |= {"acquireTime": moment, "leaseTransitions": (transitions or 0) + 1}
        body = {"metadata": {"resourceVersion": version}, "spec": spec}
        self._api.patch_namespaced_lease(
            self._name, self._namespace, body,
            field_manager=FIELD_MANAGER, _request_timeout=TIMEOUT,
        )  # fmt: skip
