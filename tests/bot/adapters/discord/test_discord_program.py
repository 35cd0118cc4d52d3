"""The whole program with Discord configured: it answers, and ends in order."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

CONFIG = """
platforms:
  discord: {{token: "${{DISCORD_TOKEN}}", base_url: {url}}}
plugins:
  core: {{}}
  slow: {{module: slow}}
"""
SLOW = """
import asyncio
from bot.api import Plugin

plugin = Plugin("slow", "Takes its time.")

@plugin.message(lambda message: message.addressed)
async def answer(context):
    await context.reply("begun")
    await asyncio.sleep(1)
    await context.reply("done")
"""


@asynccontextmanager
async def program(folder: Path, server: Any) -> AsyncIterator[asyncio.subprocess.Process]:
    (folder / "slow.py").write_text(SLOW)
    (folder / "bot.yaml").write_text(CONFIG.format(url=server.url))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bot", "run"),
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "DISCORD_TOKEN": server.token},
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(60):
            await server.greeted.wait()
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_it_answers_and_finishes_its_answer_when_it_is_stopped(
    discord_server: Any, tmp_path: Path
) -> None:
    async with program(tmp_path, discord_server) as process:
        await discord_server.asks("ping")
        await discord_server.until(lambda: len(discord_server.texts) == 1)
        await discord_server.says("hello")
        await discord_server.until(lambda: "begun" in discord_server.texts)
        process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(60):
            _, said = await process.communicate()
    assert discord_server.texts[1:] == ["begun", "done"]
    assert process.returncode == 0
    log = said.decode()
    assert "Traceback" not in log
    assert discord_server.token not in log
    commands = discord_server.commands["/applications/900/commands"]
    assert {"ping", "help"} <= {command["name"] for command in commands}
