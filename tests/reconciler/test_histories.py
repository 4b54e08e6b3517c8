"""Thousands of random histories: see :mod:`reconciler.histories`.

``JOBSWORTH_HISTORIES=10000 pytest tests/reconciler/test_histories.py`` runs more of them.
"""

from __future__ import annotations

import os

import pytest

from reconciler.histories import History

NUMBER = int(os.environ.get("JOBSWORTH_HISTORIES", "100"))
BATCH = 25


@pytest.mark.parametrize("first", range(0, NUMBER, BATCH))
def test_nothing_is_lost_and_nothing_counted_twice(first: int) -> None:
    for seed in range(first, min(first + BATCH, NUMBER)):
        History(seed).run()
