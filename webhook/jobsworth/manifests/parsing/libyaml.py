"""PyYAML's libyaml parser, loaded without importing PyYAML.

``import yaml`` takes 19 ms, this module 1 ms: docs/decisions/0002-load-libyaml-without-pyyaml.md.

The extension ``yaml._yaml`` needs the package ``yaml`` only for classes to instantiate: exceptions,
events, tokens, nodes. While it loads, a stub package provides minimal ones. Then both are removed
from ``sys.modules``, so that a later ``import yaml`` loads the complete package. The interpreter
reuses the extension, which can be initialized only once; so the first access to its ``CParser`` from
outside (by ``yaml.cyaml``, during ``import yaml``) installs the real classes.

If ``yaml`` is already imported, it is used. If the extension is missing or unexpected, ``yaml`` is
imported; without libyaml, PyYAML's own parser is used (see ``pure_yaml``).
"""

from __future__ import annotations

import sys
from _thread import allocate_lock

from jobsworth.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any, Literal, Protocol

    class Mark(Protocol):
        """A position in the text, counted from 0; ``index`` counts characters."""

        index: int
        line: int
        column: int

    class YamlEvent(Protocol):
        """A parser event; each class has some of these attributes."""

        anchor: str | None
        tag: str | None
        implicit: tuple[bool, bool]
        value: str
        style: str | None
        flow_style: bool | None
        version: tuple[int, int] | None
        start_mark: Mark
        end_mark: Mark

    class YamlNode(Protocol):
        """A value that libyaml has composed.

        The value of a mapping is a list of pairs, of a sequence a list of nodes, of a scalar its text.
        """

        tag: Any
        value: Any
        start_mark: Mark
        end_mark: Mark


else:
    ModuleType = type(sys)


class Backend(Record):
    """A YAML parser: a function that returns its events, and the module with its classes.

    Look up the classes (``ScalarEvent`` …, ``YAMLError``) in ``names`` for each text: they change
    when the program imports ``yaml``.

    ``compose`` returns the node of a text, None for an empty one, and is None itself for PyYAML's own parser.
    The tag of its nodes is the event's ``implicit``. It takes half as long as reading the events, but calls
    itself for nested values: look for brackets and hyphens first. Anchors, tags and directives are lost.
    """

    kind: Literal["libyaml", "python"]
    events: Callable[[bytes], Callable[[], Any]]
    names: Any
    compose: Callable[[bytes], YamlNode | None] | None = None


_LIBYAML_DEPTH_EXCEEDED = "exceeded maximum nesting depth"

_backend: Backend | None = None
_lock = allocate_lock()


def backend() -> Backend:
    """Return the parser, loaded at the first call.

    ``backend().kind`` is ``libyaml`` or ``python``, the second some ten times slower.
    """
    global _backend  # noqa: PLW0603 - the parser is loaded once for the process
    if _backend is None:
        with _lock:
            if _backend is None:
                _backend = _load()
    return _backend


def backend_for_depth(error: object) -> Backend | None:
    """Return the parser for a text that is nested deeper than libyaml reads; None for other errors.

    libyaml 0.2.6, in PyYAML since 6.0.4, ends at 1,000 levels. kubectl reads 10,000.
    """
    if getattr(error, "problem", None) != _LIBYAML_DEPTH_EXCEEDED:
        return None
    return _python(__import__("yaml"))


def _load() -> Backend:
    extension = None
    if "yaml" not in sys.modules:
        try:
            extension = _load_alone()
        except Exception:
            extension = None
    if extension is None:
        return _load_package()
    return extension


def _load_package() -> Backend:
    yaml: Any = __import__("yaml")
    try:
        extension = __import__("yaml._yaml", fromlist=["CParser"])
        return _libyaml(extension, extension.CParser)
    except (ImportError, AttributeError):
        return _python(yaml)


def _python(yaml: Any) -> Backend:
    from jobsworth.manifests.parsing.pure_yaml import parser_class

    parser = parser_class()
    return Backend("python", lambda data: parser(data).get_event, yaml)


def _libyaml(extension: Any, parser: Any) -> Backend:
    class Composer(parser):  # type: ignore[misc]
        """Resolves no tags: its three methods replace those of ``yaml.resolver.Resolver``."""

        resolve = staticmethod(lambda kind, value, implicit: implicit)
        # Called for each node, so they are functions in C that take these arguments and have no effect.
        descend_resolver: Any = staticmethod({}.get)
        ascend_resolver: Any = staticmethod([].clear)

    return Backend(
        "libyaml",
        lambda data: parser(data).get_event,
        extension,
        lambda data: Composer(data).get_single_node(),
    )


def _load_alone() -> Backend | None:
    """Load ``yaml._yaml`` without its package; None if it is missing. May raise any exception."""
    spec = None
    for finder in sys.meta_path:
        spec = finder.find_spec("yaml", None)
        if spec is not None:
            break
    if spec is None or spec.submodule_search_locations is None:
        return None
    stub = _Package("yaml")
    stub.__path__ = list(spec.submodule_search_locations)
    sys.modules["yaml"] = stub
    try:
        extension: Any = __import__("yaml._yaml", fromlist=["CParser"])
    finally:
        for name in [name for name in sys.modules if name == "yaml" or name.startswith("yaml.")]:
            del sys.modules[name]
    found = _libyaml(extension, extension.CParser)
    _prepare_for_the_real_package(extension)
    next_event = found.events(b"[a]")
    kinds = [type(next_event()) for _ in range(4)]
    if kinds[2:] != [_SequenceStart, _Scalar]:
        raise ImportError("yaml._yaml does not create instances of the stub's event classes")
    assert found.compose is not None
    node: Any = found.compose(b"[a]")
    if not (type(node) is _SequenceNode and type(node.value[0]) is _ScalarNode):
        raise ImportError("yaml._yaml does not create instances of the stub's node classes")
    return found


