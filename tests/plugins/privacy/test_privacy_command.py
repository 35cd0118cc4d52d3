"""/privacy: what is kept, its export and its erasure, over real dispatch and store."""

import io
import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from bot.api import (
    Attachment,
    ChatKind,
    Context,
    DataStatement,
    Entry,
    Json,
    Plugin,
    Reply,
    Role,
    Services,
)
from bot.testing import Bot, talking_to
from plugins.core import plugin as core
from plugins.privacy import plugin

GROUP: dict[str, Any] = {"chat": "g1", "kind": ChatKind.GROUP, "addressed": True}


class Clock:
    """A clock that tests set."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


class Album:
    """What the plugin of these tests keeps elsewhere."""

    def __init__(self) -> None:
        self.pictures = {"test:ana": ["a.png", "b.png"], "test:bo": ["c.png"]}
        self.broken = False

    async def export(self, person: str) -> Json:
        return self.pictures.get(person, [])

    async def erase(self, person: str) -> int:
        if self.broken:
            raise OSError("/srv/album is gone")
        return len(self.pictures.pop(person, []))


def album(kept: Album) -> Plugin[Album]:
    """Return a plugin that keeps notes in the store and pictures elsewhere."""

    @asynccontextmanager
    async def set_up(services: Services[Any]) -> AsyncIterator[Album]:
        yield kept

    statement = DataStatement(
        "Your pictures, to show them.", elsewhere=True, export=Album.export, erase=Album.erase
    )
    plugin = Plugin("album", "Keeps pictures", setup=set_up, data=statement)

    @plugin.command("note", "Keeps a note")
    async def note(context: Context[Album]) -> None:
        await context.user.put(context.arguments, context.arguments)

    return plugin


@asynccontextmanager
async def album_bot(kept: Album | None = None, clock: Clock | None = None) -> AsyncIterator[Bot]:
    """Run a bot with two notes and a message of Ana, and one note of Bo."""
    async with talking_to(album(kept or Album()), core, plugin, clock=clock or Clock()) as bot:
        await bot.say("/note tea")
        await bot.say("/note cats")
        await bot.say("/note dogs", sender="bo")
        said = Entry(Role.USER, "I like tea", person="test:ana")
        await bot.store.messages.append("test:ana", [said])
        yield bot


async def only(bot: Bot, text: str, **options: object) -> Reply:
    (reply,) = await bot.say(text, **options)
    return reply


async def question(bot: Bot) -> str:
    """Ask to erase everything and return the command of the button."""
    (button,) = (await only(bot, "/privacy erase")).buttons
    assert button.danger
    return f"/{button.command}"


@pytest.mark.parametrize("command", ["/privacy", "/PRIVACY", "/privacidad"])
async def test_what_is_kept_is_told_in_words_and_counts(command: str) -> None:
    async with album_bot() as bot:
        text = (await only(bot, command)).text
        for line in (
            "- 1 account: how a platform knows you, and your settings",
            "- 2 notes, such as facts I remember",
            "- 1 message of our conversations",
            "- **album** – Your pictures, to show them.",
            "- **core** – Your choice of language, once you make one, to answer you in it.",
        ):
            assert line in text.splitlines()
        assert "through Test" in text


async def test_it_is_told_in_the_readers_language() -> None:
    async with album_bot() as bot:
        text = (await only(bot, "/privacy", language="es")).text
        assert "- 2 notas, como datos que recuerdo" in text.splitlines()
        assert "Esto es lo que guardo sobre ti:" in text


async def test_the_buttons_lead_on() -> None:
    async with album_bot() as bot:
        commands = [button.command for button in (await only(bot, "/privacy")).buttons]
        assert commands == ["privacy export", "privacy pause", "privacy erase"]


@pytest.mark.parametrize(
    "command", ["/privacy export", "/privacy erase", "/privacy erase confirm-x"]
)
async def test_what_is_personal_is_refused_in_a_group(command: str) -> None:
    async with album_bot() as bot:
        reply = await only(bot, command, **GROUP)
        assert "in a private chat" in reply.text
        assert (reply.buttons, reply.attachments) == ((), ())


async def test_a_group_learns_who_keeps_what_but_no_counts() -> None:
    async with album_bot() as bot:
        reply = await only(bot, "/privacy", **GROUP)
        assert "- **album** – Your pictures, to show them." in reply.text
        assert "in a private chat" in reply.text
        assert "notes" not in reply.text
        assert reply.buttons == ()


@pytest.mark.parametrize("command", ["/privacy", "/privacy export", "/privacy erase"])
async def test_nobody_is_told_that_nothing_is_kept(command: str) -> None:
    async with album_bot() as bot:
        reply = await only(bot, command, anonymous=True, sender="channel")
        assert "You write anonymously, so I keep nothing about you." in reply.text
        assert (reply.buttons, reply.attachments) == ((), ())
        assert await bot.store.people.get("test:channel") is None


async def test_an_unknown_action_is_answered_with_those_there_are() -> None:
    async with album_bot() as bot:
        assert "/privacy export sends" in (await only(bot, "/privacy explode")).text


def unpacked(file: Attachment) -> Any:
    """Return the complete export, once every row of it was found in the readable one."""
    with zipfile.ZipFile(io.BytesIO(file.content or b"")) as archive:
        held = json.loads(archive.read("my-data.json"))
        readable = archive.read("my-data.md").decode()
    for kind, rows in held.items():
        assert f"# {kind}" in readable
        for row in rows if isinstance(rows, list) else []:
            for value in row.values():
                assert not isinstance(value, str) or value in readable
    return held


async def test_the_export_is_a_file_with_everything() -> None:
    async with album_bot() as bot:
        reply = await only(bot, "/privacy export")
        (file,) = reply.attachments
        assert file.content is not None
        assert (file.media_type, file.size) == ("application/zip", len(file.content))
        held = unpacked(file)
        assert held["plugins"] == {"album": ["a.png", "b.png"]}
        for text in ("tea", "cats", "I like tea", "ana"):
            assert text in json.dumps(held)
        assert "dogs" not in json.dumps(held)


async def test_an_export_that_lacks_something_says_so() -> None:
    kept = Album()

    async def fail(person: str) -> Json:
        raise OSError(person)

    kept.export = fail  # type: ignore[method-assign]
    statement = DataStatement(
        "Pictures.", elsewhere=True, export=lambda a, p: a.export(p), erase=Album.erase
    )
    broken = album(kept)
    broken.data = statement
    async with talking_to(broken, plugin) as bot:
        reply = await only(bot, "/privacy export")
        assert "Something is missing" in reply.text
        assert unpacked(reply.attachments[0])["failures"].keys() == {"album"}


async def test_erasing_asks_first_and_says_what_will_go() -> None:
    kept = Album()
    async with album_bot(kept) as bot:
        text = (await only(bot, "/privacy erase")).text
        assert "- 2 notes, such as facts I remember" in text.splitlines()
        assert "10 minutes" in text
        assert (await bot.store.kept("test:ana"))["messages"] == 1
        assert kept.pictures["test:ana"]


async def test_what_was_announced_is_erased_and_nothing_of_others() -> None:
    kept = Album()
    async with album_bot(kept) as bot:
        bo = await bot.store.export("test:bo")
        text = (await only(bot, await question(bot))).text
        assert "- 1 account: how a platform knows you, and your settings" in text.splitlines()
        assert "- 2 notes, such as facts I remember" in text.splitlines()
        assert "- 1 message of our conversations" in text.splitlines()
        assert "- 2 entries of album" in text.splitlines()
        assert not any((await bot.store.kept("test:ana")).values())
        assert await bot.store.export("test:bo") == bo
        assert kept.pictures == {"test:bo": ["c.png"]}


async def test_a_confirmation_is_good_for_one_time() -> None:
    async with album_bot() as bot:
        command = await question(bot)
        await bot.say(command)
        await bot.say("/note again")
        assert "used already" in (await only(bot, command)).text
        assert (await bot.store.kept("test:ana"))["documents"] == 1


async def test_a_new_question_takes_the_old_confirmation_back() -> None:
    async with album_bot() as bot:
        old, new = await question(bot), await question(bot)
        assert "used already" in (await only(bot, old)).text
        assert "Done" in (await only(bot, new)).text


async def test_a_confirmation_is_good_for_ten_minutes() -> None:
    clock = Clock()
    async with album_bot(clock=clock) as bot:
        command = await question(bot)
        clock.now += timedelta(minutes=10)
        assert "older than 10 minutes" in (await only(bot, command)).text
        assert (await bot.store.kept("test:ana"))["messages"] == 1
        command = await question(bot)
        clock.now += timedelta(minutes=10) - timedelta(seconds=1)
        assert "Done" in (await only(bot, command)).text


async def test_a_confirmation_is_good_for_the_one_who_was_asked() -> None:
    async with album_bot() as bot:
        command = await question(bot)
        before = await bot.store.export("test:bo")
        assert "used already" in (await only(bot, command, sender="bo")).text
        assert await bot.store.export("test:bo") == before
        assert "Done" in (await only(bot, command)).text


@pytest.mark.parametrize("code", ["", "x", "ñ", "confirm-", " "])
async def test_no_guess_is_a_confirmation(code: str) -> None:
    async with album_bot() as bot:
        await question(bot)
        assert "used already" in (await only(bot, f"/privacy erase confirm-{code}")).text
        assert (await bot.store.kept("test:ana"))["messages"] == 1


async def test_what_a_plugin_could_not_erase_is_told_without_its_secrets() -> None:
    kept = Album()
    kept.broken = True
    async with album_bot(kept) as bot:
        text = (await only(bot, await question(bot), language="es")).text
        assert "Lo que album guarda en otro lugar no se pudo borrar" in text
        assert "/srv/album" not in text
        assert not any((await bot.store.kept("test:ana")).values())


async def test_somebody_of_whom_nothing_else_is_kept_may_erase_too() -> None:
    async with album_bot() as bot:
        (button,) = (await only(bot, "/privacy erase", sender="new")).buttons
        before = await bot.store.export("test:bo")
        assert "- 1 account" in (await only(bot, f"/{button.command}", sender="new")).text
        assert await bot.store.export("test:bo") == before


async def test_a_chosen_language_is_erased_with_the_rest() -> None:
    async with album_bot() as bot:
        await bot.say("/language es")
        assert "Listo" in (await only(bot, await question(bot))).text
        assert (await only(bot, "/ping")).text == "Pong! I'm awake."
