"""``jobsworth schema``: the CustomResourceDefinition."""

from __future__ import annotations

import pytest
import yaml

from jobsworth.policy.custom_resource import custom_resource_definition
from support.cli.command_runs import Command


@pytest.mark.slow
def test_the_custom_resource_definition_can_be_applied(command: Command) -> None:
    done = command("schema", "--kind", "JobPolicy", "-o", "crd")
    assert done.code == 0
    assert yaml.safe_load(done.out) == custom_resource_definition()


def test_other_kinds_have_none(command: Command) -> None:
    done = command("schema", "-o", "crd")
    assert done.code == 2
    assert "-o crd: only JobPolicy has one; add --kind JobPolicy" in done.err
