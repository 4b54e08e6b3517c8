"""``jobsworth lsp``: the language server, over standard input and output."""

from __future__ import annotations

from jobsworth.cli.command import Command
from jobsworth.cli.configuration_options import (
    ConfigurationOptions,
    server_settings,
    with_rules,
)
from jobsworth.cli.missing_extras import missing_extra
from jobsworth.cli.options import Options, flag, nested
from jobsworth.cli.server_options import ServerOptions
from jobsworth.files.configuration.configurations import Configurations
from jobsworth.usage_error import UsageError


class LspOptions(Options):
    """The options of ``jobsworth lsp``."""

    server = nested(ServerOptions)
    configuration = nested(ConfigurationOptions)
    info = flag(help="Also show info findings.")
    stdio = flag(help="Use standard input and output: as always; some editors add this option.")


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
    from jobsworth.cli.log_lines import log_in_lines

    configuration = options.configuration
    settings = with_rules(
        server_settings(options.server, allow_privileged=options.server.privileged), configuration
    )
    Configurations(settings, file=configuration.config, isolated=configuration.isolated).of("-")
    workspace = WorkspaceEvaluator(
        settings,
        file=configuration.config,
        isolated=configuration.isolated,
        infos=options.info,
    )
    log_in_lines()
    return language_server(workspace).serve()


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
