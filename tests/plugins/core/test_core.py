"""/start, /help, /language and /ping, over real dispatch and store."""

import pytest

from bot.api import Argument, Button, ChatKind, Context, Plugin, Reply
from bot.testing import Bot, talking_to
from plugins.core import plugin
from plugins.privacy import plugin as privacy


def weather() -> Plugin[None]:
    plugin: Plugin[None] = Plugin("weather", "Tells the weather")
    place = Argument("place", "Where", required=True)
    unit = Argument("unit", "Which degrees", choices=("C", "F"))

    @plugin.command("weather", "Tells today's weather", place, unit)
    async def handle(context: Context[None]) -> None:
        """Say nothing."""

    return plugin


async def only(bot: Bot, text: str, **options: object) -> Reply:
    (reply,) = await bot.say(text, **options)
    return reply


async def test_start_says_what_there_is_and_where_to_read_on() -> None:
    async with talking_to(plugin, privacy, weather()) as bot:
        reply = await only(bot, "/start")
        for text in ("Hello!", "- Tells the weather", "/help", "/privacy", "mention me"):
            assert text in reply.text
        assert plugin.summary not in reply.text


async def test_start_of_a_bot_that_only_greets_lists_nothing() -> None:
    async with talking_to(plugin) as bot:
        assert "- " not in (await only(bot, "/start")).text


@pytest.mark.parametrize("command", ["/start", "/inicio"])
async def test_start_speaks_the_clients_language(command: str) -> None:
    async with talking_to(plugin, privacy) as bot:
        reply = await only(bot, command, language="es-419")
        assert reply.text.startswith("¡Hola!")
        assert "/ayuda" in reply.text


async def test_ping_answers() -> None:
    async with talking_to(plugin) as bot:
        assert (await only(bot, "/ping")).text == "Pong! I'm awake."


async def test_help_lists_every_command_that_is_on() -> None:
    async with talking_to(plugin, weather()) as bot:
        lines = (await only(bot, "/help")).text.splitlines()
        assert {line.split(" ")[1] for line in lines[1:]} == {
            "/help",
            "/language",
            "/start",
            "/ping",
            "/weather",
        }
        assert "- /weather – Tells today's weather" in lines


async def test_help_names_and_describes_in_the_readers_language() -> None:
    async with talking_to(plugin) as bot:
        text = (await only(bot, "/help", language="es")).text
        assert "- /ayuda – Mostrar lo que puedo hacer" in text
        assert "- /idioma – " in text


@pytest.mark.parametrize("named", ["weather", "/WEATHER", "weather now please"])
async def test_help_explains_a_command(named: str) -> None:
    async with talking_to(plugin, weather()) as bot:
        assert (await only(bot, f"/help {named}")).text == (
            "`/weather <place> [unit]`\n"
            "Tells today's weather\n"
            "- `place` – Where\n"
            "- `unit` – Which degrees (C, F)"
        )


async def test_help_finds_a_command_by_its_name_in_any_language() -> None:
    async with talking_to(plugin) as bot:
        assert (await only(bot, "/help idioma")).text.startswith("`/language [language]`")


async def test_help_of_an_unknown_command_says_so() -> None:
    async with talking_to(plugin) as bot:
        reply = await only(bot, "/help {x}")
        assert reply.text == "I don't know the command /{x}. /help lists what I can do."


async def test_language_shows_the_one_in_use_and_offers_all() -> None:
    async with talking_to(plugin) as bot:
        reply = await only(bot, "/language", language="es-MX")
        assert "Español" in reply.text.splitlines()[0]
        for name in ("English (`en`)", "Português (Brasil) (`pt_BR`)", "中文 (简体) (`zh_Hans`)"):
            assert name in reply.text.splitlines()[1]
        assert reply.buttons == (
            Button("English", "language en"),
            Button("Español", "language es"),
            Button("Português (Brasil)", "language pt_BR"),
            Button("中文 (简体)", "language zh_Hans"),
        )


@pytest.mark.parametrize(
    "wanted",
    ["es", "ES", "es-419", "es_MX", "español", "Español", "ESPAÑOL", "spanish", "Espanhol"],
)
async def test_a_language_is_set_by_whatever_it_is_called(wanted: str) -> None:
    async with talking_to(plugin) as bot:
        reply = await only(bot, f"/language {wanted}", language="pt-BR")
        assert reply.text == "De ahora en adelante te responderé en este idioma: Español."
        assert (await only(bot, "/ping", language="pt-BR")).text == "¡Pong! Aquí estoy."


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ("zh", "zh_Hans"),
        ("zh-CN", "zh_Hans"),
        ("中文", "zh_Hans"),
        ("pt-PT", "pt_BR"),
        ("português", "pt_BR"),
    ],
)
async def test_a_language_without_a_region_finds_the_one_there_is(wanted: str, code: str) -> None:
    async with talking_to(plugin) as bot:
        await bot.say(f"/language {wanted}")
        person = await bot.store.people.get("test:ana")
        assert person is not None
        assert person.language == code


async def test_every_button_sets_its_language() -> None:
    async with talking_to(plugin) as bot:
        for button in (await only(bot, "/language")).buttons:
            assert button.label in (await only(bot, f"/{button.command}")).text


@pytest.mark.parametrize("auto", ["auto", "AUTO", "Seguir mi aplicación"])
async def test_a_choice_can_be_taken_back(auto: str) -> None:
    async with talking_to(plugin) as bot:
        await bot.say("/language es")
        shown = await only(bot, "/language")
        assert shown.text.startswith("Elegiste")
        assert shown.buttons[-1] == Button("Seguir mi aplicación", "language auto")
        await bot.say(f"/language {auto}")
        assert (await only(bot, "/ping")).text == "Pong! I'm awake."


async def test_a_choice_holds_in_every_chat_of_the_person_and_for_nobody_else() -> None:
    async with talking_to(plugin) as bot:
        await bot.say("/language es")
        group = {"chat": "g1", "kind": ChatKind.GROUP}
        assert (await only(bot, "/ping", **group)).text == "¡Pong! Aquí estoy."
        assert (await only(bot, "/ping", sender="bo", **group)).text == "Pong! I'm awake."


@pytest.mark.parametrize(
    ("wanted", "texts"),
    [
        ("spannish", ["“spannish”", "Did you mean Español?", "English (`en`)"]),
        ("klingon", ["“klingon”", "I speak: English (`en`), Español (`es`)"]),
        ("x" * 4000, ["“" + "x" * 40 + "”"]),
        ("{0.__class__}", ["“{0.__class__}”"]),
    ],
)
async def test_an_unknown_language_is_answered_with_what_there_is(
    wanted: str, texts: list[str]
) -> None:
    async with talking_to(plugin) as bot:
        reply = await only(bot, f"/language {wanted}")
        for text in texts:
            assert text in reply.text
        person = await bot.store.people.get("test:ana")
        assert person is None or person.language is None


async def test_nobody_can_choose_but_anybody_can_look() -> None:
    async with talking_to(plugin) as bot:
        group = {"chat": "g1", "kind": ChatKind.GROUP, "anonymous": True, "addressed": True}
        assert "anonymously" in (await only(bot, "/language es", **group)).text
        assert (await only(bot, "/language", **group)).buttons
        assert await bot.store.people.get("test:ana") is None
