"""Builds everything from the configuration, runs it, and takes it down in order."""

import asyncio
import logging
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, ExitStack, suppress
from dataclasses import replace
from functools import partial
from importlib.resources import as_file, files
from pathlib import Path
from typing import Final

from pydantic import BaseModel, SecretStr

from bot import log
from bot.api import Adapter, Chat, Host, Message, Store, Unauthorized
from bot.config import Config, load
from bot.dispatch import Dispatcher, Limits
from bot.i18n import Languages
from bot.loader import Catalog
from bot.routes import ESSENTIAL
from bot.runfile import BEAT, Beat, running
from bot.runtime import Runtime, utc_now
from bot.store import open_store
from bot.supervisor import supervise

logger = logging.getLogger(__name__)

DEFAULT: Final = Path("bot.yaml")
FALLBACK: Final = "console"
DEMONSTRATION: Final = (
    "This is a demonstration that answers from a small shop's documents;"
    " `tertulia init` makes a bot of your own."
)
SETTLE_SECONDS: Final = 60.0
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


def run(path: Path | None = None) -> int:
    """Run the bot of a configuration file until it is stopped; return the exit code.

    Without a path it takes ``bot.yaml`` beside the current folder or, where there is none, the
    bundled demonstration, which leaves nothing behind. Raises `BotError` with what to tell the
    operator.
    """
    catalog = Catalog()
    with ExitStack() as stack:
        if path is None and not DEFAULT.exists():
            config = _demonstration(catalog, stack)
        else:
            config = load(path or DEFAULT, catalog, os.environ)
        log.start(config.log.level, config.log.format, tuple(secrets(config)))
        beat = stack.enter_context(running(config.data))
        asyncio.run(serve(config, catalog, beat))
    return 0


def secrets(config: Config) -> Iterator[str]:
    """Yield every secret of a configuration."""
    yield from _secrets(config.data_key)
    for block in (*config.platforms.values(), *config.plugins.values()):
        yield from _secrets(block)


async def serve(config: Config, catalog: Catalog, beat: Beat) -> None:
    """Run the bot until it is signalled to stop or all of its platforms have ended."""
    async with AsyncExitStack() as stack:
        store = await open_store(config.store, config.data, clock=utc_now, key=config.key)
        stack.push_async_callback(store.close)
        runtime = _runtime(config, catalog, store)
        dispatcher = await stack.enter_async_context(runtime.started())
        degraded: dict[str, str] = {}
        counts = dispatcher.counts
        runtime.adapters.update(_adapters(config, catalog, runtime, counts, degraded))
        logger.info(
            "ready",
            extra={"platforms": list(runtime.adapters), "plugins": list(config.plugins)},
        )
        report = partial(_report, beat, counts, degraded)
        drain = config.dispatch.drain.total_seconds()
        await _talk(runtime, dispatcher, report, drain)


async def _talk(
    runtime: Runtime, dispatcher: Dispatcher, report: Callable[[], None], drain: float
) -> None:
    """Run the adapters until a signal or their own end, then finish what was accepted.

    They stay connected for that, so that answers under way arrive, and take nothing in any more.
    """
    stop = asyncio.Event()
    signalled = _on_signal(stop)

    async def receive(message: Message) -> None:
        if stop.is_set():
            await asyncio.Event().wait()  # what is never acknowledged comes again
        await dispatcher.receive(message)

    try:
        async with asyncio.TaskGroup() as group:
            resuming = group.create_task(dispatcher.resume())
            talking = [
                group.create_task(supervise(adapter, receive), name=name)
                for name, adapter in runtime.adapters.items()
            ]
            others = (
                group.create_task(_ended([resuming, *talking], stop)),
                group.create_task(_beat(report)),
            )
            await stop.wait()
            resuming.cancel()
            await _settle(runtime, dispatcher, drain, signalled=signalled.is_set())
            for task in (*talking, *others):
                task.cancel()
    except* Unauthorized as errors:
        raise _first(errors) from None


async def _ended(talking: Sequence[asyncio.Task[None]], stop: asyncio.Event) -> None:
    await asyncio.wait(talking)
    stop.set()


async def _beat(report: Callable[[], None]) -> None:
    while True:
        report()
        await asyncio.sleep(BEAT)


async def _settle(
    runtime: Runtime, dispatcher: Dispatcher, seconds: float, *, signalled: bool
) -> None:
    """Finish what was accepted: for a set time after a signal, to the end otherwise."""
    cut = await dispatcher.drain(seconds if signalled else None)
    if cut:
        logger.warning("stopped in the middle of an answer", extra={"chats": cut})
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds if signalled else SETTLE_SECONDS):
            await runtime.idle()


def _on_signal(stop: asyncio.Event) -> asyncio.Event:
    signalled = asyncio.Event()
    loop = asyncio.get_running_loop()

    def end() -> None:
        signalled.set()
        stop.set()
        for number in SIGNALS:
            loop.remove_signal_handler(number)  # a second signal ends the process at once

    for number in SIGNALS:
        loop.add_signal_handler(number, end)
    return signalled


def _first(errors: BaseExceptionGroup[Unauthorized]) -> BaseException:
    error: BaseException = errors
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _runtime(config: Config, catalog: Catalog, store: Store) -> Runtime:
    plugins = [(catalog.found(name), options) for name, options in config.plugins.items()]
    if ESSENTIAL not in config.plugins:
        essential = catalog.find_plugin(ESSENTIAL)
        plugins.append((essential, essential.config and essential.config()))
    languages = Languages(
        config.language,
        config.messages,
        [plugin.package for plugin, _ in plugins if plugin.package is not None],
    )
    limits = Limits(config.dispatch.timeout, config.dispatch.queue, config.dispatch.edits)
    return Runtime(plugins, store, languages, config.data, limits=limits)


def _adapters(
    config: Config,
    catalog: Catalog,
    runtime: Runtime,
    counts: Counter[str],
    degraded: dict[str, str],
) -> Iterator[tuple[str, Adapter]]:
    for name in config.platforms or (FALLBACK,):
        platform = catalog.find_platform(name)
        options = config.platforms[name] if config.platforms else platform.config()
        host = Host(
            commands=runtime.commands,
            log=logging.getLogger(f"platforms.{name}"),
            data=config.data / name,
            count=partial(_count, counts),
            moved=partial(_moved, runtime.store),
            degraded=partial(_degraded, degraded, name),
        )
        yield name, platform.build(options, host)


def _count(counts: Counter[str], name: str) -> None:
    counts[name] += 1


async def _moved(store: Store, old: Chat, new: Chat) -> None:
    await store.move_chat(old.key, new.key)


def _degraded(degraded: dict[str, str], name: str, text: str | None) -> None:
    if text is None:
        degraded.pop(name, None)
    else:
        degraded[name] = text


def _report(beat: Beat, counts: Counter[str], degraded: Mapping[str, str]) -> None:
    beat({"degraded": dict(degraded), "counts": dict(counts)})


def _demonstration(catalog: Catalog, stack: ExitStack) -> Config:
    print(DEMONSTRATION, file=sys.stderr)  # noqa: T201 - this is for the operator's eyes
    sample = stack.enter_context(as_file(files("bot") / "sample"))
    data = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tertulia-")))
    return replace(load(sample / DEFAULT, catalog, os.environ), data=data)


def _secrets(value: object) -> Iterator[str]:
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel):
        yield from _secrets([getattr(value, name) for name in type(value).model_fields])
    elif isinstance(value, Mapping):
        yield from _secrets(list(value.values()))
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _secrets(part)
