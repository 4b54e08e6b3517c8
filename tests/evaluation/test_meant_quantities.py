"""The quantities that people mean by the units of other notations."""

from __future__ import annotations

import pytest

from jobsworth.api.api_server import ApiServer
from jobsworth.evaluation.evaluator import Evaluator
from jobsworth.evaluation.fixes.api_hints import QUANTITIES, suggest_quantities
from jobsworth.evaluation.subject import Subject
from jobsworth.findings.finding import Finding
from support.lint.linted_jobs import job


def rejected_cpu(text: str) -> Finding:
    """Return the API server's error about a request of CPU."""
    value = job(
        {"containers": [{"name": "a", "image": "a:1", "resources": {"requests": {"cpu": text}}}]}
    )
    evaluation = Evaluator(ApiServer("1.36")).evaluate(Subject(value, written=lambda _: None))
    (finding,) = evaluation.api
    return finding


@pytest.mark.parametrize("unit", ["k", "m", "g", "t"])
def test_each_notation_of_a_unit_means_its_power_of_ten_or_two(unit: str) -> None:
    decimal, binary = f"2{unit if unit == 'k' else unit.upper()}", f"2{unit.upper()}i"
    for text in (f"2{unit}b", f"2 {unit.upper()}B"):
        assert suggest_quantities(text) == [decimal, binary]
    for text in (f"2{unit}ib", f"2{unit}i", f" 2{unit.upper()}IB "):
        assert suggest_quantities(text) == [binary]
    both = [] if unit == "m" else [decimal, binary]  # 2m is a quantity: two thousandths
    assert suggest_quantities(f"2{unit}") == both


@pytest.mark.parametrize(
    ("text", "fixed"), [("1OOm", "100m"), ("lGi", None), ("l0Gi", "10Gi"), ("1.oG", "1.0G")]
)
def test_letters_that_look_like_digits_have_an_unsafe_fix(text: str, fixed: str | None) -> None:
    finding = rejected_cpu(text)
    assert (finding.fix and finding.fix.edits[0].value) == fixed
    assert finding.fix is None or not finding.fix.safe
    meant = f"did you mean {fixed}, with digits in place of letters?"
    assert finding.hint == (meant if fixed else QUANTITIES)
    assert text in finding.message


@pytest.mark.parametrize("text", ["${CPU}", "{{ .Values.cpu }}", "CPU_LIMIT"])
def test_a_placeholder_has_no_advice_on_quantities(text: str) -> None:
    assert rejected_cpu(text).hint == ""


@pytest.mark.parametrize("text", ["", "GB", "1.2.3GB", "-1GB", "1 lot", "\N{SUPERSCRIPT TWO}GB"])
def test_other_texts_mean_no_quantity(text: str) -> None:
    assert suggest_quantities(text) == []
