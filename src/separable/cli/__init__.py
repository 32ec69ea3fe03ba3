"""The command line: parsing and printing only. One file a command; `main` turns errors into one line and a code.

Exit codes: 0 all is done; 1 it ended early, what was found is shown; 2 something was refused.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

from separable.errors import BadInput, FunctionError, JournalError, MissingExtra

try:
    import typer
except ImportError:
    sys.exit(f"separable: {MissingExtra('the command line', 'typer and rich', 'cli')}")

import separable
from separable.cli import campaign, decompose, minimize, report, reproduce, suites

# typer's own copy of click, or click itself: which of them raises depends on the version of typer
ClickException: type[Exception] = next(
    cls for cls in typer.BadParameter.__mro__ if cls.__name__ == "ClickException"
)

app = typer.Typer(
    name="separable",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("list", short_help="the benchmark functions there are")(suites.show)
app.command("decompose", short_help="find out which variables belong together")(decompose.run)
app.command("minimize", short_help="find a point with a small value")(minimize.run)
app.command("run", short_help="run a campaign: methods x problems x repeats")(campaign.run)
app.command("report", short_help="tables, tests and pictures of a campaign")(report.run)
app.add_typer(reproduce.app, name="reproduce", short_help="the paper's tables, run again")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"separable {separable.__version__}")
        raise typer.Exit


@app.callback()
def _about(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Finds which variables of a black-box function belong together, and optimizes it piece by piece.

    Example: separable decompose bms/f12 --dim 1000 --plot structure.png
    """
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
        raise typer.Exit(2)


def main() -> None:
    """Run the command line; whatever was refused becomes one line and exit code 2."""
    try:
        code = app(standalone_mode=False)
    except (ClickException, BadInput, FunctionError, JournalError, MissingExtra) as error:
        text = error.format_message() if hasattr(error, "format_message") else str(error)
        typer.echo("separable: " + " ".join(text.split()), err=True)
        code = 2
    except (typer.Abort, KeyboardInterrupt):
        typer.echo("separable: interrupted", err=True)
        code = 1
    except BrokenPipeError:  # the reader of our output has gone, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    except OSError as error:
        typer.echo(f"separable: {error}", err=True)
        code = 2
    sys.exit(code or 0)
