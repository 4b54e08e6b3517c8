"""A YAML document as a tree with positions, by all rules of kubectl.

libyaml parses the text; its events are handled as in go.yaml.in/yaml/v2 2.4.3 (decode.go) and
sigs.k8s.io/yaml 1.6.0: the last of two equal keys wins; a merge overrides the keys before it; an
anchor may be redefined; only the first document of a chunk is read; every key becomes a string.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jobsworth.manifests.parsing.fast_yaml import Value
from jobsworth.manifests.parsing.libyaml import Backend, Mark, YamlEvent, backend, backend_for_depth
from jobsworth.manifests.parsing.libyaml_compat import LibyamlText
from jobsworth.manifests.parsing.nodes import (
    DEEPEST,
    TOO_DEEP,
    AliasBudget,
    Node,
    YamlFrame,
    copy_of,
)
from jobsworth.manifests.parsing.notes import NoteTaker
from jobsworth.manifests.parsing.records import LineIndex, Note, Position, Unreadable
from jobsworth.manifests.parsing.scalars import (
    ScalarError,
    json_number,
    key_text,
    resolve,
    resolve_tagged,
)
from jobsworth.record import Record

_IDENTITY = ("apiVersion", "kind")
"""The keys with which an object begins."""
_MERGE_TAG = "tag:yaml.org,2002:merge"


class YamlTree(Record):
    """The result of ``compose``: the root (None for a text without a document) and the notes."""

    root: Node | None
    notes: tuple[Note, ...]


def compose(data: bytes, begin: Position) -> YamlTree:
    """Return the tree of the first YAML document in ``data``, which begins at some position in its file.

    Raises Unreadable if kubectl rejects the document.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    places = LineIndex(text, begin)
    dialect = LibyamlText(data, places)
    parser = backend()
    while True:
        composer = _YamlComposer(dialect, places)
        try:
            composer.read(parser)
        except parser.names.YAMLError as error:
            deeper = backend_for_depth(error)
            if deeper is not None:
                parser = deeper
                continue
            if dialect.repair(error):
                continue
            from jobsworth.manifests.parsing.parse_errors import explain

            raise explain(error, data, places) from error
        except UnicodeDecodeError as error:  # `!%FF x`; without an event, the position is unknown
            raise Unreadable(
                "a tag in this document is not UTF-8 when decoded; remove it", places.at_index(0)
            ) from error
        return YamlTree(composer.root, composer.noted.notes())


