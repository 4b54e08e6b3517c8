"""YAML and JSON text to objects, exactly as kubectl reads them, with a place for every field.

``find_manifests`` finds files, ``read_file`` and ``read_text`` read them into a ``Document`` each,
of which ``Document.position`` gives the place of a field. ``may_hold_job`` tells before any parsing
which files can be left out.

The package is imported whenever one file is checked, and so imports nothing that takes time: none
of ``re``, ``typing``, ``dataclasses``, ``enum``, ``json``, ``pathlib``, ``collections``; see
``libyaml``.
"""

from jobsworth.manifests.parsing.document import Document
from jobsworth.manifests.parsing.lists import expand_lists
from jobsworth.manifests.parsing.manifest_files import find_manifests, read_bytes, read_file
from jobsworth.manifests.parsing.prefilter import may_hold_job
from jobsworth.manifests.parsing.records import ManifestError, Note, Position
from jobsworth.manifests.parsing.stream import read_text

__all__ = [
    "Document",
    "ManifestError",
    "Note",
    "Position",
    "expand_lists",
    "find_manifests",
    "may_hold_job",
    "read_bytes",
    "read_file",
    "read_text",
]
