"""Every API field that the code names is declared: a misspelt name finds nothing, silently.

The rules, the controller and the policies handle decoded objects, which are plain dictionaries:
``spec.get("backofLimit")`` is None of every Job. So the names are taken from the source, wherever one
stands as a key or in a field path, and looked up in the declarations.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Any

import pytest

import jobsworth.api
from jobsworth.api.declare import Struct
from jobsworth.documents.declared import schema_of
from jobsworth.policy.admission_policies.document import (
    MutatingAdmissionPolicy,
    ValidatingAdmissionPolicy,
    ValidatingAdmissionPolicyBinding,
)
from jobsworth.policy.document import schema

SOURCE = Path(jobsworth.__file__).parent
PACKAGES = (
    "api",
    "audit",
    "controller",
    "evaluation",
    "lint",
    "policy",
    "provenance",
    "reconciler",
)

OTHER_TYPES = {
    "core/v1 ConfigMap, Secret and Service": ("binaryData", "clusterIP", "data", "stringData", "targetPort"),
    "objects beside a Job: NetworkPolicy, PodDisruptionBudget, LimitRange, ResourceQuota, Flux's Kustomization": (
        "defaultRequest", "from", "maxUnavailable", "minAvailable", "podSelector", "policyTypes",
        "scopeSelector", "scopes", "targetNamespace",
    ),
    "coordination.k8s.io/v1 Lease": ("renewTime",),
    "meta/v1 APIResource": ("namespaced",),
    "meta/v1 DeleteOptions": ("preconditions", "propagationPolicy"),
    "admission/v1 AdmissionRequest, as expressions see it": ("object", "oldObject"),
}  # fmt: skip
"""Fields of types that are only read or written, and so not declared."""

OTHER_KEYS = {
    "JSON Schema": (
        "additionalProperties", "enum", "minProperties", "object", "properties", "string", "uniqueItems",
    ),
    "words of the JobPolicy that are values": ("ifServerDefault", "ifUnset"),
    "the page of a rule": ("md",),
    "kinds in lower case, and as policies group fields": ("cronJob", "cronjob", "job", "pod", "scheduledjob"),
    "whether a fix is safe": ("safe", "unsafe"),
    "labels of metrics": ("delete", "job_orphan_pod"),
    "fields of the log": ("conditionMessage", "result"),
    "parameters of API calls": ("dryRun", "fieldManager", "fieldSelector", "fieldValidation", "force"),
    "programs and their arguments": (
        "borg", "kopia", "mongosh", "kubeconfig", "liquibase", "pgbackrest", "releaseLocks", "restic", "terraform", "tofu",
        "accelerator", "clone", "flushall", "gpu", "helm", "iwr", "kube", "mongorestore", "nativeSidecar", "push", "subprocess",
        "tpu", "trap", "wait", "rm", "http_code", "response_code", "kubectl", "oc",
    ),
    "functions of Python's os and shutil": (
        "copy", "copy2", "copyfile", "copytree", "move", "remove", "rename", "replace", "rmtree", "unlink",
    ),
    "parts of a schedule": ("date", "days", "hour", "minute"),
    "words for a schedule": (
        "daily", "hourly", "monthly", "nightly", "quarterly", "weekly", "yearly",
    ),
    "fields in other formats": (
        "arguments", "claim", "cmd", "configMapName", "entrypoint", "environment",
    ),
    "how sure a rule is": ("certain", "likely", "opinion"),
    "words for true and false": ("false", "n", "no", "off", "on", "true", "y", "yes"),
    "resources": ("cpu", "memory", "storage"),
    "subcommands of kubectl": ("annotate", "cp", "create", "logs", "patch", "restart", "undo"),
    "fields of the status that a sync replaces": (
        "completed_indexes", "failed_indexes", "uncounted_failed", "uncounted_succeeded",
    ),
    "operations of a JSON Patch": ("op",),
    "words of Python and of shells": ("errexit", "timeout"),
    "parts of the names of exported policies": ("default", "dev", "jobsworth"),
    "subjects of bindings, parameters of OpenShift's Templates": ("parameters", "subjects"),
    "fields of NetworkPolicies": ("endPort",),
    "fields of roles": ("aggregationRule", "nominalQuota", "apiGroups", "verbs"),
    "values: of downward API fields, finalizers and sysctls": (
        "foregroundDeletion", "hostIPs", "msg", "msgmax", "msgmnb", "msgmni", "orphan", "podIPs",
        "sem", "shm", "shm_rmid_forced", "shmall", "shmmax", "shmmni",
    ),
    "what the API server calls otherwise in its messages": ("Host", "uID"),
    "an annotation of jobsworth": ("onTerminationReasons",),
    "digests": ("sha256",),
    "SELinux types": ("container_engine_t", "container_init_t", "container_kvm_t", "container_t"),
    "units that people write": (
        "d", "g", "gb", "gi", "gib", "h", "k", "kb", "ki", "kib", "m", "mb", "mi", "mib", "min", "s", "t", "tb",
        "ti", "tib",
    ),
    "words in a message, a command line and a tag": ("latest", "migrat"),
    "the counts of findings in public manifests": ("objects", "reported"),
    "the stored version of a policy": ("document", "file"),
    "functions of CEL": (
        "exists", "filter", "flatten", "format", "hasValue", "join", "map", "matches", "optMap", "or", "orValue", "replace", "size", "substring",
        "transformList",
    ),
    "effects of a violation": ("audit", "deny", "warn"),
    "words of commands": ("backup", "flock", "forget", "snapshot", "space"),
}  # fmt: skip
"""Keys that are not fields."""

OF_SCHEMAS = ("api", "policy")
"""Packages whose dictionaries are schemas, and tables of other words."""

WITHOUT_FIELDS = (
    "lint/agents.py", "lint/command_line.py", "lint/effects.py", "lint/rules/image_programs.py", "lint/rules/kept_files.py", "lint/rules/lost_exit_codes.py",
    "lint/rules/script_mistakes.py", "lint/rules/temporary_changes.py",
    "lint/shell_script.py",
    "lint/program_text.py", "lint/risky_uses.py", "lint/usual_images.py",
    "lint/usual_programs.py",
    "lint/rules/node_labels.py", "lint/rules/repeated_steps.py", "lint/rules/unanswered.py",
    "policy/cel/programs.py", "policy/cel/programs.py",
    "policy/kyverno/expressions.py", "policy/kyverno/defaults.py", "policy/kyverno/importing.py",
    "policy/kyverno/expressions.py", "policy/kyverno/matchers.py", "policy/kyverno/patterns.py",
    "policy/kyverno/untranslatable.py",
)  # fmt: skip
"""Modules that list other names: the words of pages and shells, programs, the functions of CEL, and the fields of Kyverno's policies."""

