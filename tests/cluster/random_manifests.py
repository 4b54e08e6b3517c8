"""Random Jobs and CronJobs, from the schema that an API server publishes of itself.

Fields come from the server, so that a field of a release that is not declared here yet is tried too. Values come
from three places: what stands in that field somewhere in ``tests/oracle/cases``, the schema (types,
enumerations), and what is odd. A seed names each object.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any

from cluster.random_values import (
    INTEGERS,
    KEYS,
    LARGE,
    LONG,
    ODD,
    QUANTITIES,
    STRINGS,
    TIMES,
    known_values,
    odd_for,
    places_below,
)

KINDS = {"Job": "io.k8s.api.batch.v1.Job", "CronJob": "io.k8s.api.batch.v1.CronJob"}
CRON_JOBS = 0.2  # this share of the objects
SPEC = {"Job": ("spec",), "CronJob": ("spec", "jobTemplate", "spec")}

FieldPath = tuple[str, ...]
"""Names of fields from the root; a list's items and a map's values are no step of their own."""

LEFT_OUT = {
    "apiVersion": "another one is another type",
    "kind": "likewise",
    "status": "a create and an update drop it, but for its decoding",
    "namespace": "it has to be the one of the URL",
    "managedFields": "the server's own book-keeping",
    "resourceVersion": "of a create the storage refuses it, not the validation",
    "uid": "of an update another one is a conflict, not a verdict",
    "selfLink": "nothing reads it",
}


class Generator:
    """Makes objects for one API server.

    Args:
        openapi: the document at ``/openapi/v3/apis/batch/v1``.

    Attributes:
        tried: the paths of the fields that have been set by its objects so far.
    """

    kinds = KINDS

    def __init__(self, openapi: dict[str, Any]) -> None:
        self._schemas: dict[str, Any] = openapi["components"]["schemas"]
        self._known = known_values()
        self.paths = {kind: self._paths_below(name) for kind, name in self.kinds.items()}
        self.tried: set[FieldPath] = set()

    @property
    def untried(self) -> set[FieldPath]:
        """The paths of a Job that no object has had yet."""
        return set(self.paths["Job"]) - self.tried

    def object(self, seed: int, about: Sequence[FieldPath] = ()) -> dict[str, Any]:
        """A Job or CronJob to create; the same for the same seed, schema and paths.

        Args:
            seed: of its random choices.
            about: paths of a Job, of which one is set before the others.
        """
        rng = random.Random(seed)
        kind = "CronJob" if rng.random() < CRON_JOBS else "Job"
        made = self._plain(rng, kind)
        self._set_one_of(rng, made, kind, about)
        for _ in range(rng.choice((0, 1, 1, 2, 2, 4)) if not about else rng.choice((0, 0, 1))):
            self._set(rng, made, kind)
        for _ in range(rng.choice((0, 0, 0, 0, 1, 2))):
            self._spoil(rng, made)
        return made

    def change(
        self, stored: dict[str, Any], seed: int, about: Sequence[FieldPath] = ()
    ) -> dict[str, Any]:
        """A stored object with some of it changed, to update it; see :meth:`object`."""
        rng = random.Random(seed)
        changed = copy.deepcopy(stored)
        changed["metadata"].pop("managedFields", None)
        if rng.random() < 0.6:
            self._set_one_of(rng, changed, stored["kind"], about)
        for _ in range(rng.choice((1, 1, 2, 3)) if not about else rng.choice((0, 1, 1))):
            if rng.random() < 0.6:
                self._set(rng, changed, stored["kind"])
            else:
                self._spoil(rng, changed)
        return changed

    def _plain(self, rng: random.Random, kind: str) -> dict[str, Any]:
        """An object that every server takes, sometimes with the modes on which other fields rest."""
        pod = {
            "restartPolicy": rng.choice(("Never", "Never", "OnFailure")),
            "containers": [{"name": "main", "image": "busybox:1.36"}],
        }
        spec: dict[str, Any] = {"template": {"spec": pod}}
        if rng.random() < 0.4:
            spec |= {
                "completionMode": "Indexed",
                "completions": rng.choice((1, 3, 5)),
                "parallelism": 2,
            }
        if rng.random() < 0.1:
            spec["backoffLimitPerIndex"] = 1
        if rng.random() < 0.1:
            pod["securityContext"] = {"windowsOptions": {}}
            pod["os"] = {"name": "windows"}
        if rng.random() < 0.3:
            pod["volumes"] = [{"name": "data", "emptyDir": {}}]
        if kind == "CronJob":
            spec = {"schedule": "0 3 * * *", "jobTemplate": {"spec": spec}}
        name = rng.choice(("sample", "train-42"))
        return {"apiVersion": "batch/v1", "kind": kind, "metadata": {"name": name}, "spec": spec}

    # Setting a field of the schema

    def _set(self, rng: random.Random, made: dict[str, Any], kind: str) -> None:
        """Set one field, whichever: of the Job itself as often as of its Pod, though there are fewer."""
        paths = self.paths[kind]
        template = (*SPEC[kind], "template", "spec")
        for _ in range(20):
            path = rng.choice(paths)
            of_pod = path[: len(template)] == template
            if of_pod == (rng.random() < 0.6):
                break
        self._set_at(rng, made, kind, path)

    def _set_one_of(
        self, rng: random.Random, made: dict[str, Any], kind: str, paths: Sequence[FieldPath]
    ) -> None:
        if paths:
            path = rng.choice(paths)
            self._set_at(rng, made, kind, (*SPEC[kind][:-1], *path))

    def _set_at(self, rng: random.Random, made: dict[str, Any], kind: str, path: FieldPath) -> None:
        holder: Any = made
        schema = self._schemas[self.kinds[kind]]
        for step in path[:-1]:
            below = self._below(schema, step)
            if below is None or not isinstance(holder, dict):
                return
            schema = below
            holder = self._entered(rng, holder, step, schema)
        if not isinstance(holder, dict):
            return
        name = path[-1]
        field = self._below(schema, name)
        if field is None:
            return
        holder[name] = self._value(rng, name, field)
        self.tried.add(path)

    def _entered(self, rng: random.Random, holder: dict[str, Any], step: str, schema: Any) -> Any:
        """Return a part of an object, created if absent; of a list one of its items."""
        schema = self._resolved(schema)
        if not holder.get(step):
            holder[step] = self._value(rng, step, schema)
        part = holder[step]
        if isinstance(part, list):
            if not part:
                return None
            return rng.choice(part)
        if isinstance(part, dict) and "additionalProperties" in schema:
            return rng.choice(list(part.values())) if part else None
        return part

    def _below(self, schema: Any, step: str) -> Any:
        schema = self._resolved(schema)
        schema = self._resolved(schema.get("items") or schema.get("additionalProperties") or schema)
        return schema.get("properties", {}).get(step)

    def _resolved(self, schema: Any) -> dict[str, Any]:
        while True:
            if "$ref" in schema:
                schema = self._schemas[schema["$ref"].rpartition("/")[2]]
            elif len(schema.get("allOf", ())) == 1:
                schema = {**self._resolved(schema["allOf"][0]), **_without(schema, "allOf")}
            else:
                return schema  # type: ignore[no-any-return]

    # Values

    def _value(self, rng: random.Random, name: str, schema: Any) -> Any:
        known = self._known.get(name)
        schema = self._resolved(schema)
        if known and rng.random() < 0.5:
            value = rng.choice(known)
            if self._fits(value, schema) or rng.random() < 0.05:
                return copy.deepcopy(value)
        if rng.random() < 0.01:
            return copy.deepcopy(rng.choice(ODD))
        return self._typed(rng, name, schema)

    def _typed(self, rng: random.Random, name: str, schema: dict[str, Any]) -> Any:
        if "enum" in schema and rng.random() < 0.85:
            return rng.choice(schema["enum"])
        if "oneOf" in schema:
            if schema.get("format") == "int-or-string":
                return rng.choice((80, "http", 0, "8080", 70000, "50%", "-1%", "a" * 16))
            return rng.choice(QUANTITIES)
        match schema.get("type"):
            case "array":
                count = rng.choice((0, 1, 1, 1, 2, 3))
                return [self._value(rng, "", schema["items"]) for _ in range(count)]
            case "object" if "additionalProperties" in schema:
                values = schema["additionalProperties"]
                keys = [rng.choice(KEYS) for _ in range(rng.choice((0, 1, 1, 2)))]
                return {key: self._value(rng, "", values) for key in keys}
            case "object":
                return self._struct(rng, schema)
            case "integer":
                return rng.choice(INTEGERS if rng.random() < 0.9 else LARGE)
            case "number":
                return rng.choice((0, 0.5, 1, -1))
            case "boolean":
                return rng.random() < 0.5
            case "string" if schema.get("format") == "date-time":
                return rng.choice(TIMES)
            case _:
                return rng.choice(STRINGS if rng.random() < 0.8 else LONG)

    def _fits(self, value: Any, schema: dict[str, Any]) -> bool:
        """Return True if a value is of the schema's type, so that the server gets as far as validating it."""
        schema = self._resolved(schema)
        if isinstance(value, dict):
            fields, others = schema.get("properties", {}), schema.get("additionalProperties")
            return all(
                (name in fields or others) and self._fits(part, fields.get(name) or others)
                for name, part in value.items()
            )
        if isinstance(value, list):
            return "items" in schema and all(self._fits(part, schema["items"]) for part in value)
        wanted = {"integer": int, "boolean": bool, "string": str}.get(schema.get("type", ""))
        return ("oneOf" in schema) if wanted is None else type(value) is wanted

    def _struct(self, rng: random.Random, schema: dict[str, Any]) -> dict[str, Any]:
        fields = schema.get("properties", {})
        required = set(schema.get("required", ()))
        share = 1.5 / (len(fields) or 1)
        return {
            name: self._value(rng, name, field)
            for name, field in fields.items()
            if (name in required and rng.random() < 0.95) or rng.random() < share
        }

    # Spoiling

    def _spoil(self, rng: random.Random, made: dict[str, Any]) -> None:
        """Delete, replace, repeat or misname something below the spec or the metadata."""
        self._spoil_below(rng, made.get("metadata"), made.get("spec"))

    def _spoil_below(self, rng: random.Random, *parts: Any) -> None:
        """Delete, replace, repeat or misname something below one of the parts."""
        places: list[tuple[Any, Any]] = []
        for part in parts:
            places_below(part, places)
        places = [place for place in places if place[1] not in LEFT_OUT]
        if not places:
            return
        holder, key = rng.choice(places)
        action = rng.random()
        if isinstance(holder, list) and action < 0.5:
            holder.append(copy.deepcopy(holder[key]))
        elif isinstance(holder, list):
            holder[key] = odd_for(rng, holder[key])
        elif action < 0.35:
            holder.pop(key)
        elif action < 0.65 and key in self._known:
            value = rng.choice(self._known[key])
            if type(value) is type(holder[key]) or rng.random() < 0.1:
                holder[key] = copy.deepcopy(value)
        elif action < 0.95:
            holder[key] = odd_for(rng, holder[key])
        else:
            holder[rng.choice((key.upper(), key + "s", "x"))] = holder.pop(key)

    def _paths_below(self, name: str) -> list[FieldPath]:
        found: list[FieldPath] = []

        def walk(schema: Any, path: FieldPath) -> None:
            schema = self._resolved(schema)
            below = schema.get("items") or schema.get("additionalProperties")
            if below is not None:
                walk(below, path)
            for field, part in schema.get("properties", {}).items():
                if field not in LEFT_OUT or len(path) > 2:
                    found.append((*path, field))
                    walk(part, (*path, field))

        walk(self._schemas[name], ())
        return found


def _without(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in mapping.items() if name != key}
