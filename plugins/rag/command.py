"""``tertulia rag``: the index from the command line."""

import asyncio
import json
import sys
from argparse import ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, TypeVar

from bot.api import PluginError
from plugins.rag.asking import ask
from plugins.rag.config import RagConfig
from plugins.rag.evaluating import evaluate, read
from plugins.rag.ingest import Ingested
from plugins.rag.rag import Rag
from plugins.rag.search import Hit

MODELS: Final = "tertulia.models"
"""Entry points of what makes a model of a plugin's configuration, for `Complete`."""

Load = Callable[[str], tuple[Any, Path]]
Result = TypeVar("Result")


def register(subparsers: "_SubParsersAction[ArgumentParser]", load: Load) -> None:
    """Add the command ``rag``; ``load`` finds the plugin's configuration and data folder."""
    parser = subparsers.add_parser("rag", help="the index of your documents")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _action(actions, "index", _index, load, "take in what changed in the documents")
    search = _action(actions, "search", _search, load, "show the passages for a question")
    search.add_argument("query", nargs="+", help="the question")
    search.add_argument("--mode", choices=("bm25", "vector", "hybrid"))
    search.add_argument("--match", choices=("any", "all", "phrase"))
    search.add_argument("--limit", type=int, default=None, help="how many passages")
    search.add_argument(
        "--audience", action="append", default=[], help="a scope that asks, like person:telegram:5"
    )
    ingest = _action(actions, "ingest", _ingest, load, "add files and folders as they are now")
    ingest.add_argument("path", nargs="+", help="a file, a folder or a glob")
    ingest.add_argument("--title", default="", help="what the documents are about")
    remove = _action(actions, "remove", _remove, load, "remove a document that was added")
    remove.add_argument("id", help="its id, as `rag status` shows it")
    evaluation = _action(actions, "eval", _eval, load, "measure how well passages are found")
    evaluation.add_argument("file", type=Path, help="JSON lines with question, and source or text")
    asking = _action(actions, "ask", _ask, load, "answer a question from the documents, or not")
    asking.add_argument("question", nargs="+", help="the question")
    asking.set_defaults(load=load)
    _action(actions, "status", _status, load, "show what the index holds")


def _action(
    actions: "_SubParsersAction[ArgumentParser]",
    name: str,
    work: Callable[[Rag, Namespace], Awaitable[int]],
    load: Load,
    summary: str,
) -> ArgumentParser:
    parser = actions.add_parser(name, help=summary)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.set_defaults(run=lambda options: _run(work, load, options))
    return parser


def _run(work: Callable[[Rag, Namespace], Awaitable[int]], load: Load, options: Namespace) -> int:
    config, folder = load("rag")
    return asyncio.run(_with_rag(work, config, folder, options))


async def _with_rag(
    work: Callable[[Rag, Namespace], Awaitable[int]],
    config: RagConfig,
    folder: Path,
    options: Namespace,
) -> int:
    def made() -> Path:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return folder

    rag = Rag(config, made, on_error=lambda error: print(error, file=sys.stderr))
    try:
        return await work(rag, options)
    finally:
        await rag.close()


async def _index(rag: Rag, options: Namespace) -> int:
    done = await rag.warmup()
    await rag.settled()
    if options.json:
        _print_json(_report(done))
    else:
        print(
            f"{done.changed} documents read, {done.unchanged} unchanged, {done.removed} removed;"
            f" {done.embedded} passages embedded"
        )
        for note in done.notes:
            print(note, file=sys.stderr)
    return 1 if done.faults else 0


async def _ingest(rag: Rag, options: Namespace) -> int:
    done = await rag.add_files(options.path, title=options.title)
    if options.json:
        _print_json(_report(done))
    else:
        print(f"{done.changed} documents read; {done.embedded} passages embedded")
        for line in [*done.notes, *map(str, done.faults)]:
            print(line, file=sys.stderr)
    return 1 if done.faults else 0


async def _remove(rag: Rag, options: Namespace) -> int:
    if options.id.startswith(("file:", "inline:")):
        message = (
            f"{options.id} is named in the configuration; take it out of plugins.rag.documents"
        )
        print(message, file=sys.stderr)
        return 1
    removed = await rag.remove_document(options.id)
    if options.json:
        _print_json({"removed": removed})
    elif removed:
        print(f"removed {options.id}")
    else:
        known = "\n".join(await rag.documents())
        print(f"there is no document {options.id}; there are:\n{known}", file=sys.stderr)
    return 0 if removed else 1


async def _ask(rag: Rag, options: Namespace) -> int:
    points = entry_points(group=MODELS)
    if not points:
        raise PluginError("no installed plugin offers a model")
    point = next(iter(points))
    config, _ = options.load(point.name)
    async with point.load()(config) as complete:
        found = await ask(rag, " ".join(options.question), complete)
    if options.json:
        _print_json(asdict(found))
    elif found.insufficient_evidence:
        print("The documents hold no answer to that (insufficient evidence).")
    else:
        print(found.answer)
        for hit in found.sources:
            print(f"  · {hit.citation}")
    return 1 if found.insufficient_evidence else 0


async def _eval(rag: Rag, options: Namespace) -> int:
    found = await evaluate(rag, read(options.file))
    if options.json:
        _print_json(asdict(found))
        return 0
    print(f"{found.questions} questions")
    for name, share in (("first", found.first), ("first 3", found.three), ("first 10", found.ten)):
        print(f"answered by the {name:<9} {share * 100:6.1f} %")
    print(f"mean reciprocal rank  {found.mrr:8.3f}")
    for question in found.missed:
        print(f"missed: {question}")
    return 0


async def _search(rag: Rag, options: Namespace) -> int:
    hits = await rag.retrieve(
        " ".join(options.query),
        top_k=options.limit,
        mode=options.mode,
        match=options.match,
        audience=options.audience,
    )
    if options.json:
        _print_json([asdict(hit) for hit in hits])
    else:
        _print_hits(hits)
    return 0 if hits else 1


async def _status(rag: Rag, options: Namespace) -> int:
    status = asdict(await rag.status())
    status["file"] = None if status["file"] is None else str(status["file"])
    ids = await rag.documents()
    if options.json:
        _print_json({**status, "ids": ids})
    else:
        width = max(map(len, status))
        for name, value in status.items():
            print(f"{name:<{width}}  {value}")
        for known in ids:
            print(f"  {known}")
    return 0


def _print_hits(hits: Sequence[Hit]) -> None:
    for number, hit in enumerate(hits, 1):
        print(f"{number}. {hit.label}  (confidence {hit.confidence:.2f}, score {hit.score:.2f})")
        print("   " + " ".join(hit.text.split())[:300])


def _report(done: Ingested) -> dict[str, Any]:
    faults = [{"code": fault.code, "error": str(fault)} for fault in done.faults]
    return {**asdict(done), "faults": faults}


def _print_json(value: object) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))
