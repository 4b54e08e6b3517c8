"""Field descriptions agree with the declarations: the values and the defaults that they name are the declared ones."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import walk_packages

import pytest

import jobsworth.api
from jobsworth.api.declare import Field, Struct
from jobsworth.api.descriptions import field_descriptions

DESCRIPTIONS = field_descriptions()
NAME_OF_A_VALUE = re.compile(r"(?<!\w)[A-Z][a-z]+[A-Z]\w+")
"""A word such as OnFailure."""
DEFAULT = re.compile(r"(\S+) if unset\b|([\w/.-]+) \((?:the default|if unset)\b")


def declared_fields() -> dict[str, Field]:
    """Return the described fields, by ``Type.field``."""
    modules = walk_packages(jobsworth.api.__path__, "jobsworth.api.")
    structs = {
        struct.name: struct
        for module in modules
        for struct in vars(import_module(module.name)).values()
        if isinstance(struct, Struct)
    }
    return {
        f"{struct.name}.{field.name}": field
        for struct in structs.values()
        for field in struct.fields.values()
        if f"{struct.name}.{field.name}" in DESCRIPTIONS
    }


FIELDS = declared_fields()
ENUMERATIONS = {name: field.enum or field.values for name, field in FIELDS.items()}
ENUMERATED = [name for name, values in ENUMERATIONS.items() if values]
WITH_DEFAULT = [
    name for name, field in FIELDS.items() if isinstance(field.default, str | int) and field.default
]


def names(text: str, value: str) -> bool:
    return bool(value) and bool(re.search(rf"(?<!\w){re.escape(value)}(?![\w-])", text))


def stated_defaults(text: str) -> set[str]:
    return {first or second for first, second in DEFAULT.findall(text)}


def test_there_are_enumerations_and_defaults_to_compare() -> None:
    assert len(ENUMERATED) > 40
    assert len(WITH_DEFAULT) > 30
    assert FIELDS.keys() == DESCRIPTIONS.keys()


@pytest.mark.parametrize("name", ENUMERATED)
def test_a_description_names_all_values_of_an_enumeration_or_none(name: str) -> None:
    text, values = DESCRIPTIONS[name], set(ENUMERATIONS[name])
    named = {value for value in values if names(text, value)}
    assert named in (set(), values - {""})
    if named:
        assert set(NAME_OF_A_VALUE.findall(text)) <= values | set(field_names(text))


def field_names(text: str) -> list[str]:
    known = {name.partition(".")[2] for name in FIELDS}
    return [word for word in re.findall(r"\w+", text) if word in known]


@pytest.mark.parametrize("name", WITH_DEFAULT)
def test_a_description_states_the_declared_default(name: str) -> None:
    text, default = DESCRIPTIONS[name], str(FIELDS[name].default)
    if ENUMERATIONS[name] and not any(names(text, value) for value in ENUMERATIONS[name]):
        return
    assert stated_defaults(text) == {default}