def _prepare_for_the_real_package(extension: Any) -> None:
    """Make the extension switch to the real classes when other code accesses its parser."""
    kept = {name: vars(extension).pop(name) for name in ("CParser", "CEmitter")}

    def on_missing_attribute(name: str) -> Any:
        if name not in kept:
            raise AttributeError(f"module 'yaml._yaml' has no attribute {name!r}")
        for source, names in _imported_names.items():
            real = sys.modules.get(f"yaml.{source}")
            for each in names if real else ():
                setattr(extension, each, getattr(real, each))
        vars(extension).update(kept)
        return kept[name]

    extension.__getattr__ = on_missing_attribute


_imported_names: dict[str, list[str]] = {}
"""The class names that the extension imported from the stub package, by submodule."""


class _Package(ModuleType):
    """A stub for the package ``yaml`` while its extension loads; it has any submodule."""

    def __getattr__(self, name: str) -> _Submodule:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Submodule(name)


class _Submodule:
    """A stub for ``yaml.events``, ``yaml.error`` and so on; it has a class of any name."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        _imported_names.setdefault(self._name, []).append(name)
        if name in _CLASSES:
            return _CLASSES[name]
        if name.endswith("Error"):
            return YAMLError if name == "YAMLError" else MarkedYAMLError
        return _Unused


class _Unused:
    """A stub for the classes of tokens, of which the parser makes no instances."""


class YAMLError(Exception):
    """A stub for ``yaml.error.YAMLError``."""


class MarkedYAMLError(YAMLError):
    """A stub for the errors of the scanner and the parser."""

    def __init__(
        self,
        context: str | None = None,
        context_mark: Mark | None = None,
        problem: str | None = None,
        problem_mark: Mark | None = None,
    ) -> None:
        self.context = context
        self.context_mark = context_mark
        self.problem = problem
        self.problem_mark = problem_mark


class _ReaderError(YAMLError):
    def __init__(self, _name: str, position: int, _character: int, _code: str, reason: str) -> None:
        self.position = position
        self.reason = reason


class _Scalar:
    __slots__ = ("anchor", "end_mark", "implicit", "start_mark", "style", "tag", "value")

    def __init__(  # noqa: PLR0917 - the extension calls it so
        self,
        anchor: str | None,
        tag: str | None,
        implicit: tuple[bool, bool],
        value: str,
        start_mark: Mark,
        end_mark: Mark,
        style: str | None,
    ) -> None:
        self.anchor = anchor
        self.tag = tag
        self.implicit = implicit
        self.value = value
        self.start_mark = start_mark
        self.end_mark = end_mark
        self.style = style


class _MappingStart:
    __slots__ = ("anchor", "flow_style", "start_mark")

    def __init__(  # noqa: PLR0917 - the extension calls it so
        self,
        anchor: str | None,
        tag: str | None,
        implicit: bool,
        start_mark: Mark,
        end_mark: Mark,
        flow_style: bool | None,
    ) -> None:
        self.anchor = anchor
        self.start_mark = start_mark
        self.flow_style = flow_style


class _SequenceStart(_MappingStart):
    __slots__ = ()


class _Alias:
    __slots__ = ("anchor", "start_mark")

    def __init__(self, anchor: str, start_mark: Mark, end_mark: Mark) -> None:
        self.anchor = anchor
        self.start_mark = start_mark


class _DocumentStart:
    __slots__ = ("start_mark", "version")

    def __init__(
        self,
        start_mark: Mark,
        end_mark: Mark,
        explicit: bool,
        version: tuple[int, int] | None,
        tags: dict[str, str] | None,
    ) -> None:
        self.start_mark = start_mark
        self.version = version


class _MappingEnd:
    __slots__ = ("end_mark", "start_mark")

    def __init__(self, start_mark: Mark, end_mark: Mark, *_: object) -> None:
        self.start_mark = start_mark
        self.end_mark = end_mark


class _SequenceEnd(_MappingEnd):
    __slots__ = ()


class _DocumentEnd(_MappingEnd):
    __slots__ = ()


class _StreamStart(_MappingEnd):
    __slots__ = ()


class _StreamEnd(_MappingEnd):
    __slots__ = ()


class _ScalarNode:
    __slots__ = ("end_mark", "start_mark", "tag", "value")

    def __init__(
        self, tag: Any, value: str, start_mark: Mark, end_mark: Mark, style: str | None
    ) -> None:
        self.tag = tag
        self.value = value
        self.start_mark = start_mark
        self.end_mark = end_mark


class _MappingNode:
    __slots__ = ("end_mark", "start_mark", "value")

    def __init__(
        self,
        tag: Any,
        value: list[Any],
        start_mark: Mark,
        end_mark: None,
        flow_style: bool | None,
    ) -> None:
        self.value = value
        self.start_mark = start_mark


class _SequenceNode(_MappingNode):
    __slots__ = ()


_CLASSES: dict[str, type] = {
    "MappingNode": _MappingNode,
    "ScalarNode": _ScalarNode,
    "SequenceNode": _SequenceNode,
    "ReaderError": _ReaderError,
    "AliasEvent": _Alias,
    "DocumentEndEvent": _DocumentEnd,
    "DocumentStartEvent": _DocumentStart,
    "MappingEndEvent": _MappingEnd,
    "MappingStartEvent": _MappingStart,
    "ScalarEvent": _Scalar,
    "SequenceEndEvent": _SequenceEnd,
    "SequenceStartEvent": _SequenceStart,
    "StreamEndEvent": _StreamEnd,
    "StreamStartEvent": _StreamStart,
}
