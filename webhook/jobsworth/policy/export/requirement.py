"""A requirement of a policy in CEL: the condition under which a request violates it, and the message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from jobsworth.policy.export.cel_text import Condition, all_of, message, negated
from jobsworth.policy.export.object_view import IS_UPDATE, ObjectView
from jobsworth.wording import one_line

Variables = Mapping[str, str]


class NotExpressible(ValueError):
    """A part of a policy that the API server cannot enforce; the message gives the reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One requirement, for objects of one kind.

    Attributes:
        violated: the condition that a request violates it.
        text: the expression of the message, a string on one line.
        variables: the variables that both read, by name, in an order in which each may read the earlier ones.
        exact: False if the webhook finds violations that the condition misses; it never has more.
    """

    violated: Condition
    text: str
    variables: Variables
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Views:
    """The objects of a request.

    Attributes:
        new: the object.
        old: the stored object of an update.
        minor: the minor version of the oldest release that accepts the expressions.
        count_metadata: True if limits also apply to an update of labels and annotations alone: the policy
            limits one of these.
    """

    new: ObjectView
    old: ObjectView
    minor: int
    count_metadata: bool

    @property
    def have_indexes(self) -> bool:
        """True if macros with two variables exist, by which a loop knows the index of an item."""
        return self.minor >= TWO_VARIABLES

    @property
    def keep_failure_policy(self) -> bool:
        """True if no update changes the failure policy: in a Job, it is immutable."""
        return self.new.kind == "Job"


TWO_VARIABLES = 33
"""The minor version from which new policies may use ``exists(index, item, …)``."""


def requirement(
    views: Views,
    violated: Callable[[ObjectView], Condition],
    text: str,
    *,
    seen: Callable[[ObjectView], Iterable[str]] = lambda view: (),
    variables: Variables | None = None,
    exact: bool = True,
) -> Requirement:
    """Return a requirement that an update violates only if the stored object does not violate it alike.

    Args:
        views: the objects.
        violated: returns the condition that an object violates it.
        text: the expression of the message.
        seen: returns the expressions of the values that the webhook's message contains: a stored object with
            other values has another violation.
        variables: the variables that the expressions read.
        exact: False if the webhook finds more violations.
    """
    same = [
        f"{one} == {other}" for one, other in zip(seen(views.new), seen(views.old), strict=True)
    ]
    stored = all_of([IS_UPDATE, violated(views.old), *same])
    return Requirement(
        violated=all_of([violated(views.new), negated(stored)]),
        text=text,
        variables=variables or {},
        exact=exact,
    )


def requirement_of_items(
    views: Views, bad: Callable[[ObjectView], str], text: str, variables: Variables | None = None
) -> Requirement:
    """Return a requirement on the items of lists, of which an update adds no bad one.

    Args:
        views: the objects.
        bad: returns the expression of a list of texts, one for each bad item of an object; an update may keep
            the texts that the stored object has.
        text: the expression of the message.
        variables: the variables that the expressions read.
    """
    stored = f"({IS_UPDATE} ? {bad(views.old)} : [])"
    return Requirement(
        violated=f"{bad(views.new)}.exists(item, !(item in {stored}))",
        text=text,
        variables=variables or {},
    )


def wording(place: str, error: str, code: str, hint: str, *values: str) -> str:
    """Return the expression of a message: field, problem, code and advice, as the webhook writes them.

    Args:
        place: the field path; empty for the whole object.
        error: the problem, with a hole for each value.
        code: the code of the violation.
        hint: the policy's advice; may be empty.
        values: the expressions of the values.
    """
    at = f"{place}: " if place else ""
    return message(one_line(f"{at}{error} [{code}] {hint}"), *values)
