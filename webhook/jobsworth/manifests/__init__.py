"""Manifests: YAML and JSON text to objects, exactly as kubectl reads them, with positions.

``find_manifests`` finds files. ``read_file`` and ``read_text`` return the documents of a file;
``Document.position`` returns the position of a field. ``might_contain_job`` excludes files before they are
parsed.
"""

from jobsworth.manifests.parsing.document import Document
from jobsworth.manifests.parsing.manifest_files import find_manifests, read_bytes, read_file
from jobsworth.manifests.parsing.prefilter import has_escapes, might_contain_job
from jobsworth.manifests.parsing.records import ManifestError, Note, Position
from jobsworth.manifests.parsing.stream import expand_lists, read_text

__all__ = [
    "Document",
    "ManifestError",
    "Note",
    "Position",
    "expand_lists",
    "find_manifests",
    "has_escapes",
    "might_contain_job",
    "read_bytes",
    "read_file",
    "read_text",
]
