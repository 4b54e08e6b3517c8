"""Modules that are imported when a name of them is first used."""

from __future__ import annotations

import sys

import pytest

from jobsworth.deferred_module import DeferredModule


def test_a_module_is_imported_with_its_first_name_and_its_names_are_kept() -> None:
    sys.modules.pop("colorsys", None)
    deferred = DeferredModule("colorsys")
    assert "colorsys" not in sys.modules
    convert = deferred.rgb_to_hls
    assert convert is sys.modules["colorsys"].rgb_to_hls
    del sys.modules["colorsys"]
    assert deferred.rgb_to_hls is convert
    assert "colorsys" not in sys.modules


def test_a_missing_name_and_a_missing_module_raise_what_an_import_raises() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = DeferredModule("colorsys").nothing
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        _ = DeferredModule("no_such_module").nothing
