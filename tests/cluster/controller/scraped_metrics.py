"""Counters of a Job controller, read from its ``/metrics``, over several lives of its process."""

from __future__ import annotations

import re
import ssl
import urllib.request
from collections import Counter
from collections.abc import Mapping

PREFIX = "job_controller_"
_LINE = re.compile(rf"^{PREFIX}(\w+)\{{(.*)\}} (\S+)$", re.MULTILINE)
_LABEL = re.compile(r'(\w+)="([^"]*)"')

Series = tuple[str, frozenset[tuple[str, str]]]


def scrape(url: str) -> Counter[Series]:
    """Read the counters of Jobs at this address: name without prefix, labels, and value.

    Raises:
        OSError: there is no answer.
    """
    tls = ssl._create_unverified_context() if url.startswith("https") else None
    with urllib.request.urlopen(url, timeout=10, context=tls) as answer:
        text = answer.read().decode()
    return Counter(
        {
            (name, frozenset(_LABEL.findall(labels))): int(float(value))
            for name, labels, value in _LINE.findall(text)
        }
    )


def total(counters: Counter[Series], metric: str, labels: Mapping[str, str]) -> int:
    """The sum of the series of a metric that have these labels, and any others."""
    wanted = set(labels.items())
    return sum(value for (name, own), value in counters.items() if name == metric and wanted <= own)
