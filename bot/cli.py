"""The command line: arguments in, exit code out.

0 is success, 1 a failure, 2 a fault in the configuration or the arguments. Everything that takes
time to import is imported by the command that needs it.
"""

import argparse
import asyncio
import json
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from bot.api import Store
    from bot.config import Config
    from bot.loader import Catalog

COMMANDS: Final = "tertulia.commands"
"""Entry points: ``register(subparsers, load)``, which adds the subcommand of the point's name.

Its handler is set with ``set_defaults(run=…)``, takes the `Namespace` and returns the exit code.
``load(name)`` returns a plugin's validated block and its folder below the data folder;
``load.store()`` is an async context manager of the store, which may be open in a running bot too.
"""

DEFAULT: Final = Path("bot.yaml")
READABLE: Final = (
    "what people say is kept unencrypted; set `data_key`,"
    " or `data_on_encrypted_volume: true` where the disk encrypts"
)
FAILED: Final = 1
MISCONFIGURED: Final = 2
STOPPED: Final = 130


def main() -> None:
    """Run the program and end the process with its exit code."""
    sys.exit(command(sys.argv[1:]))


def command(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; what went wrong is told on stderr."""
    from bot.api import BotError, ConfigError

    given, rest = _config_option().parse_known_args(arguments)
    try:
        options = _parser(rest, given.config).parse_args(rest, given)
        code: int = options.run(options)
    except ConfigError as error:
        return _complain(error.faults, MISCONFIGURED)
    except BotError as error:
        return _complain([f"tertulia: {error}"], FAILED)
    except (KeyboardInterrupt, EOFError):
        return _complain(["", "tertulia: stopped"], STOPPED)
    except BrokenPipeError:  # the reader has seen enough; let nothing be flushed at the end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    return code


def _complain(lines: Iterable[str], code: int) -> int:
    for line in lines:
        print(line, file=sys.stderr)
    return code


def _config_option(default: object = None) -> ArgumentParser:
    parser = ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument(
        "--config",
        type=Path,
        default=default,
        metavar="FILE",
        help="the configuration; ./bot.yaml unless given",
    )
    return parser


def _parser(arguments: Sequence[str], config: Path | None) -> ArgumentParser:
    parser = ArgumentParser("tertulia", description="A bot that answers from your documents.")
    subparsers = parser.add_subparsers(metavar="COMMAND", required=True)
    shared = _config_option(argparse.SUPPRESS)
    for name, (run, summary) in BUILT_IN.items():
        subparser = subparsers.add_parser(name, help=summary, parents=[shared])
        subparser.set_defaults(run=run)
        if run is _init:
            _add_answers(subparser)
        if run is _check:
            subparser.add_argument("--online", action="store_true", help=ONLINE)
    first = next((word for word in arguments if not word.startswith("-")), None)
    if first not in BUILT_IN:
        _add_plugin_commands(subparsers, first, config)
    return parser


def _add_plugin_commands(
    subparsers: "_SubParsersAction[ArgumentParser]", first: str | None, config: Path | None
) -> None:
    """Add the command that was asked for; the others only by name, for the list."""
    for point in entry_points(group=COMMANDS):
        if point.name == first:
            _loaded(point)(subparsers, Loading(config or DEFAULT))
        elif point.name not in BUILT_IN:
            subparsers.add_parser(point.name, help=f"commands of the plugin {point.name}")


def _loaded(point: EntryPoint) -> Callable[..., None]:
    from bot.api import PluginError

    try:
        register: Callable[..., None] = point.load()
    except (ImportError, AttributeError) as error:
        raise PluginError(f"{point.value} cannot be imported: {error}") from error
    return register


@dataclass(frozen=True, slots=True)
class Loading:
    """What a plugin's command gets at: its part of the configuration in ``path``, and the store."""

    path: Path

    def __call__(self, name: str) -> tuple[Any, Path]:
        """Return a plugin's validated block and its folder below the data folder."""
        from bot.config import plugin_block
        from bot.loader import Catalog

        return plugin_block(self.path, Catalog(), os.environ, name)

    @asynccontextmanager
    async def store(self) -> AsyncIterator["Store"]:
        """Open the store and close it in the end; `StoreError` where nothing is on the disk."""
        from bot.api import StoreError
        from bot.config import store_options
        from bot.runtime import utc_now
        from bot.store import open_store

        url, folder, key = store_options(self.path, os.environ)
        if url == "memory":
            raise StoreError("the store is in the bot's memory (`store: memory`), out of reach")
        store = await open_store(url, folder, clock=utc_now, key=key)
        try:
            yield store
        finally:
            await store.close()


def _run(options: Namespace) -> int:
    from bot.app import run

    return run(options.config)


def _check(options: Namespace) -> int:
    from bot.api import ConfigError
    from bot.config import load
    from bot.loader import Catalog

    path = options.config or DEFAULT
    catalog = Catalog()
    config = load(path, catalog, os.environ)
    if faults := [f"{path} {fault}" for fault in _faults(config, catalog)]:
        raise ConfigError(*faults)
    if config.readable:
        print(f"{path}: warning: {READABLE}", file=sys.stderr)
    platforms, plugins = ", ".join(config.platforms) or "console", ", ".join(config.plugins)
    print(
        f"{path}: ok (platforms: {platforms}; plugins: {plugins or 'none'};"
        f" language: {config.language}; store: {config.store})"
    )
    return asyncio.run(_probe(config, catalog)) if options.online else 0


async def _probe(config: "Config", catalog: "Catalog") -> int:
    from bot.probing import probe

    outcomes = []
    async for outcome in probe(config, catalog):
        print(outcome, file=sys.stdout if outcome.fault is None else sys.stderr)
        outcomes.append(outcome)
    return FAILED if any(outcome.fault for outcome in outcomes) else 0


def _faults(config: "Config", catalog: "Catalog") -> Iterator[str]:
    """Yield what is wrong between the blocks, each of them being right."""
    from bot.api import ConfigError
    from bot.i18n import Languages

    plugins = [catalog.found(name) for name in config.plugins]
    for plugin in plugins:
        wanted = plugin.needs(config.plugins[plugin.name]) if plugin.needs else ()
        for name in sorted(set(wanted) - config.plugins.keys()):
            yield f"plugins.{plugin.name}: needs the plugin {name!r}; name it under `plugins:`"
    try:
        packages = [plugin.package for plugin in plugins if plugin.package is not None]
        Languages(config.language, config.messages, packages)
    except ConfigError as error:
        yield from error.faults


def _schema(options: Namespace) -> int:  # noqa: ARG001 - a command
    from bot.config import schema
    from bot.loader import Catalog

    print(json.dumps(schema(Catalog()), indent=2, ensure_ascii=False))
    return 0


def _plugins(options: Namespace) -> int:
    from bot.config import enabled
    from bot.loader import Catalog

    path = options.config or DEFAULT
    modules = enabled(path) if options.config or path.exists() else {}
    catalog = Catalog()
    names = dict.fromkeys((*modules, *catalog.plugins()))
    width = max(map(len, names), default=0)
    for name in names:
        state = "on " if name in modules else "off"
        print(f"{name:<{width}}  {state}  {_summary(catalog, name, modules.get(name))}")
    return 0


def _summary(catalog: "Catalog", name: str, module: str | None) -> str:
    from bot.api import PluginError

    try:
        return catalog.find_plugin(name, module).summary
    except PluginError as error:
        return f"cannot be loaded: {error}"


def _health(options: Namespace) -> int:
    from bot.config import data_folder
    from bot.runfile import health

    well, text = health(data_folder(options.config or DEFAULT, os.environ))
    print(text)
    return 0 if well else 1


def _init(options: Namespace) -> int:
    from bot.config.beginning import begin

    given = {name: value for name, value in vars(options).items() if name in ANSWERS and value}
    begin(
        options.config or DEFAULT,
        given,
        ask=None if options.yes else input,
        say=print,
        force=options.force,
    )
    return 0


def _add_answers(parser: ArgumentParser) -> None:
    for name, summary in ANSWERS.items():
        several: dict[str, Any] = {"action": "append"} if name == "platforms" else {}
        parser.add_argument(FLAGS.get(name, f"--{name}"), dest=name, help=summary, **several)
    parser.add_argument("--yes", action="store_true", help="ask nothing; take the defaults")
    parser.add_argument("--force", action="store_true", help="write over a file that is there")


ONLINE: Final = "also ask the platforms and the models whether they answer"
ANSWERS: Final = {
    "platforms": "telegram, discord or console; may be given several times",
    "telegram_token": "environment variable that holds the Telegram token",
    "discord_token": "environment variable that holds the Discord token",
    "provider": "offline, openai, anthropic, gemini or ollama",
    "base_url": "address of the model server",
    "model": "the model's name",
    "api_key": "environment variable that holds the key; - for none",
    "documents": "folder of the documents",
    "language": "language of the bot where a reader has no choice",
}
FLAGS: Final = {
    "platforms": "--platform",
    "telegram_token": "--telegram-token-variable",
    "discord_token": "--discord-token-variable",
    "base_url": "--base-url",
    "api_key": "--api-key-variable",
}
BUILT_IN: Final[dict[str, tuple[Callable[[Namespace], int], str]]] = {
    "run": (_run, "run the bot, or a demonstration where there is no bot.yaml"),
    "check": (_check, "name every fault of the configuration"),
    "schema": (_schema, "print the JSON Schema of the configuration, for editors"),
    "init": (_init, "write a configuration"),
    "plugins": (_plugins, "list what is installed and what is on"),
    "health": (_health, "tell whether the bot runs well"),
}
