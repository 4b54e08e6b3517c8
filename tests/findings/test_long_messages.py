"""Messages that are long together lose their middle."""

from __future__ import annotations

from jobsworth.api.api_server import ApiServer
from jobsworth.files.located_findings import MAX_CHARACTERS, SHORT, shortened
from jobsworth.validation.engine import engine_for
from support.scaling.cross_referencing_jobs import controllers_of_many_names


def test_messages_are_reported_as_they_are_up_to_a_limit() -> None:
    found = engine_for(ApiServer("1.36")).validate(controllers_of_many_names(20)[0])
    assert shortened(found) == found


def test_the_first_messages_beyond_the_limit_keep_their_beginning_and_end() -> None:
    found = engine_for(ApiServer("1.36")).validate(controllers_of_many_names(1000)[0])
    short = shortened(found)
    assert sum(len(one.message) for one in found) > 70 * MAX_CHARACTERS
    assert sum(len(one.message) for one in short) < MAX_CHARACTERS + len(found) * (SHORT + 100)
    assert short[0].message == found[0].message
    assert short[-1].message.startswith("Invalid value: [{")
    assert short[-1].message.endswith("CronJob/n999")
    assert "characters omitted" in short[-1].message
    assert [(one.code, one.field) for one in short] == [(one.code, one.field) for one in found]
