"""The export of policies needs few frames of Python's stack: an expression may be nested, the program is not."""

from __future__ import annotations

import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from jobsworth.files.policies.policy_files import load_with_documents
from jobsworth.policy.export.exported_policy import exported_policy

ROOT = Path(__file__).parents[3]
OWN = tuple(str(ROOT / "webhook" / package) for package in ("jobsworth", "kube_cel"))
MOST = 36
"""Below the command line, which adds four."""


@pytest.mark.slow
@pytest.mark.parametrize("path", ["policies", "webhook/jobsworth/policy/profiles/strict.yaml"])
def test_shipped_policies_are_exported_within_40_calls(path: str) -> None:
    deepest = 0

    def trace(frame: FrameType, event: str, _: Any) -> None:
        nonlocal deepest
        depth, above = 0, frame if event == "call" else None
        while above is not None:
            name = above.f_code.co_filename
            if "importlib" in name:
                return
            depth += name.startswith(OWN)
            above = above.f_back
        deepest = max(deepest, depth)

    before = sys.getprofile()
    sys.setprofile(trace)
    try:
        policies, documents = load_with_documents([str(ROOT / path)])
        for policy in policies.policies:
            value: Any = documents[policy.name].value
            exported_policy(value, policy, 36)
    finally:
        sys.setprofile(before)
    assert 10 < deepest <= MOST
