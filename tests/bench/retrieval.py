"""How often the right passage comes first, beside plain FTS5 and bm25s, and how fast.

python tests/bench/retrieval.py [folder of the yardsticks]

The yardsticks are not part of the project: see the folder's README for what they hold.
"""

import asyncio
import json
import re
import sqlite3
import statistics
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any, Final

import numpy as np

from plugins.rag.config import RagConfig
from plugins.rag.rag import Rag

DATA: Final = Path(__file__).parents[3] / "shared" / "data"
SETS: Final[Mapping[str, tuple[str, str]]] = {
    "SQuAD 2.0 en": ("squad2/en", "squad2/en"),
    "XQuAD en": ("xquad-half/en", "xquad-half/en"),
    "XQuAD es": ("xquad-half/es", "xquad-half/es"),
    "XQuAD zh": ("xquad-half/zh", "xquad-half/zh"),
    "DRCD zh-hant": ("drcd/zh-hant", "drcd/zh-hant"),
}
PAIRS: Final = [(a, b) for a in ("en", "es", "zh") for b in ("en", "es", "zh") if a != b]
BEST: Final = 3
WORD: Final = re.compile(r"\w+")

Row = dict[str, Any]
Find = Callable[[str], Awaitable[Sequence[str]]]


def rows(folder: Path, name: str) -> list[Row]:
    with (folder / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def ours(passages: Sequence[Row], **options: Any) -> Rag:
    """Return an index in memory with each passage as a document of one chunk."""
    documents = [
        {"id": p["id"], "text": f"# {p['title']}\n\n{p['text']}", "source": p["id"]}
        for p in passages
    ]
    block = {"documents": documents, "chunk_size": 5000, "chunk_overlap": 0, **options}
    return Rag(RagConfig.model_validate(block))


def finder(rag: Rag) -> Find:
    async def find(question: str) -> Sequence[str]:
        return [hit.source for hit in await rag.retrieve(question, top_k=BEST)]

    return find


def plain_fts5(passages: Sequence[Row]) -> Find:
    """SQLite's own tokenizer (trigrams for Chinese) and ranking."""
    chinese = passages[0]["lang"].startswith("zh")
    database = sqlite3.connect(":memory:")
    kind = "trigram" if chinese else "porter unicode61 remove_diacritics 2"
    database.execute(f"CREATE VIRTUAL TABLE p USING fts5 (id UNINDEXED, t, b, tokenize='{kind}')")
    database.executemany(
        "INSERT INTO p VALUES (?, ?, ?)", [(p["id"], p["title"], p["text"]) for p in passages]
    )

    async def find(question: str) -> Sequence[str]:
        words = [question[n : n + 3] for n in range(len(question) - 2)] if chinese else []
        words = words or WORD.findall(question)
        query = " OR ".join('"' + word.replace('"', "") + '"' for word in words)
        found = database.execute(
            "SELECT id FROM p WHERE p MATCH ? ORDER BY bm25(p, 0, 5, 1) LIMIT ?", (query, BEST)
        )
        return [row[0] for row in found]

    return find


def bm25s_peer(passages: Sequence[Row]) -> Find | None:
    """Return the library bm25s with its English stop words and a Snowball stemmer, if there is."""
    try:
        import bm25s  # type: ignore[import-not-found, import-untyped, unused-ignore]  # noqa: PLC0415 - a peer that need not be installed
        import snowballstemmer  # type: ignore[import-untyped]  # noqa: PLC0415
    except ImportError:
        return None
    language = passages[0]["lang"][:2]
    names = {"en": "english", "es": "spanish"}
    stemmer = snowballstemmer.stemmer(names[language]) if language in names else None
    options: dict[str, Any] = {"show_progress": False, "stopwords": language if stemmer else None}
    if stemmer is None:
        options["token_pattern"] = r"(?u)\w"
    else:
        options["stemmer"] = stemmer.stemWords
    index = bm25s.BM25()
    texts = [f"{p['title']} {p['text']}" for p in passages]
    index.index(bm25s.tokenize(texts, **options), show_progress=False)

    async def find(question: str) -> Sequence[str]:
        tokens = bm25s.tokenize([question], **options)
        found, _ = index.retrieve(tokens, k=BEST, show_progress=False)
        return [passages[place]["id"] for place in found[0]]

    return find


async def recall(find: Find, questions: Sequence[Row]) -> tuple[float, float, float]:
    """Return R@1 and R@3 in percent, and the median time of a question in milliseconds."""
    first = among = 0
    times = []
    for question in questions:
        start = perf_counter()
        found = await find(question["text"])
        times.append(perf_counter() - start)
        first += bool(found) and found[0] in question["gold"]
        among += any(one in question["gold"] for one in found)
    count = len(questions) / 100
    return first / count, among / count, statistics.median(times) * 1000


async def one_language(folder: Path) -> None:
    print(f"{'R@1 / R@3 in percent':16}{'FTS5':>14}{'bm25s':>14}{'ours':>14}{'ms':>8}{'FTS5':>8}")
    for label, (passages_name, questions_name) in SETS.items():
        passages = rows(folder, f"{passages_name}.passages")
        questions = rows(folder, f"{questions_name}.queries")
        questions = [question for question in questions if question.get("answerable", True)]
        rag = ours(passages)
        await rag.warmup()
        plain = await recall(plain_fts5(passages), questions)
        peer = bm25s_peer(passages)
        other = await recall(peer, questions) if peer else None
        mine = await recall(finder(rag), questions)
        await rag.close()
        cells = [f"{r[0]:.1f} / {r[1]:.1f}" if r else "-" for r in (plain, other, mine)]
        print(f"{label:16}{''.join(f'{c:>14}' for c in cells)}{mine[2]:8.2f}{plain[2]:8.2f}")


async def across_languages(folder: Path) -> None:
    print(f"\n{'R@1 across':16}{'bm25':>8}{'vector':>8}{'hybrid':>8}{'to better':>11}")
    for asked, held in PAIRS:
        passages = rows(folder, f"xquad-half/{held}.passages")
        questions = rows(folder, f"xquad-half/{asked}.queries")
        legs = []
        for mode in ("bm25", "vector", "hybrid"):
            rag = ours(passages, mode=mode)
            legs.append((await recall(finder(rag), questions))[0])
            await rag.close()
        print(
            f"{f'{asked} asks {held}':16}{''.join(f'{leg:8.1f}' for leg in legs)}"
            f"{legs[2] - max(legs[:2]):+11.1f}"
        )


async def abstention(folder: Path) -> None:
    """Print how much that has no answer passes where 95 % of what has one is kept."""
    rag = ours(rows(folder, "squad2/en.passages"))
    top: dict[bool, list[float]] = {True: [], False: []}
    for question in rows(folder, "squad2/en.queries"):
        found = await rag.retrieve(question["text"], top_k=1)
        top[question["answerable"]].append(found[0].confidence if found else 0.0)
    foreign = ours(rows(folder, "squad2/en.passages"))
    strangers = []
    for question in rows(folder, "xquad-half/en.queries"):
        found = await foreign.retrieve(question["text"], top_k=1)
        strangers.append(found[0].confidence if found else 0.0)
    await rag.close()
    await foreign.close()
    least = float(np.quantile(top[True], 0.05))
    print(f"\nlet through at a confidence of {least:.2f}, which keeps 95 % of the answerable:")
    for label, found_ in (
        ("SQuAD's unanswerable, of the same passages", top[False]),
        ("questions about other documents (XQuAD)", strangers),
    ):
        print(f"{label:44}{100 * float(np.mean(np.array(found_) >= least)):6.1f} %")


async def speed(folder: Path) -> None:
    """Print the times of a question among ten thousand chunks, beside FTS5's own."""
    passages = [
        {**p, "id": f"{p['id']}-{n}", "text": f"{n} {p['text']}"}
        for n in range(9)
        for p in rows(folder, "squad2/en.passages")
    ]
    questions = [q["text"] for q in rows(folder, "squad2/en.queries")[:600]]
    rag = ours(passages)
    start = perf_counter()
    await rag.warmup()
    built = perf_counter() - start
    print(f"\n{len(passages)} chunks, {len(passages) / built:.0f} a second to take in")
    for label, find in (("plain FTS5", plain_fts5(passages)), ("ours", finder(rag))):
        times = []
        for question in questions:
            start = perf_counter()
            await find(question)
            times.append((perf_counter() - start) * 1000)
        half, most = np.quantile(times, [0.5, 0.99])
        print(f"{label:16} p50 {half:7.2f} ms   p99 {most:7.2f} ms")
    await rag.close()


async def main(folder: Path) -> None:
    await one_language(folder)
    await across_languages(folder)
    await abstention(folder)
    await speed(folder)


if __name__ == "__main__":
    place = Path(sys.argv[1]) if len(sys.argv) > 1 else DATA
    if not place.is_dir():
        sys.exit(f"there are no yardsticks in {place}; name their folder")
    asyncio.run(main(place))
