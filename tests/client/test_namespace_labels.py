"""The labels of namespaces are remembered for a while, and longer where the cluster does not answer."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from jobsworth.client.namespace_labels import FRESH_SECONDS, RETRY_SECONDS, NamespaceLabels


class Cluster:
    """A cluster with one namespace, at a time of its own."""

    def __init__(self) -> None:
        self.labels: Mapping[str, str] | None = {"team": "a"}
        self.answers = True
        self.asked = 0
        self.now = 100.0

    def fetch(self, namespace: str) -> Mapping[str, str] | None:
        self.asked += 1
        if not self.answers:
            raise OSError("no route to host")
        return self.labels


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def test_labels_are_requested_once_until_they_expire(cluster: Cluster) -> None:
    labels = NamespaceLabels(cluster.fetch, lambda: cluster.now)
    assert [labels("ml"), labels("ml"), labels("ci")] == [{"team": "a"}] * 3
    assert cluster.asked == 2
    cluster.now += FRESH_SECONDS
    cluster.labels = {"team": "b"}
    assert labels("ml") == {"team": "b"}


def test_while_the_cluster_does_not_answer_the_last_labels_hold(cluster: Cluster) -> None:
    labels = NamespaceLabels(cluster.fetch, lambda: cluster.now)
    labels("ml")
    cluster.answers = False
    cluster.now += FRESH_SECONDS
    assert labels("ml") == labels("ml") == {"team": "a"}
    assert cluster.asked == 2
    cluster.now += RETRY_SECONDS
    labels("ml")
    assert cluster.asked == 3
    assert labels("never seen") is None


def test_the_reason_for_unknown_labels_is_reported_on_each_failed_lookup(cluster: Cluster) -> None:
    reported = []
    labels = NamespaceLabels(
        cluster.fetch,
        lambda: cluster.now,
        lambda namespace, error: reported.append((namespace, str(error))),
    )
    cluster.answers = False
    labels("ml"), labels("ml")
    assert reported == [("ml", "no route to host")]


def test_a_namespace_that_is_not_there_has_no_known_labels(cluster: Cluster) -> None:
    cluster.labels = None
    labels = NamespaceLabels(cluster.fetch, lambda: cluster.now)
    assert labels("gone") is None
    assert labels("gone") is None
    assert cluster.asked == 1
