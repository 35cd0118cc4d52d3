"""What a person sees in the terminal."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final, TextIO

from bot.adapters.console.outgoing import choices, growth
from bot.api import Attachment, Reply

LABEL: Final = "bot"
CYAN: Final = "\x1b[36m"
DIM: Final = "\x1b[2m"
PLAIN: Final = "\x1b[0m"


class Screen:
    """Prints replies, a growing one piece by piece; in colours on a terminal only."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._colours = output.isatty() and "NO_COLOR" not in os.environ
        self._open: tuple[str, str] | None = None

    def show(self, message_id: str, reply: Reply, folder: Path) -> None:
        """Print a reply, or what was added to one that is still open.

        Attachments are saved to ``folder``, and the path is printed.
        """
        text = reply.text
        if self._open is not None and self._open[0] == message_id:
            self._print(growth(self._open[1], text))
        else:
            self._close()
            self._print(f"{self._styled(LABEL, CYAN)}  {text}")
        self._open = (message_id, text)
        if not reply.partial:
            self._end(reply, folder)

    async def prompts(self) -> AsyncIterator[str]:
        """Yield what is typed, until Ctrl+D or Ctrl+C."""
        from prompt_toolkit import PromptSession  # noqa: PLC0415 - only a terminal needs it
        from prompt_toolkit.formatted_text import ANSI  # noqa: PLC0415
        from prompt_toolkit.patch_stdout import patch_stdout  # noqa: PLC0415

        session: PromptSession[str] = PromptSession()
        prompt = ANSI(self._styled("you", DIM) + "  ")
        while True:
            try:
                with patch_stdout(raw=True):
                    text = await session.prompt_async(prompt)
            except (EOFError, KeyboardInterrupt):
                return
            yield text

    def _end(self, reply: Reply, folder: Path) -> None:
        self._print(choices(reply.buttons))
        for attachment in reply.attachments:
            self._print(self._styled(f"\n  → {_save(attachment, folder)}", DIM))
        self._close()

    def _close(self) -> None:
        if self._open is not None:
            self._print("\n")
        self._open = None

    def _styled(self, text: str, style: str) -> str:
        return f"{style}{text}{PLAIN}" if self._colours else text

    def _print(self, text: str) -> None:
        self._output.write(text)
        self._output.flush()


def _save(attachment: Attachment, folder: Path) -> Path:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / Path(attachment.name).name
    path.touch(mode=0o600)
    path.write_bytes(attachment.content or b"")
    return path
