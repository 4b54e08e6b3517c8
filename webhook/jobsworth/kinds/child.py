"""The object that an operator creates from a template, and the origin of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from jobsworth.api.field_errors import FieldError
from jobsworth.findings.edits import is_part_of
from jobsworth.record import Record

PodOwner = Literal["Job", "StatefulSet", "Pod", "PodTemplate"]
"""The kind that owns Pods: ``Pod`` for those that are created one by one."""

_NO_FIELDS: Mapping[str, str] = {}


class Template(NamedTuple):
    """A template in an object.

    Attributes:
        type: the name of its type.
        path: its field path.
        value: its value.
    """

    type: str
    path: str
    value: Any


class Child(Record, kw_only=True):
    """An object that an operator creates: a Job, or the whole object of a template.

    Pods that an operator creates without a Job are evaluated as those of a Job, of which nothing but the Pod
    template is reported.

    Attributes:
        value: the object, as JSON decodes it.
        what: what is created, for messages, such as ``the Job that KEDA creates``; empty for a template that
            the API server validates itself.
        origins: the parts that the parent has: their field path in the child, and in the parent.
        causes: the parts that the operator sets: their field path in the child, and the field of the parent
            that they follow from.
        variables: the environment variables that the operator sets; ``*`` stands for any text.
        silent: the field paths of the child that nothing is reported about.
        ignores: the codes of the lint rules that are not reported.
        once: the codes of the lint rules that are reported for the first child of an object only.
        owner: the kind that owns the Pods; ``PodTemplate`` for one that the API server validates itself.
        errors: errors of the API server about what the parent says and `value` does not, at paths of the
            child.
        replaced: the fields of the template whose value the operator replaces: their path in the parent, and
            that of the field which it takes.
        unknown: the field paths of what the CRD of the parent does not have.
        template: the template, if the CRD of the parent repeats its type.
        is_complete: False for a template that other programs complete: it has no verdict.
    """

    value: dict[str, Any]
    what: str
    origins: Mapping[str, str]
    causes: Mapping[str, str] = _NO_FIELDS
    variables: tuple[str, ...] = ()
    silent: tuple[str, ...] = ()
    ignores: tuple[str, ...] = ()
    once: tuple[str, ...] = ()
    owner: PodOwner = "Job"
    errors: tuple[FieldError, ...] = ()
    replaced: Mapping[str, str] = _NO_FIELDS
    unknown: tuple[str, ...] = ()
    template: Template | None = None
    is_complete: bool = True

    @property
    def is_pod(self) -> bool:
        """True if only the rules about Pods apply."""
        return self.owner != "Job"

    def origin(self, path: str) -> str | None:
        """Return the field path of the parent for one of the child; None if nothing is reported there.

        Of several parts that have the path, the smallest one decides.

        >>> child = Child(
        ...     value={}, what="", origins={"spec": "spec.jobTargetRef"}, causes={"metadata": "metadata.name"}
        ... )
        >>> child.origin("spec.template.spec"), child.origin("metadata.labels[a]"), child.origin("status")
        ('spec.jobTargetRef.template.spec', 'metadata.name', None)
        """
        if any(is_part_of(path, silent) for silent in self.silent):
            return None
        part = _longest(path, self.origins)
        cause = _longest(path, self.causes)
        if cause is not None and (part is None or len(cause) > len(part)):
            return self.causes[cause]
        if part is None:
            return None
        origin = self.origins[part]
        return origin + path[len(part) :] if part else _path_below(origin, path)

    def within(self, parent: Child) -> Child:
        """Return the child with the fields of an object from which an operator creates its parent."""

        def outer(paths: Mapping[str, str]) -> dict[str, str]:
            found = {path: parent.origin(origin) for path, origin in paths.items()}
            return {path: origin for path, origin in found.items() if origin is not None}

        return self.replace(origins=outer(self.origins), causes=outer(self.causes))


def _longest(path: str, parts: Mapping[str, str]) -> str | None:
    return max((part for part in parts if is_part_of(path, part)), key=len, default=None)


def _path_below(origin: str, path: str) -> str:
    return f"{origin}.{path}" if origin and path else origin or path
