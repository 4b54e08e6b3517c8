"""Write the bundle of modules: see :mod:`jobsworth.module_bundle`."""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.machinery import SourceFileLoader
    from types import CodeType

    Entry = tuple[str, str | None, bool, int, int, CodeType]
    """The source file, the compiled file, True for a package, time in ns, size in bytes, the code."""

    Section = dict[str, Entry]
    """Some modules, by name, that are decoded together: names that they share are decoded once."""

    Key = tuple[str, str, int, int]

SECTION_BYTES = 1 << 17
"""The size of a section in bytes; a run decodes those that it needs."""


def write(path: str, root: str, key: Key, loader: type[SourceFileLoader]) -> None:
    """Write the imported modules: the length of an index in four bytes, the index, and the sections.

    The index has the key, and for each module the begin and the length of its section.

    Args:
        path: the file.
        root: the folder of the package, with a slash at its end.
        key: what the reader compares.
        loader: the class of the loaders of source files; that of this module may be the bundle's own.

    Raises:
        OSError: the file cannot be written.
    """
    sections = list(_sections(root, loader))
    encoded = [marshal.dumps(section) for section in sections]
    places: dict[str, tuple[int, int]] = {}
    begin = 0
    for section, data in zip(sections, encoded, strict=True):
        places.update(dict.fromkeys(section, (begin, len(data))))
        begin += len(data)
    index = marshal.dumps((key, places))
    new = f"{path}.{os.getpid()}"
    mode = os.stat(__file__).st_mode & 0o666 | 0o200  # that of compiled modules
    try:
        with open(new, "xb", opener=lambda file, flags: os.open(file, flags, mode)) as bundle:
            bundle.writelines((len(index).to_bytes(4, "little"), index, *encoded))
        os.replace(new, path)
    except OSError:
        os.unlink(new)
        raise


def _sections(root: str, loader: type[SourceFileLoader]) -> Iterator[Section]:
    """Yield the imported modules in the order of their import."""
    section: Section = {}
    size = 0
    for name, module in list(sys.modules.items()):
        spec = module.__spec__ if name.startswith("jobsworth.") and name != __name__ else None
        if spec is None or spec.origin is None:
            continue
        if not isinstance(spec.loader, loader) or not spec.origin.startswith(root):
            continue
        status = os.stat(spec.origin)
        code = spec.loader.get_code(name)
        if code is None:
            continue
        is_package = spec.submodule_search_locations is not None
        times = status.st_mtime_ns, status.st_size
        section[name] = spec.origin, spec.cached, is_package, *times, code
        size += len(marshal.dumps(code))
        if size > SECTION_BYTES:
            yield section
            section, size = {}, 0
    yield section
