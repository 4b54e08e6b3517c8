"""The beds that scenarios run on, with the controller that they are about at work."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cluster.available_beds import bed_or_skip

if TYPE_CHECKING:
    from cluster.bed import TestBed
    from cluster.controller.controllers import Controller

BESIDE = "job-controller,cronjob-controller,garbage-collector-controller"
"""The controllers of Kubernetes that a scenario may count on."""


def built_in() -> bool:
    """Return True if the scenarios run on Kubernetes's own controller."""
    return os.environ.get("JOBSWORTH_SCENARIOS", "") == "built-in"


def controller_of(bed: TestBed) -> Controller:
    """The controller that the scenarios are about, not yet started."""
    from cluster.controller.controllers import BuiltIn, Jobsworth

    return BuiltIn(bed) if built_in() else Jobsworth(bed)


@contextlib.contextmanager
def at_work(**options: Any) -> Iterator[Controller]:
    """A bed with these options, and the controller that the scenarios are about at work on it."""
    with bed_or_skip(**options) as bed:
        controller = controller_of(bed)
        controller.as_usual()
        yield controller
        controller.kill()
