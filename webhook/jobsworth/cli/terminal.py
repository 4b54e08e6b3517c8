"""Colors on a terminal, and where a user wants them."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TextIO

    ColorChoice = Literal["auto", "always", "never"]

COLOR_CHOICES: tuple[ColorChoice, ...] = ("auto", "always", "never")


def wants_color(out: TextIO, choice: ColorChoice = "auto") -> bool:
    """Return True if text for a stream is colored.

    ``auto`` follows https://no-color.org, https://force-color.org and https://bixense.com/clicolors: NO_COLOR
    wins over FORCE_COLOR and CLICOLOR_FORCE, which win over the kind of the stream.
    """
    if choice != "auto":
        return choice == "always"
    environment = os.environ
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    if environment.get("CLICOLOR_FORCE", "0") not in ("", "0"):
        return True
    return out.isatty()
