"""The commands, as /help shows them."""

from typing import Any

from bot.api import Argument, CommandInfo, Context, Services, UserError


async def list_commands(context: Context[Services[Any]]) -> None:
    """Show all commands that are enabled, or explain the one that is named."""
    infos = context.state.commands()
    wanted = context.arguments.split(maxsplit=1)
    if not wanted:
        heading = context.gettext("This is what I can do:")
        await context.reply(
            "\n".join([heading, *(_line(info, context.language) for info in infos)])
        )
        return
    name = wanted[0].lstrip("/").lower()
    found = [info for info in infos if name in _names(info)]
    if not found:
        raise UserError("I don't know the command /{name}. /help lists what I can do.", name=name)
    await context.reply(_explained(context, found[0]))


def _line(info: CommandInfo, language: str) -> str:
    summary = info.summaries.get(language, info.summary)
    return f"- /{info.names.get(language, info.name)} – {summary}"


def _names(info: CommandInfo) -> set[str]:
    return {name.lower() for name in (info.name, *info.names.values())}


def _explained(context: Context[Services[Any]], info: CommandInfo) -> str:
    name = info.names.get(context.language, info.name)
    usage = " ".join([f"/{name}", *(_place(argument) for argument in info.arguments)])
    lines = [f"`{usage}`", info.summaries.get(context.language, info.summary)]
    summaries = info.argument_summaries.get(context.language, {})
    for argument in info.arguments:
        choices = f" ({', '.join(argument.choices)})" if argument.choices else ""
        summary = summaries.get(argument.name, argument.summary)
        lines.append(f"- `{argument.name}` – {summary}{choices}")
    return "\n".join(lines)


def _place(argument: Argument) -> str:
    return f"<{argument.name}>" if argument.required else f"[{argument.name}]"
