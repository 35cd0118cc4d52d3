"""The AI plugin: conversation with citations, from one's own documents."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Final

from bot.api import Argument, Context, DataStatement, Plugin, Retriever, Services, UserError
from plugins.ai.assistant import Assistant
from plugins.ai.budgets import Budgets, Metered, Rate, usage
from plugins.ai.config import AiConfig, ToolsConfig, extracting
from plugins.ai.grounding import Grounding
from plugins.ai.history import Summaries, opened
from plugins.ai.limits import warnings
from plugins.ai.memory import Memory
from plugins.ai.memory.changing import forget, manage, remember
from plugins.ai.providers.making import make
from plugins.ai.providers.probing import probes
from plugins.ai.reset import reset
from plugins.ai.tokens import estimate
from plugins.ai.tools import Toolbox
from plugins.ai.why import why

WHOLE_TURN: Final = timedelta(minutes=30)
"""Never reached: a turn's parts have shorter deadlines of their own."""


@asynccontextmanager
async def setup(services: Services[AiConfig]) -> AsyncIterator[Assistant]:
    """Connect to the provider and the retriever; offer the assistant to other plugins."""
    config = services.config
    for line in warnings(config):
        services.log.warning(line)
    await asyncio.to_thread(estimate, "")  # a tokenizer takes long to load
    grounding = None
    if config.rag is not None:
        retriever = services.tools.get(config.rag.retriever, Retriever)
        grounding = Grounding(retriever, config.rag, services.tasks, services.log)
    budgets = Budgets(config.budgets, config.prices, services.store.documents, services.clock)
    provider = Metered(make(config, services.log), config, budgets)
    facts = _memory(services, budgets)
    toolbox = _toolbox(services)
    rate = Rate(config.rate or None)
    async with opened(services) as history:
        assistant = Assistant(
            config,
            provider,
            history,
            Summaries(history, provider, config.history.keep, services.tasks, services.log),
            grounding,
            facts,
            toolbox,
            budgets,
            rate,
            services.log,
        )
        services.offer(assistant)
        try:
            yield assistant
        finally:
            await facts.close()
            await provider.close()


def _toolbox(services: Services[AiConfig]) -> Toolbox:
    if not services.config.tools:
        return Toolbox((), ToolsConfig(), services.log)
    return Toolbox(services.model_tools(), services.config.tools, services.log)


def _memory(services: Services[AiConfig], budgets: Budgets) -> Memory:
    config = services.config
    own = extracting(config)
    return Memory(
        config.remembering,
        services.store,
        lambda: Metered(make(own, services.log), own, budgets),
        tasks=services.tasks,
        clock=services.clock,
        log=services.log,
        incognito=services.privacy.incognito,
    )


plugin: Plugin[Assistant] = Plugin(
    "ai",
    "Talks with you and answers from the documents, with sources",
    config=AiConfig,
    setup=setup,
    probes=probes,
    needs=lambda config: [] if config.rag is None else [config.rag.retriever],
    data=DataStatement(
        "The AI keeps what you write to it and what it answers, so that it can follow the"
        " conversation, until you use /reset or erase your data; and the facts about you that you"
        " told it, so that it can take them into account, until you use /memory or /forget.",
        elsewhere=True,
        recipients=lambda assistant: assistant.recipients,
        export=lambda assistant, account: assistant.history.export(account),
        erase=lambda assistant, account: assistant.history.erase(account),
    ),
)


@plugin.message(timeout=WHOLE_TURN, debounce=lambda assistant: assistant.config.debounce)
async def answer(context: Context[Assistant]) -> None:
    """Answer what the bot is told."""
    if context.state.rate.admits(context.message.sender.key):
        await context.state.answer(context)


@plugin.command("reset", "Begin anew: I forget this conversation")
async def begin_anew(context: Context[Assistant]) -> None:
    """Clear the conversation."""
    await reset(context, context.state)


@plugin.command(
    "why",
    "Shows what an answer came from; reply to the answer with it",
    Argument("message", "The message that was answered; without it the latest"),
)
async def explain(context: Context[Assistant]) -> None:
    """Show what an answer came from."""
    await why(context, context.state.results, context.state.facts)


@plugin.command(
    "confirm",
    "Answers when I ask whether I may run a tool",
    Argument("answer", "Whether I may", choices=("yes", "no")),
    Argument("question", "Which question is meant"),
)
async def confirm(_: Context[Assistant]) -> None:
    """Tell that nobody waits for the answer: one that is waited for never comes here."""
    raise UserError("That question isn't open any more, or it was somebody else's.")


@plugin.command("usage", "Shows how much you asked me, and how much you may")
async def show_usage(context: Context[Assistant]) -> None:
    """Show what was used."""
    await usage(context, context.state.budgets)


@plugin.command(
    "memory",
    "Shows what I remember about you, and lets you change it",
    Argument(
        "action",
        "Whether I note facts by myself, ask you first, or note none",
        choices=("auto", "ask", "off", "edit"),
    ),
    Argument("fact", "Which fact to change, and its new words"),
)
async def manage_memory(context: Context[Assistant]) -> None:
    """Show the person's facts or change them."""
    await manage(context, context.state.facts)


@plugin.command(
    "remember",
    "Tells me something to remember about you",
    Argument("text", "What to remember"),
)
async def remember_fact(context: Context[Assistant]) -> None:
    """Keep a fact."""
    await remember(context, context.state.facts)


@plugin.command("forget", "Makes me forget something about you", Argument("text", "What to forget"))
async def forget_fact(context: Context[Assistant]) -> None:
    """Delete a fact."""
    await forget(context, context.state.facts)
