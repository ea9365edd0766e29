"""The command line: one short file per command, no logic.

Command modules import what they need inside their function, so that `holdfast link` starts as
fast as it can and `holdfast --help` imports nothing heavy.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from holdfast.cli import (
    annotate,
    bench,
    convert,
    diagnose,
    doctor,
    evaluate,
    kb,
    link,
    mcp,
    models,
    probe,
    relate,
    represent,
    reproduce,
    score,
    serve,
    train,
    types,
)
from holdfast.errors import HoldfastError, UsageError
from holdfast.text.safe import one_line

app = typer.Typer(
    name="holdfast",
    help="Find biomedical mentions in text, link them to concepts, and say why.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _print_version(*, wanted: bool) -> None:
    if wanted:
        from holdfast import __version__

        print(f"holdfast {__version__}")
        raise typer.Exit


@app.callback()
def _holdfast(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda v: _print_version(wanted=v),
            is_eager=True,
            help="Print the version and stop.",
        ),
    ] = False,
) -> None:
    """Find biomedical mentions in text, link them to concepts, and say why."""


app.command("link")(link.link)
app.command("annotate")(annotate.annotate)
app.command("relate")(relate.relate)
app.command("convert")(convert.convert)
app.command("score")(score.score)
app.command("train")(train.train)
app.command("evaluate")(evaluate.evaluate)
app.command("reproduce")(reproduce.reproduce)
app.command("represent")(represent.represent)
app.command("neighbours")(represent.neighbours)
app.command("diagnose")(diagnose.diagnose)
app.command("serve")(serve.serve)
app.command("mcp")(mcp.mcp)
app.command("doctor")(doctor.doctor)
app.add_typer(models.app, name="models")
app.add_typer(kb.app, name="kb")
app.add_typer(bench.app, name="bench")
app.add_typer(probe.app, name="probe")
app.add_typer(types.app, name="types")

# What typer raises on wrong use; the class itself is exported by none of its versions.
_WRONG_USE: type[Exception] = typer.BadParameter.__bases__[0]
_INTERRUPTED = 130
_EXTRA_OF = {  # the extra that brings a package
    **dict.fromkeys(("onnx", "safetensors", "torch", "transformers"), "train"),
    **dict.fromkeys(("fastapi", "prometheus_client", "uvicorn"), "serve"),
    "mcp": "mcp",
}


def main() -> None:
    """Run the command line. Errors become one line on standard error; `--debug` shows more.

    Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted.
    """
    arguments, debug = _take_debug(sys.argv[1:])
    try:
        code = app(args=arguments, prog_name="holdfast", standalone_mode=False)
    except HoldfastError as error:
        _stop(str(error), 2 if isinstance(error, UsageError) else 1, debug=debug)
    except _WRONG_USE as error:
        message = " ".join(error.format_message().split())  # type: ignore[attr-defined]
        if not message:  # a command without its arguments: its help is already on the screen
            sys.exit(2)
        _stop(f"{message.rstrip('.')}; see `holdfast --help`", 2, debug=debug)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRA_OF:
            raise
        extra = _EXTRA_OF[error.name]
        _stop(f"{error.name} is not installed; pip install 'holdfast[{extra}]'", 2, debug=debug)
    except BrokenPipeError:  # `holdfast link … | head`: who reads has had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        _stop(f"{place}{error.strerror or error}", 1, debug=debug)
    else:
        if code == _INTERRUPTED:  # typer turns Ctrl-C into a returned exit code
            print("holdfast: interrupted", file=sys.stderr)
        sys.exit(code)


def _take_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """`--debug` may stand anywhere before a bare `--`."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    options = [a for a in arguments[:end] if a != "--debug"]
    return options + arguments[end:], len(options) < end


def _stop(message: str, code: int, *, debug: bool) -> None:
    if debug:
        raise  # called from an except block: the traceback is the point
    print(f"holdfast: {one_line(message)}", file=sys.stderr)
    sys.exit(code)
