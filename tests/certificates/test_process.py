"""The loop of ``jobsworth certs manage``: it checks when something changes, and not without end."""

from __future__ import annotations

import threading
from typing import Any
from unittest.mock import Mock

import pytest

pytest.importorskip("kubernetes")

from jobsworth.certificates import process
from support.api_server.hostile_watches import VirtualStop


class AlwaysSet(threading.Event):
    """Another client changes the objects all the time."""

    def wait(self, timeout: float | None = None) -> bool:
        return True


@pytest.mark.parametrize("done", [True, False], ids=["done", "to be tried again"])
def test_objects_that_change_all_the_time_cause_few_checks(done: bool) -> None:
    stop, manager = VirtualStop(60), Mock()
    manager.fill.return_value = done
    manager.reconcile.side_effect = [done] * 200  # StopIteration beyond that
    arguments: dict[str, Any] = {"interval": 30.0, "stop": stop, "changed": AlwaysSet()}
    assert process._until_stopped(manager, Mock(), Mock(), **arguments) == 0
    assert manager.reconcile.call_count <= 60 / process.AT_LEAST
