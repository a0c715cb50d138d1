"""What all commands share: the options every one takes, how results and errors are printed, and progress."""

from __future__ import annotations

import datetime as dt
import functools
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec

import click

from rubricator.core.scope import parse_date
from rubricator.errors import AnswerNeededError, InputError, RubricatorError, ServiceError, StorageError

P = ParamSpec("P")


def command(group: click.Group, name: str) -> Callable[[Callable[P, None]], click.Command]:
    """Register a command under `group`, with `--json` and with errors that end in their exit code."""

    def register(function: Callable[P, None]) -> click.Command:
        return group.command(name)(with_json(function))

    return register


def with_json(function: Callable[P, None]) -> Callable[P, None]:
    """Add `--json` to a command, and turn its errors into a message and an exit code."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            function(*args, **kwargs)
        except AnswerNeededError as needed:
            print_json({"requests": list(needed.requests)})  # for the agent that runs this, so it is JSON always
            say(str(needed))
        except RubricatorError as error:
            fail(error, as_json=bool(kwargs.get("as_json")))
        except BrokenPipeError:
            sys.stderr.close()  # whoever read our output has gone: there is nobody to complain to
            sys.exit(0)

    option = click.option("--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on standard output.")
    parameters = option(run).__click_params__  # type: ignore[attr-defined]
    parameters.insert(0, parameters.pop())  # so that --help lists it after the command's own options
    return run


def fail(error: RubricatorError, *, as_json: bool) -> None:
    """Print an error and end with its exit code."""
    if as_json:
        missing = {"missing": list(error.missing)} if isinstance(error, ServiceError) and error.missing else {}
        print_json({"error": {"code": error.code, "message": error.message, "hint": error.hint, **missing}})
    click.echo(f"Error: {error.message}", err=True)
    if error.hint:
        click.echo(f"  {error.hint}", err=True)
    sys.exit(error.exit_code)


def print_json(value: Any) -> None:
    """Print one JSON document on one line."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:  # half a character, which only an escape can carry
        text = json.dumps(value)
    click.echo(text)


def show(value: Any, rendered: Callable[[Any], None], *, as_json: bool) -> None:
    """Print a result, as JSON or for people."""
    if as_json:
        print_json(value)
    else:
        rendered(value)


def score_options(function: Callable[P, None]) -> Callable[P, None]:
    """The options that name a score."""
    function = click.option("--score", required=True, metavar="NAME", help="The score, as its record names it.")(
        function
    )
    return scorecard_option(function)


def scorecard_option(function: Callable[P, None]) -> Callable[P, None]:
    """The option that names a scorecard."""
    return click.option(
        "--scorecard", required=True, metavar="NAME", help="The scorecard: a folder in SCORECARD_CACHE_DIR."
    )(function)


class Day(click.ParamType[dt.date]):
    """A date as YYYY-MM-DD."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dt.date:
        """The date that `value` is; anything else is a usage error."""
        if isinstance(value, dt.date):
            return value
        return parse_date(value) or self.fail(f"{value!r} is not a date; write it as YYYY-MM-DD.", param, ctx)


DAY = Day()


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on standard error, or None where that is no terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    with click.progressbar(length=1, label=label, file=sys.stderr, show_pos=True, width=30) as bar:

        def update(done: int, total: int) -> None:
            bar.length = max(total, 1)
            bar.update(done - bar.pos)

        yield update


def say(message: str) -> None:
    """Print a message for the person at the terminal, on standard error."""
    click.echo(message, err=True)


def read_text(path: str) -> str:
    """The text of a file, or of standard input for `-`."""
    try:
        raw = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return raw.decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} can't be read: {error.strerror}.", hint="Check the path.") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 text (byte {error.start}).", hint="Save it as UTF-8.") from error


def read_json(path: str) -> Any:
    """The JSON in a file, or on standard input for `-`."""
    return parsed_json(read_text(path), path)


def parsed_json(text: str, path: str) -> Any:
    """The JSON in `text`, which was read from `path`."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {error}.", hint="Check the file.") from error


def write_text(path: str, text: str) -> None:
    """Write a file. Raises StorageError where that is not possible."""
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise StorageError(f"{path} can't be written: {error.strerror}.", hint="Check the folder.") from error
