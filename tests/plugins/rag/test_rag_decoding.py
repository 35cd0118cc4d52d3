"""The same text whatever wrote the file; what is no text fails for that file only."""

from pathlib import Path
from typing import Any

import pytest

from plugins.rag.config import RagConfig
from plugins.rag.decoding import decode
from plugins.rag.rag import Rag

TEXT = (
    "---\ntitle: Café\n---\n# Envíos\n\nEl envío tarda «tres» días. Cuesta 4 €.\n\n## Más\n\nFin.\n"
)


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.encode("utf-8-sig"),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-le"),
        b"\xfe\xff" + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-32"),
        TEXT.encode("cp1252"),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        TEXT.replace("\n", "\r\n").encode("utf-16"),
    ],
    ids=["utf-8", "mark", "16", "16le bare", "16be", "32", "cp1252", "crlf", "cr", "16 crlf"],
)
async def test_one_text_is_one_whatever_its_encoding(tmp_path: Path, data: bytes) -> None:
    assert decode(data) == TEXT
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_bytes(data)
    rag = made(docs)
    hits = await rag.retrieve("¿cuánto tarda el envío?")
    assert hits[0].label == "a.md › Envíos"
    assert "\x00" not in hits[0].text
    assert "title:" not in "".join(hit.text for hit in hits)
    await rag.close()


@pytest.mark.parametrize("data", [b"\x00\x01\x02\x03" * 40, b"GIF89a\x01\x00\x01\x00\x80\x00\x00"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"no text|codec"):
        decode(data)


async def test_a_bad_file_fails_alone_and_is_named(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    for n in range(9):
        (docs / f"good{n}.md").write_text(f"# Good {n}\n\nThe number of this page is {n}{n}{n}.")
    (docs / "bad.md").write_bytes(b"\x00\x01\x02" * 100)
    told: list[Any] = []
    rag = made(docs, told)
    done = await rag.warmup()
    assert (done.changed, len(done.faults)) == (9, 1)
    [fault] = told
    assert fault.code == "LOAD_FAILED"
    assert "bad.md" in str(fault)
    assert (await rag.retrieve("which number is 444"))[0].source == "good4.md"
    await rag.close()


def made(docs: Path, told: list[Any] | None = None) -> Rag:
    config = RagConfig.model_validate({"documents": [str(docs)]})
    return Rag(config, on_error=([] if told is None else told).append)
