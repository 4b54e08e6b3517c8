"""The objects that are validated beside a Job: in the same stream, file or folder.

Of ConfigMaps and Secrets, only what rules depend on is kept: namespace, name, keys, the annotations of
release tools, and the files of several lines, which may be scripts that a Job runs. Of the other kinds, the
value of the object is kept as it was read: each part of it may have a wrong type.
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from jobsworth.findings.near_names import fold
from jobsworth.findings.placeholders import stands_for_value
from jobsworth.record import Record

RepeatedKeys = Callable[[str, str], list[tuple[str, int, int]]]

SERVICE_ACCOUNT = "ServiceAccount"
CONFIG_MAP = "ConfigMap"
SECRET = "Secret"
CLAIM = "PersistentVolumeClaim"
SERVICE = "Service"
NAMESPACE = "Namespace"
QUOTA = "ResourceQuota"
LIMIT_RANGE = "LimitRange"
BUDGET = "PodDisruptionBudget"
NETWORK_POLICY = "NetworkPolicy"
POD_GROUP = "PodGroup"
VOLUME = "PersistentVolume"
LOCAL_QUEUE, CLUSTER_QUEUE = "LocalQueue", "ClusterQueue"
APPLICATION = "Application"
FLUX_KUSTOMIZATION = "Kustomization"
CLUSTER_ROLE = "ClusterRole"
ROLES = ("Role", CLUSTER_ROLE)
BINDINGS = ("RoleBinding", "ClusterRoleBinding")
DEPLOYMENT, STATEFUL_SET = "Deployment", "StatefulSet"
WORKLOADS = (DEPLOYMENT, STATEFUL_SET, "DaemonSet")
"""Kinds whose Pods run until they are deleted."""

REFERRED = (SERVICE_ACCOUNT, CONFIG_MAP, SECRET, CLAIM, SERVICE)
"""Kinds to which a Pod refers by name."""

GROUPS = {
    **dict.fromkeys(
        (
            SERVICE_ACCOUNT,
            CONFIG_MAP,
            SECRET,
            CLAIM,
            VOLUME,
            SERVICE,
            NAMESPACE,
            QUOTA,
            LIMIT_RANGE,
        ),
        ("",),
    ),
    BUDGET: ("policy",),
    NETWORK_POLICY: ("networking.k8s.io",),
    **dict.fromkeys((*ROLES, *BINDINGS), ("rbac.authorization.k8s.io",)),
    POD_GROUP: ("scheduling.volcano.sh", "scheduling.incubator.k8s.io"),
    **dict.fromkeys((LOCAL_QUEUE, CLUSTER_QUEUE), ("kueue.x-k8s.io",)),
    APPLICATION: ("argoproj.io",),
    FLUX_KUSTOMIZATION: ("kustomize.toolkit.fluxcd.io",),
    **dict.fromkeys(WORKLOADS, ("apps",)),
}
"""The kinds of neighbors, with the groups of their API."""
KINDS = tuple(GROUPS)

RELEASE_TOOLS = ("helm.sh/", "argocd.argoproj.io/")
"""Beginnings of the annotations by which release tools order and delete objects."""

REFERRING = (
    "CronJob", "DaemonSet", "Deployment", "Job", "Pod", "ReplicaSet", "ReplicationController", "StatefulSet",
)  # fmt: skip
"""Kinds that refer to objects, and make none of those that a Job refers to."""

COPIED = ("reflect", "replicat", "sync")
"""Parts of the annotations for which a controller copies an object to other namespaces: those of reflector,
kubernetes-replicator and config-syncer."""

INJECTED = ("inject", "service-account.name")
"""Parts of the annotations and labels for which a controller adds keys to an object."""

WRITERS = ("kubectl", "oc ", "_namespaced_", "PATCH", "PUT")
"""What a command line or script that changes objects has in it, by one of these."""
_WRITES = re.compile(
    r"\b(?:kubectl|oc)\b[^\n;|&]{0,200}?\b(?:apply|create|edit|patch|replace|set)\b"
    r"|\b(?:create|patch|replace)_namespaced_(?:config_map|secret)\b|-X\s*['\"]?(?:PATCH|PUT)\b"
)

MAX_WORDS = 12
"""The number of words of a name, beyond which it is not compared further."""
MAX_SEPARATORS = 4
"""The maximum difference in length of names that are alike."""
MAX_COMPARED = 500
"""The number of objects of a kind in a namespace, beyond which no Job is compared with each of them."""
MAX_SAME = 100
"""The number of objects of one name in a file that are compared with each other."""
MAX_NAME_LENGTH = 253
"""The maximum length of the name of an object."""
MAX_FILE_LENGTH = 32_768
"""The maximum length of a file of a ConfigMap or Secret that is read."""


_NONE: Mapping[str, Any] = {}


class Neighbor(Record):
    """An object beside a Job.

    Attributes:
        kind: one of :data:`KINDS`.
        namespace: its namespace; empty if it has none, and for an object that is copied to others.
        name: its name.
        file: the file that has it, as the user named it; empty for the Job's own.
        keys: the keys of a ConfigMap or Secret; None if unknown.
        files: the texts of several lines of a ConfigMap or Secret, by key.
        selector: the selector of a Service.
        headless: True for a headless Service.
        annotations: its annotations for release tools.
        value: the object as read; empty for a ConfigMap and a Secret.
    """

    kind: str
    namespace: str
    name: str
    file: str
    keys: frozenset[str] | None = None
    files: Mapping[str, str] = _NONE
    selector: Mapping[str, str] = _NONE
    headless: bool = False
    annotations: Mapping[str, Any] = _NONE
    value: Mapping[str, Any] = _NONE

    __hash__ = None  # type: ignore[assignment]

    @property
    def place(self) -> str:
        """The file in brackets, for a message; empty for the Job's own file."""
        return f" ({self.file})" if self.file else ""


