"""A document declared as a class: its JSON Schema, its JSON and its reader."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

import pytest

from jobsworth.documents.declared import (
    Document,
    Meta,
    Report,
    Schema,
    absent,
    definitions,
    doc,
    json_value,
    key,
    read_value,
    report_schema,
    report_text,
    schema_of,
)

T = TypeVar("T")


class Default(Document, Generic[T]):
    """A value to set."""

    value: Annotated[T, doc("The value.")]
    when: Literal["ifUnset", "always"] = "ifUnset"


class Share(Default[Annotated[int, Meta(ge=0)] | Annotated[str, Meta(pattern="^[0-9]+%$")]]):
    """A number or a percentage."""

    at_least: int = 0


class Bounds(Document):
    """The bounds of a time."""

    least: str


class Policy(Document):
    """A document."""

    keywords: ClassVar[Schema] = {"minProperties": 1}
    backoff_limit: Annotated[Default[int] | None, doc("The retries.")] = None
    failed: Share | None = None
    host_pid: bool | None = key("hostPID", None)
    labels: dict[str, Default[str]] | None = None
    names: Annotated[list[str], Meta(min_length=1)] | None = None


class Event(Report):
    """An Event."""

    at: Annotated[str | None, doc("When it happened.")]
    type: Literal["Normal", "Warning"]


class History(Report):
    """Events."""

    version: Literal[1] = 1
    last_event: Event | None
    all_events: list[Event]
    waits_for: str = key("for")


def test_keys_of_a_document_are_camel_case_and_no_others_are_allowed() -> None:
    schema = schema_of(Policy)
    assert list(schema["properties"]) == ["backoffLimit", "failed", "hostPID", "labels", "names"]
    assert schema["additionalProperties"] is False
    assert schema["minProperties"] == 1


def test_optional_keys_of_a_document_may_be_absent_but_not_null() -> None:
    schema = schema_of(Policy)
    assert "required" not in schema
    assert schema["properties"]["hostPID"] == {"type": "boolean"}
    assert schema["properties"]["names"] == {
        "type": "array",
        "items": {"type": "string"},
        "minItems": 1,
    }


def test_a_generic_class_takes_the_type_of_its_value() -> None:
    limit = schema_of(Policy)["properties"]["backoffLimit"]
    assert limit["properties"]["value"] == {"type": "integer", "description": "The value."}
    assert limit["description"] == "The retries."
    assert limit["required"] == ["value"]
    assert limit["properties"]["when"] == {"enum": ["ifUnset", "always"], "default": "ifUnset"}


def test_a_union_of_scalars_is_one_schema_with_several_types() -> None:
    share = schema_of(Policy)["properties"]["failed"]["properties"]
    assert share["value"] == {
        "type": ["integer", "string"],
        "minimum": 0,
        "pattern": "^[0-9]+%$",
        "description": "The value.",
    }
    assert share["atLeast"] == {"type": "integer", "default": 0}


def test_a_union_with_an_object_or_a_list_is_one_schema_and_read_by_the_type_of_the_value() -> None:
    class Wait(Document):
        """A wait, fixed or with bounds."""

        time: str | Bounds | None = None
        names: str | list[str] | None = None
        extra: dict[str, Any] | None = None

    schema = schema_of(Wait)["properties"]
    assert schema["time"]["type"] == ["string", "object"]
    assert schema["time"]["required"] == ["least"]
    assert schema["names"] == {"type": ["string", "array"], "items": {"type": "string"}}
    assert schema["extra"] == {"type": "object"}
    assert read_value(Wait, {"time": "5s", "names": "a"}) == Wait(time="5s", names="a")
    value = {"time": {"least": "1s"}, "names": ["a"], "extra": {"a": [1]}}
    assert read_value(Wait, value) == Wait(time=Bounds(least="1s"), names=["a"], extra={"a": [1]})


def test_all_keys_of_a_report_are_required_and_nullable_ones_say_so() -> None:
    schema = schema_of(History)
    assert schema["required"] == ["version", "last_event", "all_events", "for"]
    assert "additionalProperties" not in schema
    assert schema["properties"]["version"] == {"const": 1}
    assert schema["properties"]["last_event"]["anyOf"][1] == {"type": "null"}
    event = schema["properties"]["all_events"]["items"]
    assert event["properties"]["at"] == {
        "type": ["string", "null"],
        "description": "When it happened.",
    }


def test_named_classes_are_references_to_definitions() -> None:
    names = {History: "history", Event: "event"}
    assert schema_of(list[Event], names) == {
        "type": "array",
        "items": {"$ref": "#/$defs/event"},
    }
    assert definitions(names)["history"]["properties"]["last_event"] == {
        "anyOf": [{"$ref": "#/$defs/event"}, {"type": "null"}]
    }


def test_a_report_is_written_with_its_keys() -> None:
    event = Event(at=None, type="Normal")
    report = History(last_event=None, all_events=[event], waits_for="a node")
    assert json_value(report) == {
        "version": 1,
        "last_event": None,
        "all_events": [{"at": None, "type": "Normal"}],
        "for": "a node",
    }


def test_a_key_may_be_absent_instead_of_null() -> None:
    class Finding(Report):
        """A finding."""

        code: str
        hint: str | None = absent()
        places: dict[str, Event] | None = absent()

    assert schema_of(Finding)["required"] == ["code"]
    assert schema_of(Finding)["properties"]["hint"] == {"type": "string"}
    assert json_value(Finding(code="JW101")) == {"code": "JW101"}
    event = Event(at=None, type="Normal")
    assert json_value(Finding(code="JW101", hint="", places={"a": event})) == {
        "code": "JW101",
        "hint": "",
        "places": {"a": {"at": None, "type": "Normal"}},
    }


def test_a_report_of_several_forms_has_a_definition_of_each() -> None:
    schema = report_schema("A title", History | Event, {History: "history", Event: "event"})
    assert schema["title"] == "A title"
    assert schema["oneOf"] == [{"$ref": "#/$defs/history"}, {"$ref": "#/$defs/event"}]
    assert schema["$defs"].keys() == {"history", "event"}


def test_the_text_of_a_report_controls_no_terminal() -> None:
    assert report_text(Event(at="\x1b[2J\u202e", type="Normal"), indent=None) == (
        '{"at": "\\u001b[2J\\u202e", "type": "Normal"}'
    )


def test_a_document_is_read_into_its_classes() -> None:
    value = {
        "backoffLimit": {"value": 3},
        "failed": {"value": "10%", "atLeast": 2},
        "labels": {"team": {"value": "a", "when": "always"}},
        "hostPID": True,
    }
    assert read_value(Policy, value) == Policy(
        backoff_limit=Default(value=3),
        failed=Share(value="10%", at_least=2),
        labels={"team": Default(value="a", when="always")},
        host_pid=True,
    )


def test_declared_objects_are_immutable() -> None:
    with pytest.raises(AttributeError):
        Event(at=None, type="Normal").type = "Warning"  # type: ignore[misc]
