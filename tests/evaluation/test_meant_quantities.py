"""The quantities that people mean by the units of other notations."""

from __future__ import annotations

import pytest

from jobsworth.evaluation.fixes.api_hints import suggest_quantities


@pytest.mark.parametrize("unit", ["k", "m", "g", "t"])
def test_each_notation_of_a_unit_means_its_power_of_ten_or_two(unit: str) -> None:
    decimal, binary = f"2{unit if unit == 'k' else unit.upper()}", f"2{unit.upper()}i"
    for text in (f"2{unit}b", f"2 {unit.upper()}B"):
        assert suggest_quantities(text) == [decimal, binary]
    for text in (f"2{unit}ib", f"2{unit}i", f" 2{unit.upper()}IB "):
        assert suggest_quantities(text) == [binary]
    both = [] if unit == "m" else [decimal, binary]  # 2m is a quantity: two thousandths
    assert suggest_quantities(f"2{unit}") == both


@pytest.mark.parametrize("text", ["", "GB", "1.2.3GB", "-1GB", "1 lot", "\N{SUPERSCRIPT TWO}GB"])
def test_other_texts_mean_no_quantity(text: str) -> None:
    assert suggest_quantities(text) == []