def neighbor(value: Any, file: str = "") -> Neighbor | None:
    """Return what is kept of an object beside a Job; None for one of another kind."""
    if not isinstance(value, dict):
        return None
    kind, version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or kind not in GROUPS or not isinstance(version, str):
        return None
    if version.rpartition("/")[0] not in GROUPS[kind]:
        return None
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return None
    name, namespace = metadata.get("name"), metadata.get("namespace")
    if not isinstance(name, str) or not name:
        return None
    if not isinstance(namespace, str) or _is_marked(metadata, COPIED):
        namespace = ""
    written = metadata.get("annotations")
    annotations = (
        {key: each for key, each in written.items() if str(key).startswith(RELEASE_TOOLS)}
        if isinstance(written, dict)
        else {}
    )
    if kind in (CONFIG_MAP, SECRET):
        unknown = _is_marked(metadata, INJECTED) or (kind == SECRET and _is_sample(value))
        keys = None if unknown else frozenset(_keys(value)) or None
        return Neighbor(kind, namespace, name, file, keys, _files(value), annotations=annotations)
    spec = value.get("spec")
    if kind != SERVICE or not isinstance(spec, dict):
        return Neighbor(kind, namespace, name, file, annotations=annotations, value=value)
    selector = spec.get("selector")
    return Neighbor(
        kind,
        namespace,
        name,
        file,
        selector=selector if isinstance(selector, dict) else {},
        headless=spec.get("clusterIP") == "None",
        annotations=annotations,
        value=value,
    )


def part(value: Any, *path: str) -> Any:
    """Return a part of an object as read; None if it is absent, or below something that is not a mapping.

    >>> part({"spec": {"replicas": 2}}, "spec", "replicas"), part({"spec": []}, "spec", "replicas")
    (2, None)
    """
    for key in path:
        if not isinstance(value, dict):
            return None
        value = value.get(key)
    return value


def mapping(value: Any, *path: str) -> dict[str, Any]:
    """Return a mapping in an object as read; empty if there is none."""
    found = part(value, *path)
    return found if isinstance(found, dict) else {}


def parts(value: Any, *path: str) -> list[dict[str, Any]]:
    """Return the mappings of a list in an object as read; empty if there is none.

    >>> parts({"spec": {"rules": [{"a": 1}, "b"]}}, "spec", "rules")
    [{'a': 1}]
    """
    found = part(value, *path)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _keys(value: dict[str, Any]) -> Iterator[str]:
    for field in ("data", "stringData", "binaryData"):
        held = value.get(field)
        if isinstance(held, dict):
            yield from map(str, held)


def _files(value: dict[str, Any]) -> dict[str, str]:
    return {
        str(key): text
        for field in ("data", "stringData")
        for key, text in mapping(value, field).items()
        if isinstance(text, str) and "\n" in text and len(text) <= MAX_FILE_LENGTH
    }


def _is_sample(secret: dict[str, Any]) -> bool:
    """Return True for a Secret whose data is not base64, so that the API server rejects it.

    Such a sample shows the form of a Secret that is created in another way. Encrypted values and placeholders
    do not count.
    """
    data = secret.get("data")
    values = data.values() if isinstance(data, dict) else ()
    return any(isinstance(each, str) and not _may_be_base64(each) for each in values)


def _may_be_base64(text: str) -> bool:
    if text.startswith("ENC[") or stands_for_value(text):
        return True
    try:
        a2b_base64("".join(text.split()), strict_mode=True)
    except ValueError:
        return False
    return True


