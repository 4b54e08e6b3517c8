"""CEL and ValidatingAdmissionPolicies, answered by the code of kube-apiserver without a server.

The program is ``binaries/policies``; ``tests/cluster/install --only admission-policies`` builds it.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, NotRequired, TypedDict

from cluster.programs import find

RELEASES = tuple(f"1.{minor}" for minor in range(30, 39))
"""The releases whose CEL the program knows: as each accepts the expressions of a new policy."""

Object = Mapping[str, Any]


class Request(TypedDict, total=False):
    """An admission request; the rest is derived from the object.

    Attributes:
        operation: ``CREATE``, or ``UPDATE`` if there is an old object.
        resource: the plural; guessed from the kind.
        namespaceObject: labels and so on of the namespace; its name is always set.
        params: the params object, for single expressions.
    """

    operation: str
    object: Object
    oldObject: Object
    name: str
    namespace: str
    resource: str
    subresource: str
    dryRun: bool
    options: Object
    userInfo: Mapping[str, Any]
    namespaceObject: Object
    params: Object


class Expression(TypedDict):
    """An expression to compile, and to evaluate on the cases with these indexes.

    Attributes:
        returns: the type that a policy requires: ``bool`` of a validation, ``string`` of a message, else ``any``.
        variables: pairs of name and expression that it may read as ``variables.name``.
        params: True if it may read ``params``.
    """

    expression: str
    returns: str
    variables: NotRequired[Sequence[Mapping[str, str]]]
    params: NotRequired[bool]
    cases: NotRequired[Sequence[int]]


def evaluated(
    expressions: Sequence[Expression],
    cases: Sequence[Request] = (),
    releases: Sequence[str] = RELEASES,
) -> list[dict[str, Any]]:
    """Return of each expression the ``refusals`` by release, and the ``results`` by release and case.

    A result has a ``value``, a pair of CEL type and value, or an ``error``; and its ``cost``.

    Raises:
        MissingProgram: the program is not built.
    """
    asked = {"releases": releases, "cases": cases, "expressions": expressions}
    answers: list[dict[str, Any]] = _answer("expressions", asked)
    return answers


def refusals(
    policies: Sequence[Object], releases: Sequence[str] = RELEASES
) -> list[list[dict[str, str]]]:
    """Return of each ValidatingAdmissionPolicy the expressions that a release would not accept in a new policy.

    A refusal has a ``release``, a ``field`` and a ``message``.

    Raises:
        MissingProgram: the program is not built.
    """
    found: list[list[dict[str, str]]] = _answer(
        "policies", {"releases": releases, "policies": policies}
    )
    return found


def reviews(
    objects: Sequence[Object], requests: Sequence[Request]
) -> dict[str, list[dict[str, Any]]]:
    """Return the answers of the admission plugin to requests, by the name of each policy alone.

    Args:
        objects: policies, bindings, params, CustomResourceDefinitions of params, and Namespaces.
        requests: with objects as admission sees them: after the API server's defaults.

    Returns:
        Of each request whether it is ``allowed``, with ``message``, ``reason`` and ``code`` of a denial, the
        ``warnings``, and all ``failures`` (``message``, ``binding``, ``expressionIndex``), of which a denial has
        the first.

    Raises:
        MissingProgram: the program is not built.
    """
    answers: dict[str, list[dict[str, Any]]] = _answer(
        "review", {"objects": objects, "requests": requests}
    )
    return answers


def definition_errors(definition: Object) -> list[dict[str, str]]:
    """Return the errors with which an API server rejects a new CustomResourceDefinition.

    An error has a ``type``, a ``field`` and a ``detail``.

    Raises:
        MissingProgram: the program is not built.
    """
    found: list[dict[str, str]] = _answer("crd", definition)
    return found


def _answer(command: str, asked: Any) -> Any:
    done = subprocess.run(
        [find("admission-policies"), command],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ValueError(f"admission-policies {command}: {done.stderr.strip()}")
    return json.loads(done.stdout)
