"""Replies into the messages of Telegram; pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from telegramify_markdown import RenderConfig, convert, utf16_len

from bot.api import Attachment, Button, CommandInfo, Reply, split

LIMIT: Final = 4096
"""UTF-16 units of a message after its formatting was taken out (Bot API, ``sendMessage``)."""

ENTITIES: Final = 100
"""The most entities that a message shows; Telegram ignores the others."""

MENU: Final = 100
LONGEST_SUMMARY: Final = 256
CACHED: Final = 256

Entity = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Part:
    """What goes out as one message: a text with its entities, or a file."""

    text: str = ""
    entities: tuple[Entity, ...] = ()
    file: Attachment | None = None
    buttons: tuple[Button, ...] = ()


def parts(reply: Reply) -> Sequence[Part]:
    """Return the messages of a reply: its text, then its files, the last one with the buttons."""
    texts = [_rendered(text) for text in split(_sound(reply.text), LIMIT, _length)]
    found = [Part(text, tuple(entities)) for text, entities in texts if text.strip()]
    found += [Part(file=file) for file in reply.attachments]
    if found and reply.buttons:
        found[-1] = replace(found[-1], buttons=tuple(reply.buttons))
    return found


def keyboard(buttons: Sequence[Button]) -> Sequence[Sequence[tuple[str, str]]]:
    """Return the label and data of each button, one a row."""
    return [[(button.label, button.command)] for button in buttons]


def menu(commands: Sequence[CommandInfo], language: str | None) -> Sequence[tuple[str, str]]:
    """Return the names and descriptions of a menu in a language, None for the one of all others."""
    found = {
        command.names.get(language or "", command.name): command.summaries.get(
            language or "", command.summary
        )
        for command in commands
    }
    return [(name, text[:LONGEST_SUMMARY]) for name, text in islice(found.items(), MENU)]


def languages(commands: Sequence[CommandInfo]) -> Mapping[str, str]:
    """Return the languages that commands are described in by their two letters for Telegram."""
    tags = dict.fromkeys(tag for command in commands for tag in command.summaries)
    return {tag.partition("_")[0]: tag for tag in reversed(tags)}


def _length(text: str) -> int:
    return utf16_len(_rendered(text)[0])


@lru_cache(CACHED)
def _rendered(text: str) -> tuple[str, Sequence[Entity]]:
    """Return what a piece of Markdown shows, and its entities as the Bot API has them."""
    shown, entities = convert(text, latex_escape=False, config=_config())
    body = shown.rstrip()
    lead = utf16_len(body) - utf16_len(body.lstrip("\n"))
    body = body.lstrip("\n")
    end = utf16_len(body)
    found = [_within(entity.to_dict(), lead, end) for entity in entities]
    return body, [entity for entity in found if entity["length"] > 0][:ENTITIES]


def _within(entity: dict[str, Any], lead: int, end: int) -> dict[str, Any]:
    """Return an entity of a text whose blank lines at both ends were taken away."""
    start = max(entity["offset"] - lead, 0)
    stop = min(entity["offset"] + entity["length"] - lead, end)
    return {**entity, "offset": start, "length": stop - start}


@lru_cache(1)
def _config() -> RenderConfig:
    config = RenderConfig.isolated()
    symbols = config.markdown_symbol
    for level in range(1, 7):
        setattr(symbols, f"heading_level_{level}", "")
    symbols.unordered_list_item = "•"
    return config


def _sound(text: str) -> str:
    """Return the text without halves of characters, which JSON cannot carry."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