def _is_marked(metadata: dict[str, Any], parts: Iterable[str]) -> bool:
    for field in ("annotations", "labels"):
        held = metadata.get(field)
        if isinstance(held, dict) and any(part in str(key) for key in held for part in parts):
            return True
    return False


def _may_share(one: str, other: str) -> bool:
    """Return True if two objects may be in the same namespace; an absent one may be any."""
    return not one or not other or one == other


def texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in an object of another kind that are short enough for names.

    One of them may be the name of an object that its controller makes, such as the target of an
    ExternalSecret.

    >>> list(texts_in({"kind": "ExternalSecret", "spec": {"target": {"name": "db"}}}))
    ['ExternalSecret', 'db']
    >>> list(texts_in({"kind": "Deployment", "metadata": {"name": "db"}}))
    []
    """
    if not isinstance(value, dict) or value.get("kind") in (*REFERRING, *REFERRED, *ROLES):
        return
    # A role makes nothing, and of a binding only the subjects may be made elsewhere.
    rest: list[Any] = [value.get("subjects") if value.get("kind") in BINDINGS else value]
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            rest.extend(reversed(part.values()))
        elif isinstance(part, list):
            rest.extend(reversed(part))
        elif isinstance(part, str) and len(part) <= MAX_NAME_LENGTH:
            yield part


def writing_texts(value: Any) -> Iterator[str]:
    """Yield the command lines and scripts in an object that change other objects.

    >>> list(writing_texts({"command": ["kubectl", "patch"], "args": ["secret/db", "-p", "{}"]}))
    ['kubectl patch secret/db -p {}']
    >>> list(writing_texts({"command": ["kubectl", "get", "secret/db"]}))
    []
    """
    rest: list[Any] = [value]
    while rest:
        part = rest.pop()
        if isinstance(part, dict):
            lines = [part.get("command"), part.get("args")]
            words = [word for line in lines if isinstance(line, list) for word in line]
            rest.append(" ".join(map(str, words)))
            rest.extend(each for name, each in part.items() if name not in ("command", "args"))
            rest.extend(line for line in lines if isinstance(line, str))
        elif isinstance(part, list):
            rest.extend(part)
        elif (
            isinstance(part, str) and any(map(part.__contains__, WRITERS)) and _WRITES.search(part)
        ):
            yield part


def _forms(name: str) -> list[str]:
    """Return what a name shares with those that differ in one word, or only in case and separators.

    >>> _forms("trainer-config")
    ['trainerconfig', '*-config', 'trainer-*']
    """
    words = name.replace(".", "-").split("-")[:MAX_WORDS]
    each = ["-".join([*words[:at], "*", *words[at + 1 :]]) for at in range(len(words))]
    return [fold(name), *each]


def _identity(value: Any) -> tuple[str, str, str, str] | None:
    """Return apiVersion, kind, namespace and name of an object as read; None without a name."""
    version, kind = part(value, "apiVersion"), part(value, "kind")
    name, namespace = part(value, "metadata", "name"), part(value, "metadata", "namespace") or ""
    if (
        isinstance(version, str)
        and isinstance(kind, str)
        and isinstance(name, str)
        and isinstance(namespace, str)
        and name
    ):
        return version, kind, namespace, name
    return None


class Neighbors:
    """The objects beside a Job, read when a rule asks for them.

    Args:
        objects: returns the objects that a Job can refer to.
        texts: returns the texts of other objects, as :func:`texts_in` does.
        scripts: returns those that change objects, as :func:`writing_texts` does.
        values: the objects of the Job's own file, as read.
        repeats: returns the keys that a file of a name has twice in one mapping, each with its two lines.
    """

    __slots__ = (
        "_by_form",
        "_by_kind",
        "_by_name",
        "_objects",
        "_of_kind",
        "_read_scripts",
        "_read_texts",
        "_repeats",
        "_same",
        "_scripts",
        "_texts",
        "values",
    )

    def __init__(
        self,
        objects: Callable[[], Iterable[Neighbor]],
        texts: Callable[[], Iterable[str]],
        scripts: Callable[[], Iterable[str]],
        values: Sequence[Any] = (),
        repeats: RepeatedKeys | None = None,
    ) -> None:
        self._objects = objects
        self._read_texts = texts
        self._read_scripts = scripts
        self._by_name: dict[tuple[str, str], list[Neighbor]] | None = None
        self._by_kind: dict[tuple[str, str], dict[str, Neighbor]] = {}
        self._of_kind: dict[str, list[Neighbor]] = {}
        self._by_form: dict[tuple[str, str], dict[str, list[str]]] = {}
        self.values = values
        self._repeats = repeats
        self._same: dict[tuple[str, str, str, str], list[Any]] | None = None
        self._texts: frozenset[str] | None = None
        self._scripts: list[str] | None = None

    @classmethod
    def of(
        cls, values: Iterable[Any], file: str = "", repeats: RepeatedKeys | None = None
    ) -> Neighbors:
        """Return the neighbors among some objects of any kind."""
        held = list(values)

        def objects() -> Iterator[Neighbor]:
            return (each for value in held if (each := neighbor(value, file)) is not None)

        return cls(
            objects,
            lambda: (text for value in held for text in texts_in(value)),
            lambda: (text for value in held for text in writing_texts(value)),
            held,
            repeats,
        )

    def others_before(self, value: Any, counts: Callable[[Any], bool]) -> bool:
        """Return True if another object of an object's apiVersion, kind and name stands before it.

        An equal copy is not another one, and an object without a name has no other.

        Args:
            value: an object of the Job's own file, as read.
            counts: returns True for an object, as read, that counts.
        """
        if self._same is None:
            self._same = {}
            for each in self.values:
                key = _identity(each)
                if key is not None:
                    self._same.setdefault(key, []).append(each)
        key = _identity(value)
        same = [] if key is None else self._same.get(key, [])
        if len(same) < 2 or value not in same[:MAX_SAME]:
            return False  # the object that a policy changed, or that an operator creates, is not in the file
        first = next(filter(counts, same), value)
        return bool(first != value)

    def exist(self) -> bool:
        """Return True if there is any object beside a Job that a rule may read."""
        return bool(self._index())

    def named(self, kind: str, name: str) -> list[Neighbor]:
        """Return the objects of a kind and name, in any namespace."""
        return self._index().get((kind, name), [])

    def reachable(self, kind: str, name: str, namespace: str) -> list[Neighbor]:
        """Return the objects of a kind and name that a Pod in a namespace may mean.

        One in the Job's own file is meant; those of the same name in other files belong to other variants.
        """
        found = [each for each in self.named(kind, name) if _may_share(namespace, each.namespace)]
        return [each for each in found if not each.file] or found

    def in_namespace(self, kind: str, namespace: str) -> dict[str, Neighbor]:
        """Return the objects of a kind with exactly this namespace, by name; empty for those without."""
        self._index()
        return self._by_kind.get((kind, namespace), {})

    def of_kind(self, kind: str) -> list[Neighbor]:
        """Return the objects of a kind, of any namespace; empty if there are too many to compare with."""
        self._index()
        found = self._of_kind.get(kind, [])
        return found if len(found) <= MAX_COMPARED else []

    def beside(self, job_namespace: str, *kinds: str) -> Iterator[Neighbor]:
        """Yield the objects of some kinds whose namespace is that of a Job; absent if it is absent there.

        Nothing is yielded of a kind with too many objects to compare each Job with.
        """
        for kind in kinds:
            found = self.in_namespace(kind, job_namespace)
            if len(found) <= MAX_COMPARED:
                yield from found.values()

    def alike(self, kind: str, namespace: str, name: str) -> list[str]:
        """Return the names in a namespace that differ from a name in one word of like length, or less.

        They are found without a comparison with each.
        """
        by_form = self._by_form.get((kind, namespace))
        if by_form is None:
            by_form = self._by_form[kind, namespace] = {}
            for known in self.in_namespace(kind, namespace):
                for form in _forms(known):
                    by_form.setdefault(form, []).append(known)
        if not by_form:
            return []
        found = dict.fromkeys(known for form in _forms(name) for known in by_form.get(form, ()))
        return [known for known in found if abs(len(known) - len(name)) <= MAX_SEPARATORS]

    def may_make(self, name: str) -> bool:
        """Return True if an object of another kind has a name in it, such as an ExternalSecret."""
        if self._texts is None:
            self._texts = frozenset(self._read_texts())
        return name in self._texts

    def may_write(self, name: str, key: str) -> bool:
        """Return True if a script may change the object of a name, such as that of a Job which adds a key."""
        if self._scripts is None:
            self._scripts = list(self._read_scripts())
        return any(word in script for script in self._scripts for word in (name, key))

    def repeated_keys(self, name: str, text: str) -> list[tuple[str, int, int]]:
        """Return the keys that a file has twice in one mapping, each with its two lines."""
        return self._repeats(name, text) if self._repeats is not None else []

    def _index(self) -> dict[tuple[str, str], list[Neighbor]]:
        if self._by_name is None:
            self._by_name = {}
            for each in self._objects():
                self._by_name.setdefault((each.kind, each.name), []).append(each)
                self._by_kind.setdefault((each.kind, each.namespace), {}).setdefault(
                    each.name, each
                )
                self._of_kind.setdefault(each.kind, []).append(each)
        return self._by_name
