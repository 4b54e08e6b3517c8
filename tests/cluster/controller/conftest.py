"""The beds and controllers of the scenarios.

``JOBSWORTH_SCENARIOS=built-in`` runs them against Kubernetes's own Job controller instead: what passes there is
true of Kubernetes. What only jobsworth does, or only jobsworth can be made to do, is then skipped by name.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

from cluster.controller.controller_beds import BESIDE, at_work

if TYPE_CHECKING:
    from cluster.controller.controllers import Controller
    from cluster.controller.scenario import Scenario

FAILED = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "ours_only(why): left out where the built-in controller is tried"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@pytest.fixture(scope="session")
def beside_the_built_in() -> Iterator[Controller]:
    """The controller beside the built-in one, which has Jobs of its own. No kubelet: the test sets Pod status."""
    with at_work(controllers=BESIDE, qps=200, burst=400) as controller:
        yield controller


@pytest.fixture(scope="module")
def controller(beside_the_built_in: Controller) -> Controller:
    """The controller under test of a module; a module may have its own."""
    return beside_the_built_in


@pytest.fixture
def scenario(controller: Controller, request: pytest.FixtureRequest) -> Iterator[Scenario]:
    """A scenario that begins, and at whose end no ended Pod may still be tracked."""
    from cluster.controller.scenario import Scenario

    mark = request.node.get_closest_marker("ours_only")
    if mark is not None and controller.built_in:
        pytest.skip(f"not of the built-in controller: {mark.args[0]}")
    controller.as_usual()
    scenario = Scenario(controller)
    yield scenario
    if request.node.stash.get(FAILED, False):
        print(scenario.described())
    else:
        scenario.ends()
