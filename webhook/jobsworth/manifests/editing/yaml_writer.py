"""Write objects as YAML that kubectl decodes to the same values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from jobsworth.manifests.parsing.scalars import resolve


class _Dumper(yaml.SafeDumper):
    """PyYAML's dumper, with quotes for strings that kubectl decodes otherwise: ``y``, ``1e3``, ``08``.

    It writes a value twice where two fields share it, as the labels of a Job and of its Pods do.
    """

    def ignore_aliases(self, data: Any) -> bool:
        return True


_OTHER_BREAKS = frozenset("\r\x85\u2028\u2029")
"""Line breaks that YAML 1.1 reads as a newline outside of double quotes."""


def _represent_string(dumper: _Dumper, text: str) -> yaml.ScalarNode:
    if not _OTHER_BREAKS.isdisjoint(text):
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style='"')
    if "\n" in text:
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|")
    plain = text != "" and resolve(text) == text and not text.startswith(("=", "<<"))
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=None if plain else '"')


_Dumper.add_representer(str, _represent_string)


def to_yaml(objects: Iterable[dict[str, Any]]) -> str:
    """Return objects as YAML documents, with their keys in the same order."""
    text: str = yaml.dump_all(
        objects, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=100
    )
    return text