_PATH = re.compile(r"(?:spec|metadata|status)(?:\.[a-zA-Z]\w*|\[[^\]]*\]?)*")
_REST_OF_PATH = re.compile(r"\]?(?:\.[a-zA-Z]\w*|\[[^\]]*\]?)+")


def field_names(source: str, *, dictionaries: bool = True) -> Iterator[tuple[str, int]]:
    """Find what stands in Python source as the name of a field, and its lines.

    Args:
        source: the text of a module.
        dictionaries: take the keys of dictionaries that the module writes out, too.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            for before, part in zip([None, *node.values], node.values, strict=False):
                if isinstance(part, ast.Constant):
                    path = _PATH if before is None else _REST_OF_PATH
                    yield from ((name, node.lineno) for name in _names_of_path(part.value, path))
        elif isinstance(node, ast.Constant):
            if isinstance(node.value, str) and _PATH.fullmatch(node.value):
                yield from ((name, node.lineno) for name in _names_of_path(node.value, _PATH))
        else:
            for key in _keys(node, dictionaries=dictionaries):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    name = key.value
                    if name.isidentifier() and name[0].islower():
                        yield name, key.lineno


def _names_of_path(text: str, path: re.Pattern[str]) -> list[str]:
    found = path.match(text)
    return re.findall(r"[a-zA-Z]\w*", re.sub(r"\[.*?(\]|$)", "", found[0])) if found else []


def _keys(node: ast.AST, *, dictionaries: bool) -> list[Any]:
    match node:
        case ast.Subscript(value=ast.Name(id="Literal")):
            return []
        case ast.Subscript(slice=key):
            return [key]
        case ast.Call(func=ast.Attribute(attr="get" | "pop" | "setdefault"), args=[key, *_]):
            return [key]
        case ast.Compare(
            left=key,
            ops=[ast.In() | ast.NotIn()],
            comparators=[
                ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript() | ast.BoolOp()
            ],
        ):
            return [key]
        case ast.For(iter=ast.Tuple(elts=keys)) | ast.comprehension(iter=ast.Tuple(elts=keys)):
            return keys
        case ast.Tuple(elts=keys) | ast.Set(elts=keys) | ast.List(elts=keys):
            return [key for key in keys if _is_camel_case(key)]
        case ast.Dict(keys=keys) if dictionaries:
            return keys
    return []


def _is_camel_case(key: ast.expr) -> bool:
    return (
        isinstance(key, ast.Constant)
        and isinstance(key.value, str)
        and re.fullmatch("[a-z]+([A-Z][a-z]+)+", key.value) is not None
    )


def modules(package: str) -> list[Path]:
    found = sorted((SOURCE / package).rglob("*.py"))
    return [file for file in found if str(file.relative_to(SOURCE)) not in WITHOUT_FIELDS]


def declared() -> set[str]:
    """The names of all fields of all types, of every release."""
    modules = walk_packages(jobsworth.api.__path__, "jobsworth.api.")
    parts = [part for found in modules for part in vars(import_module(found.name)).values()]
    return {name for part in parts if isinstance(part, Struct) for name in part.fields}


def of_policies(part: Any) -> Iterator[str]:
    """The names of the fields that a policy may have, by its schema."""
    if isinstance(part, dict):
        yield from part.get("properties", ())
    for below in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    ):
        yield from of_policies(below)


@pytest.fixture(scope="module")
def known() -> set[str]:
    others = [name for names in (*OTHER_TYPES.values(), *OTHER_KEYS.values()) for name in names]
    schemas = (
        schema(),
        schema_of(MutatingAdmissionPolicy),
        schema_of(ValidatingAdmissionPolicy),
        schema_of(ValidatingAdmissionPolicyBinding),
    )
    return {*declared(), *(name for part in schemas for name in of_policies(part)), *others}


@pytest.mark.slow
@pytest.mark.parametrize("package", PACKAGES)
def test_every_field_that_the_code_names_is_declared(package: str, known: set[str]) -> None:
    unknown = [
        f"{file.relative_to(SOURCE)}:{line}: {name}"
        for file in modules(package)
        for name, line in field_names(file.read_text(), dictionaries=package not in OF_SCHEMAS)
        if name not in known
    ]
    assert not unknown


@pytest.mark.slow
def test_no_exception_has_become_needless() -> None:
    files = [file for package in PACKAGES for file in modules(package)]
    used = {name for file in files for name, _ in field_names(file.read_text())}
    others = {name for names in (*OTHER_TYPES.values(), *OTHER_KEYS.values()) for name in names}
    assert others <= used
    assert others.isdisjoint(declared())


@pytest.mark.parametrize(
    "source",
    [
        'spec["backofLimit"]',
        'spec.get("backofLimit", 6)',
        'spec.setdefault("backofLimit", 6)',
        'spec.pop("backofLimit")',
        'if "backofLimit" in spec: pass',
        'if "backofLimit" not in job["spec"]: pass',
        'for name in ("completions", "backofLimit"): pass',
        '[spec[name] for name in ("completions", "backofLimit")]',
        'FIELDS = frozenset(("completions", "backofLimit"))',
        'job = {"spec": {"backofLimit": 6}}',
        'field = "spec.backofLimit"',
        'field = "spec.template.spec.containers[0].backofLimit.name"',
        'field = f"spec.backofLimit[{index}]"',
        'field = f"{path}.backofLimit"',
        'field = f"{path}.podFailurePolicy.backofLimit[{index}].action"',
        'field = f"{path}.rules[{index}].backofLimit"',
    ],
)
def test_a_misspelt_field_is_found(source: str, known: set[str]) -> None:
    unknown = [name for name, _ in field_names(source) if name not in known]
    assert set(unknown) == {"backofLimit"}
