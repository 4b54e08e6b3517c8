"""Manifests: YAML and JSON text to objects, exactly as kubectl reads them, with positions.

``find_manifests`` finds files. ``read_file`` and ``read_text`` return the documents of a file;
``Document.position`` returns the position of a field. ``may_hold_job`` excludes files before they are
parsed.
"""

from jobsworth.manifests.parsing.document import Document
from jobsworth.manifests.parsing.manifest_files import find_manifests, read_bytes, read_file
from jobsworth.manifests.parsing.prefilter import may_hide_words, may_hold_job, may_refer
from jobsworth.manifests.parsing.records import ManifestError, Note, Position
from jobsworth.manifests.parsing.stream import expand_lists, read_text

__all__ = [
    "Document",
    "ManifestError",
    "Note",
    "Position",
    "expand_lists",
    "find_manifests",
    "may_hide_words",
    "may_hold_job",
    "may_refer",
    "read_bytes",
    "read_file",
    "read_text",
]
