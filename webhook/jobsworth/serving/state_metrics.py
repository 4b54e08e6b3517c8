"""Prometheus metrics of the state that all processes of one server share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from prometheus_client import Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from jobsworth.admission.review_metrics import MAX_POLICIES, OTHER
from jobsworth.serving.active_policies import ServedState


class StateMetrics(Collector):
    """The hash of the active policies, the result of each policy's load, and the release.

    Args:
        state: returns the active state; None before it is loaded.
    """

    def __init__(self, state: Callable[[], ServedState | None]) -> None:
        self._state = state

    def collect(self) -> Iterator[Metric]:
        """Yield all metrics."""
        state = self._state()
        if state is None:
            return
        info = GaugeMetricFamily(
            "jobsworth_policies_info",
            "1, with the hash of the active policies: replicas with the same hash enforce the same.",
            labels=("hash",),
        )
        info.add_metric([state.policies.digest], 1)
        yield info
        loads = GaugeMetricFamily(
            "jobsworth_policy_load_success",
            "1 if a policy is active as the files define it; 0 if it is invalid: then its last valid version "
            "is active, if there is one.",
            labels=("policy",),
        )
        for name, success in _bounded(state).items():
            loads.add_metric([name], success)
        yield loads
        assumed = state.reviewer.server.release
        release = GaugeMetricFamily(
            "jobsworth_kubernetes_release_info",
            "1, with the release of the API server (empty if unknown) and the one whose rules apply.",
            labels=("server", "assumed"),
        )
        release.add_metric([state.release, assumed], 1)
        yield release
        yield GaugeMetricFamily(
            "jobsworth_kubernetes_release_skew",
            "1 if the API server runs another release than the one whose rules apply.",
            int(state.is_skewed),
        )


def _bounded(state: ServedState) -> dict[str, int]:
    """Return the result by policy, at most :data:`MAX_POLICIES` of them, the broken ones first."""
    policies = state.policies
    success = dict.fromkeys(sorted(policies.broken), 0)
    success |= dict.fromkeys(sorted(policies.valid), 1)
    shown = dict(list(success.items())[:MAX_POLICIES])
    if len(success) > len(shown):
        shown[OTHER] = min(list(success.values())[MAX_POLICIES:])
    return shown
