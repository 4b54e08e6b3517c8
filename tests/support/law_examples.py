"""How many examples a slow law is tried with."""

from __future__ import annotations

from hypothesis import settings


def number_of_examples(few: int) -> int:
    """Return a number of examples: few, so that the tests stay fast, ten times as many where laws are tried longer.

    The latter is ``pytest --hypothesis-profile=thorough``, which ``.ci/run`` runs on the files that call this.
    """
    return few * 10 if settings.get_current_profile_name() == "thorough" else few
