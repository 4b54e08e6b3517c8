"""The compiled modules of ``jobsworth validate`` in one file, beside their ``.pyc`` files.

Finding and reading a hundred files takes as long as a quarter of a run on one manifest:
docs/decisions/0020-bundle-of-modules.md. The bundle is a cache like ``__pycache__``, with the same checks: a
module whose source file has another time or size is imported as usual, and so are all of them without a
bundle. ``PYTHONDONTWRITEBYTECODE`` and ``PYTHONPYCACHEPREFIX`` apply.
"""

from __future__ import annotations

import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec, SourceFileLoader
    from io import FileIO
    from types import CodeType

    from jobsworth.bundle_writer import Entry, Key
else:  # `importlib.machinery`, which has their names, takes 0.7 ms to import
    ModuleSpec, SourceFileLoader = type(__spec__), type(__loader__)

_PREFIX = "jobsworth."
MOST_MISSED = 4
"""A bundle is written again if more modules are missing than its found ones divided by this."""
_NOT_READ = (OSError, EOFError, ValueError, TypeError)
"""What reading and decoding a damaged file raises."""


class ModuleBundle:
    """A finder of modules in a bundle, for ``sys.meta_path``.

    Args:
        path: the file; it may be missing, or written by another version.
        root: the folder of the package, with a slash at its end.
    """

    def __init__(self, path: str, root: str) -> None:
        self._path = path
        self._root = root
        self._file: FileIO | None = None
        self._places: dict[str, tuple[int, int]] = {}
        self._begin = 0
        self._entries: dict[str, Entry] = {}
        self._found = self._missed = 0
        try:
            self._file = open(path, "rb", buffering=0)  # noqa: SIM115 - until the process ends
            length = int.from_bytes(self._file.read(4), "little")
            key, places = marshal.loads(self._file.read(length))
            if key == _key(root):
                self._places, self._begin = places, 4 + length
        except _NOT_READ:
            pass

    def _decoded(self, name: str) -> Entry | None:
        """Return a module of the bundle after decoding its section."""
        if name in self._places and self._file is not None:
            begin, length = self._places[name]
            try:
                self._file.seek(self._begin + begin)
                self._entries.update(marshal.loads(self._file.read(length)))
            except _NOT_READ:
                self._places.clear()
        return self._entries.get(name)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Return the spec of a module whose source file is that of the bundle."""
        entry = self._entries.get(name) or self._decoded(name)
        if entry is None:
            self._missed += name.startswith(_PREFIX)
            return None
        origin, cached, is_package, time, size, code = entry
        try:
            status = os.stat(origin)
        except OSError:
            return None
        if status.st_mtime_ns != time or status.st_size != size:
            self._missed += 1
            return None
        self._found += 1
        spec = ModuleSpec(name, _Loader(name, origin, code), origin=origin, is_package=is_package)
        spec.has_location = True
        spec.cached = cached  # which the import system would take 4 µs to find out
        if is_package:
            spec.submodule_search_locations = [os.path.dirname(origin)]
        return spec

    def renew(self) -> None:
        """Write the imported modules, unless nearly all were in the bundle. Does not raise OSError."""
        if sys.dont_write_bytecode or self._missed * MOST_MISSED <= self._found:
            return
        from contextlib import suppress

        from jobsworth.bundle_writer import write

        with suppress(OSError):  # a folder that only root writes, a full disk
            write(self._path, self._root, _key(self._root), SourceFileLoader)


class _Loader(SourceFileLoader):
    def __init__(self, name: str, path: str, code: CodeType) -> None:
        self.name, self.path, self._code = name, path, code

    def get_code(self, fullname: str) -> CodeType:
        return self._code


def install() -> ModuleBundle | None:
    """Import modules from the bundle from now on; None if the package is not in a folder."""
    if SourceFileLoader.__name__ != "SourceFileLoader" or not __spec__.cached:
        return None  # a zip file, an import hook
    folder, name = os.path.split(__spec__.cached)  # module_bundle.cpython-311.opt-1.pyc
    name = name.replace("module_bundle", "validate").removesuffix(".pyc")
    root = os.path.join(os.path.dirname(__file__), "")
    bundle = ModuleBundle(os.path.join(folder, f"{name}.bundle"), root)
    builtin = getattr(sys.__spec__, "loader", None)
    first = sys.meta_path.index(builtin) if builtin in sys.meta_path else 0
    sys.meta_path.insert(first, bundle)  # behind the finders that a program has put first
    return bundle


def _key(root: str) -> Key:
    """Return what a bundle depends on beside its sources: the interpreter, the folder, and this file."""
    status = os.stat(__file__)
    return sys.version, root, status.st_mtime_ns, status.st_size