class _YamlComposer:
    """Builds a tree from events; ``root`` and ``noted`` are the result."""

    def __init__(self, dialect: LibyamlText, places: LineIndex) -> None:
        self._dialect = dialect
        self._places = places
        self._frames: list[YamlFrame] = []
        self._anchors: dict[str, Node] = {}
        self._unfinished: set[int] = set()
        self._budget = AliasBudget()
        self._unusable_keys: dict[str, str] = {}
        self._has_non_finite_numbers = False
        self.noted = NoteTaker(self._frames)
        self.root: Node | None = None

    def read(self, parser: Backend) -> None:
        """Read events up to the end of the document; raise Unreadable or errors of the parser."""
        names, next_event = parser.names, parser.events(self._dialect.data)
        handlers: dict[type, Callable[[YamlEvent], None]] = {
            names.ScalarEvent: self._on_scalar,
            names.AliasEvent: self._on_alias,
            names.MappingStartEvent: self._on_mapping_start,
            names.SequenceStartEvent: self._on_sequence_start,
            names.MappingEndEvent: self._on_end,
            names.SequenceEndEvent: self._on_end,
            names.DocumentStartEvent: self._on_document_start,
            names.StreamStartEvent: lambda event: None,
        }
        while True:
            event = next_event()
            kind = event.__class__
            if kind is names.DocumentEndEvent:
                self._note_what_follows(event, next_event, names)
                break
            if kind is names.StreamEndEvent:
                break
            handlers[kind](event)
        if self._has_non_finite_numbers or self._unusable_keys:
            self._reject_values_without_json()

    def _on_document_start(self, event: YamlEvent) -> None:
        if event.version not in (None, (1, 1)):
            raise self._error("kubectl reads YAML 1.1 only; remove %YAML", event.start_mark)

    def _on_scalar(self, event: YamlEvent) -> None:
        node = Node(self._places.at(event.start_mark))
        node.shown = event.start_mark.index != event.end_mark.index
        text = self._dialect.text_of(event)
        self._dialect.check(event, flows=bool(self._frames) and self._frames[-1].flows)
        if event.tag is not None:
            try:
                node.scalar = resolve_tagged(event.tag, text)
            except ScalarError as error:
                raise self._error(str(error), event.start_mark) from error
        else:
            node.scalar = resolve(text) if self._dialect.is_plain(event) else text
        self._count(0, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if self._frames and self._frames[-1].expects_key():
            merges = text == "<<" and (event.implicit[0] or event.tag == _MERGE_TAG)
            self._take_key(node, text, merges=merges)
        else:
            self._take_value(node)

    def _on_alias(self, event: YamlEvent) -> None:
        name = event.anchor or ""
        target = self._anchors.get(name)
        if target is None:
            raise self._error(
                f"`*{name}` refers to the anchor `&{name}`, which does not occur before it in this "
                f'document; if it is text, put it in quotes: "*{name}"',
                event.start_mark,
            )
        if id(target) in self._unfinished:
            raise self._error(
                f"`*{name}` is inside the value of its anchor `&{name}`; a value cannot contain itself",
                event.start_mark,
            )
        self._count(target.size, event)
        node = Node(self._places.at(event.start_mark), copy_of(target.value), target.children)
        node.scalar, node.height, node.is_alias = target.scalar, target.height, True
        node.size = target.size + 1
        if self._frames and self._frames[-1].expects_key():
            self._take_key(node, None, merges=False)
        else:
            self._take_value(node)

    def _on_mapping_start(self, event: YamlEvent) -> None:
        frame = self._begin(event)
        frame.node.children = frame.entries
        frame.node.value = frame.mapping

    def _on_sequence_start(self, event: YamlEvent) -> None:
        frame = self._begin(event)
        frame.node.children = frame.items = []

    def _begin(self, event: YamlEvent) -> YamlFrame:
        node = Node(self._places.at(event.start_mark))
        if self._frames and self._frames[-1].expects_key():
            from jobsworth.manifests.parsing.parse_errors import explain_container_key

            raise explain_container_key(self._places, event.start_mark)
        if len(self._frames) >= DEEPEST:
            raise Unreadable(TOO_DEEP, node.position)
        self._count(0, event)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._unfinished.add(id(node))
        frame = YamlFrame(node, flows=bool(event.flow_style))
        self._frames.append(frame)
        return frame

    def _on_end(self, event: YamlEvent) -> None:
        frame = self._frames.pop()
        node = frame.node
        if frame.items is not None:
            node.value = [item.value for item in frame.items]
        self._unfinished.discard(id(node))
        node.height += 1
        if node.height > DEEPEST:
            raise Unreadable(TOO_DEEP, node.position)
        self._take_value(node)

    def _take_key(self, node: Node, source: str | None, *, merges: bool) -> None:
        frame = self._frames[-1]
        frame.key_node, frame.merges = node, merges
        if merges:
            frame.key = "<<"
            self._budget.give_back()  # go-yaml does not decode a merge key
            return
        if node.children is not None:
            raise Unreadable("an alias of a mapping or a list cannot be a key", node.position)
        frame.node.size += node.size
        try:
            frame.key = key = key_text(node.scalar)
        except ScalarError as error:
            frame.key = key = f"\0{error}"
            self._unusable_keys[key] = str(error)
            return
        if source not in (None, key) and not isinstance(node.scalar, str):
            self.noted.coerced_key(source or "", key, node.position)
        if key in frame.mapping and key not in frame.merged:
            if key in _IDENTITY and len(self._frames) == 1 and not frame.flows:
                self._note_second_object(key, frame.mapping)
            self.noted.duplicate_key(
                key,
                node.position,
                frame.entries[key][0],
                by_chance=frame.key_kinds[key] is not type(node.scalar),
            )

    def _note_second_object(self, key: str, mapping: dict[str, Any]) -> None:
        if "metadata" in mapping or "spec" in mapping:
            kind, metadata = mapping.get("kind"), mapping.get("metadata")
            name = metadata.get("name") if isinstance(metadata, dict) else None
            self.noted.second_object(key, f"{kind or 'object'} {name or ''}".rstrip())

    def _take_value(self, node: Node) -> None:
        if not self._frames:
            self._become_json(node)
            self.root = node
            return
        frame = self._frames[-1]
        parent = frame.node
        parent.height = max(parent.height, node.height)
        parent.size += node.size
        if frame.merges:
            self._merge(frame, node)
            frame.key, frame.merges = None, False
            return
        self._become_json(node)
        if frame.items is not None:
            frame.items.append(node)
        elif frame.key is not None:
            frame.entries[frame.key] = (frame.key_node.position, node)
            frame.mapping[frame.key] = node.value
            frame.merged.discard(frame.key)
            frame.key_kinds[frame.key] = type(frame.key_node.scalar)
            frame.key = None

    def _merge(self, frame: YamlFrame, node: Node) -> None:
        """Copy the entries of a mapping into the frame; of several mappings, the last one's first."""
        sources = [node]
        if isinstance(node.children, list) and not node.is_alias:
            sources = node.children[::-1]
            frame.node.size -= 1
            self._budget.give_back()  # go-yaml decodes only the items of this list
        for source in sources:
            if not isinstance(source.children, dict):
                raise Unreadable(
                    "`<<` requires a mapping or a list of mappings",
                    source.position,
                )
            for key, entry in source.children.items():
                value = entry[1].value
                owned = key in frame.mapping and key not in frame.merged
                if owned and _differ(frame.mapping[key], value):
                    own, merge = frame.entries[key][0], frame.key_node.position
                    self.noted.merge_override(key, own, merge)
                frame.entries[key] = entry
                frame.mapping[key] = copy_of(value)
                frame.merged.add(key)

    def _become_json(self, node: Node) -> None:
        scalar = node.scalar
        if node.children is not None:
            return
        try:
            node.value = json_number(scalar) if isinstance(scalar, float) else scalar
        except ScalarError:
            node.value = scalar
            self._has_non_finite_numbers = True

    def _reject_values_without_json(self) -> None:
        """Reject them at the end, because kubectl ignores those that a later key has replaced."""
        unseen = [self.root] if self.root else []
        while unseen:
            node = unseen.pop()
            if isinstance(node.children, dict):
                for key, (position, child) in node.children.items():
                    if key in self._unusable_keys:
                        raise Unreadable(self._unusable_keys[key], position)
                    unseen.append(child)
            elif node.children is not None:
                unseen += node.children
            elif isinstance(node.value, float):
                try:
                    json_number(node.value)
                except ScalarError as error:
                    raise Unreadable(str(error), node.position) from error

    def _note_what_follows(
        self, event: YamlEvent, next_event: Callable[[], Any], names: Any
    ) -> None:
        try:
            if next_event().__class__ is names.StreamEndEvent:
                return
        except names.YAMLError:
            pass
        text, index = self._places.text, event.end_mark.index
        while index < len(text) and (text[index].isspace() or text[index] == "#"):
            comment_end = text.find("\n", index) if text[index] == "#" else index
            index = comment_end + 1 if comment_end >= 0 else len(text)
        self.noted.dropped_content(self._places.at_index(min(index, len(text) - 1)))

    def _count(self, aliased: int, event: YamlEvent) -> None:
        if not self._budget.spend(aliased):
            raise self._error(
                "aliases expand this document beyond the limit of kubectl (excessive aliasing); "
                "replace aliases by the values, or repeat less",
                event.start_mark,
            )

    def _error(self, message: str, mark: Mark) -> Unreadable:
        return Unreadable(message, self._places.at(mark))


def _differ(one: Value, other: Value) -> bool:
    try:
        return one != other
    except RecursionError:
        return True
