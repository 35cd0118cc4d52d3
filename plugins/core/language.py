"""The language that a person is answered in, as /language shows and sets it."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from babel import Locale

from bot.api import Button, Context, Services, UserError

Host = Services[Any]

AUTO: Final = "auto"
LONGEST_ECHO: Final = 40


async def choose_language(context: Context[Host]) -> None:
    """Show the language in use and the others, or set the one that is named."""
    wanted = context.arguments.strip()
    if not wanted:
        await _show(context)
        return
    if context.sender is None:
        raise UserError("You write anonymously, so I can't keep a choice for you.")
    code = _meant(context, wanted)
    await context.state.store.people.set_language(context.sender, code)
    say = context.state.speak(code or context.language)
    if code is None:
        text = say.gettext("From now on I follow the language of your app.")
    else:
        text = say.gettext("From now on I answer you in this language: {language}.")
    await context.reply(text.format(language=_own_name(code or context.language)))


async def _show(context: Context[Host]) -> None:
    chosen = context.person is not None and context.person.language is not None
    if chosen:
        now = context.gettext("You chose this language: {language}.")
    else:
        now = context.gettext("I follow your app and answer in this language: {language}.")
    buttons = [Button(_own_name(code), f"language {code}") for code in context.state.languages]
    if chosen:
        buttons.append(Button(context.gettext("Follow my app"), f"language {AUTO}"))
    text = f"{now}\n{context.gettext('I also speak: {languages}.')}"
    others = [code for code in context.state.languages if code != context.language]
    await context.reply(
        text.format(language=_own_name(context.language), languages=_listed(others)),
        buttons=buttons,
    )


def _meant(context: Context[Host], wanted: str) -> str | None:
    """Return the code of the language that is meant, None for that of the app."""
    key = wanted.casefold().replace("-", "_")
    if key in (AUTO, context.gettext("Follow my app").casefold()):
        return None
    languages = context.state.languages
    known = _known_names(languages, context.language)
    found = known.get(key) or known.get(key.split("_", maxsplit=1)[0])
    if found is not None:
        return found
    echo = wanted[:LONGEST_ECHO]
    near = [_own_name(known[name]) for name in get_close_matches(key, known, n=1)]
    if near:
        raise UserError(
            "I don't speak “{wanted}”. Did you mean {suggestion}? I speak: {languages}.",
            wanted=echo,
            suggestion=near[0],
            languages=_listed(languages),
        )
    raise UserError(
        "I don't speak “{wanted}”. I speak: {languages}.",
        wanted=echo,
        languages=_listed(languages),
    )


def _known_names(languages: Sequence[str], reader: str) -> Mapping[str, str]:
    """Return the languages' codes by all that a reader of a language may call them, folded."""
    known: dict[str, str] = {}
    for code in languages:
        locale = Locale.parse(code)
        names: list[str | None] = [code, locale.language]
        for teller in (code, "en", reader):
            names += [locale.get_display_name(teller), locale.get_language_name(teller)]
        for name in filter(None, names):
            known.setdefault(name.casefold(), code)
    return known


def _own_name(code: str) -> str:
    name = Locale.parse(code).get_display_name() or code
    return name[:1].upper() + name[1:]


def _listed(languages: Sequence[str]) -> str:
    return ", ".join(f"{_own_name(code)} (`{code}`)" for code in languages)
