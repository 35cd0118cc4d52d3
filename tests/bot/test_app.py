"""The running program: what it imports, how it starts, and how it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

TIMEOUT = 60
JSONL = "platforms:\n  console: {format: jsonl}\n"


def run(
    folder: Path, *arguments: str, program: Sequence[str] = ("-m", "bot"), text: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *program, *arguments],
        input=text,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
        env={**os.environ, "PYTHONPATH": str(folder)},
    )


IMPORTS = """
import sys
from bot.cli import command
code = command(["run"])
print(code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


def test_a_platform_that_is_not_configured_is_not_imported(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text(JSONL + "plugins:\n  core: {}\n  ai: {}\n")
    done = run(tmp_path, program=("-c", IMPORTS))
    code, *modules = done.stderr.splitlines()[-1].split()
    assert code == "0"
    assert "bot" in modules
    assert not {"telegram", "discord", "aiohttp", "telegramify_markdown"} & set(modules)


def test_without_a_configuration_it_is_a_demonstration_that_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    done = run(tmp_path, "run", text="how long does shipping take?\nwho won the world cup?\n")
    assert done.returncode == 0
    [demonstration] = [line for line in done.stderr.splitlines() if "demonstration" in line]
    assert "tertulia init" in demonstration
    assert "Sources: [1] faq.md › Shipping" in done.stdout
    assert "I don't know" in done.stdout
    assert "\x1b" not in done.stdout, "no colours where nobody looks"
    assert list(tmp_path.iterdir()) == []


FAILING = """
from contextlib import asynccontextmanager
from bot.api import Plugin

@asynccontextmanager
async def setup(services):
    raise OSError("no such device")
    yield

plugin = Plugin("failing", "Never starts.", setup=setup)
"""


def test_a_plugin_that_cannot_be_set_up_stops_the_start_with_its_name_and_cause(
    tmp_path: Path,
) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    (tmp_path / "bot.yaml").write_text(JSONL + "plugins:\n  failing: {module: failing}\n")
    done = run(tmp_path, "run")  # B27: it ends, though the store was open
    assert done.returncode == 1
    last = done.stderr.splitlines()[-1]
    assert "'failing'" in last
    assert "no such device" in last


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order(tmp_path: Path, number: signal.Signals) -> None:
    (tmp_path / "bot.yaml").write_text(JSONL + "plugins: {core: {}}\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "bot", "run"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write('{"chat":"c","kind":"private","sender":"ana","text":"/ping"}\n')
    process.stdin.flush()
    process.stdout.readline()
    process.send_signal(number)
    assert process.wait(TIMEOUT) == 0
    assert not list((tmp_path / "data").glob("*-wal")), "the store was closed"
    process.communicate()


def test_a_second_one_on_the_same_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.yaml").write_text(JSONL + "plugins: {core: {}}\n")
    first = subprocess.Popen(
        [sys.executable, "-m", "bot", "run"],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write('{"chat":"c","kind":"private","sender":"ana","text":"/ping"}\n')
    first.stdin.flush()
    first.stdout.readline()
    second = run(tmp_path, "run")
    first.communicate(timeout=TIMEOUT)
    assert second.returncode == 1
    assert "another bot is running" in second.stderr
    assert first.returncode == 0
