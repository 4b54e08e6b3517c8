"""``jobsworth lsp``: the language server, over standard input and output."""

from __future__ import annotations

import logging
import os
import sys

from jobsworth.cli.command import Command
from jobsworth.cli.configuration_options import ConfigurationOptions, server_settings, with_rules
from jobsworth.cli.failures import TRACEBACK
from jobsworth.cli.help_text import documentation_line
from jobsworth.cli.options import Options, flag, group
from jobsworth.cli.server_options import ServerOptions
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.installation import missing_extra
from jobsworth.printable import printable
from jobsworth.usage_error import UsageError


class _OneLine(logging.Formatter):
    """Formats a record as its first line, with the exception's type and message in place of its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        if os.environ.get(TRACEBACK):
            return super().format(record)
        line = record.getMessage().partition("\n")[0]
        error = record.exc_info[1] if record.exc_info else None
        return printable(line if error is None else f"{line}: {type(error).__name__}: {error}")


def _log_in_lines() -> None:
    """Log warnings and errors of libraries to standard error."""
    handler = logging.StreamHandler()
    handler.setFormatter(_OneLine())
    logging.basicConfig(handlers=[handler], level=logging.WARNING)


class LspOptions(Options):
    """The options of ``jobsworth lsp``."""

    server = group(ServerOptions)
    configuration = group(ConfigurationOptions)
    info: bool = flag("--info", help="Also show info findings.")
    stdio: bool = flag(
        "--stdio", help="Use standard input and output: as always; some editors add this option."
    )


def run(options: LspOptions) -> int:
    """Serve an editor until it ends the session, and return the exit code.

    Raises:
        UsageError: an option's value is wrong, or the extra is not installed.
    """
    try:
        from jobsworth.lsp.language_server import language_server
        from jobsworth.lsp.workspace_evaluator import WorkspaceEvaluator
    except ModuleNotFoundError as error:
        raise UsageError(missing_extra("language servers", "lsp", error.name)) from None

    configuration = options.configuration
    settings = with_rules(
        server_settings(options.server, allow_privileged=options.server.privileged), configuration
    )
    # Only the options: a configuration that is wrong is a diagnostic of each text, now as after a change.
    Configurations(settings, isolated=True).of("-")
    workspace = WorkspaceEvaluator(
        settings,
        file=configuration.config,
        isolated=configuration.isolated,
        infos=options.info,
    )
    _log_in_lines()
    code = language_server(workspace).serve()
    if code:
        sys.stderr.write(
            "standard input ended before the client asked for the end of the session: an editor starts this "
            f"command. {documentation_line('lsp')}\n"
        )
    return code


COMMAND = Command(
    "lsp",
    help="""Serve an editor by the Language Server Protocol, over standard input and output.

It shows the findings of `jobsworth validate` in texts while they are typed, by the configuration of each
file; offers their fixes, each of which it has verified; explains fields, and what a failure policy does. The
options take precedence over configurations. Completion comes from the YAML language server and the schema of
`jobsworth schema --kind all`, which run beside it.""",
    epilog="""\b
Examples:
  jobsworth lsp
  jobsworth lsp --kubernetes-version 1.34 --info
""",
    options=LspOptions,
    run=run,
)
