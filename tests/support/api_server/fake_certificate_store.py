"""A cluster in memory: a Secret and webhook configurations with resource versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from jobsworth.certificates.cluster_store import ClusterSnapshot
from jobsworth.certificates.rotation import Bundle
from jobsworth.client.api_errors import ApiError

MUTATING = "MutatingWebhookConfiguration jobsworth"
VALIDATING = "ValidatingWebhookConfiguration jobsworth"
SECRET = "Secret"


@dataclass
class FakeCertificateStore:
    """Stores the Secret and the bundles, and rejects outdated writes with a conflict.

    Attributes:
        data: the Secret's; None where there is no Secret.
        bundles: by configuration and webhook.
        versions: how often each object was written.
        issued: the data of the Secret of another issuer; None without one.
        before_write: called once, before the next write: what others do meanwhile.
    """

    data: dict[str, bytes] | None = None
    bundles: dict[str, dict[str, bytes]] = field(
        default_factory=lambda: {
            MUTATING: {"mutate.jobsworth.dev": b""},
            VALIDATING: {"validate.jobsworth.dev": b"", "other.jobsworth.dev": b""},
        }
    )
    versions: Counter[str] = field(default_factory=Counter)
    before_write: Callable[[], None] | None = None
    issued: dict[str, bytes] | None = None

    def read(self) -> ClusterSnapshot:
        bundles = tuple(
            Bundle(configuration, webhook, bundle)
            for configuration, webhooks in self.bundles.items()
            for webhook, bundle in webhooks.items()
        )
        return ClusterSnapshot(
            dict(self.data or {}),
            None if self.data is None else str(self.versions[SECRET]),
            bundles,
            {name: str(self.versions[name]) for name in self.bundles},
            issued=None if self.issued is None else dict(self.issued),
        )

    def write_secret(self, seen: ClusterSnapshot, data: Mapping[str, bytes]) -> None:
        self._meanwhile()
        if seen.version != (None if self.data is None else str(self.versions[SECRET])):
            raise ApiError(409, "Conflict", "the object has been modified")
        self.data = dict(data)
        self.versions[SECRET] += 1

    def write_bundle(self, seen: ClusterSnapshot, configuration: str, bundle: bytes) -> None:
        self._meanwhile()
        if seen.versions.get(configuration) != str(self.versions[configuration]):
            raise ApiError(409, "Conflict", "the object has been modified")
        self.bundles[configuration] = dict.fromkeys(self.bundles[configuration], bundle)
        self.versions[configuration] += 1

    def all_bundles(self) -> list[bytes]:
        return [bundle for webhooks in self.bundles.values() for bundle in webhooks.values()]

    def _meanwhile(self) -> None:
        meanwhile, self.before_write = self.before_write, None
        if meanwhile is not None:
            meanwhile()
