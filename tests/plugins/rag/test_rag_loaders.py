"""Files of each format to passages, and what is said of those that cannot be read."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import docx
import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from plugins.rag.config import RagConfig
from plugins.rag.documents import Origin, Source
from plugins.rag.errors import Code, RagError
from plugins.rag.loaders import LOADERS, load
from plugins.rag.rag import Rag


def read(name: str, data: bytes) -> Any:
    return load(Source(Origin.FILE, name, Path(name)), data)


def parts(name: str, data: bytes | str) -> list[tuple[str, str]]:
    found = read(name, data.encode() if isinstance(data, str) else data)
    return [(part.heading, found.text[part.start : part.end]) for part in found.sections]


def pdf(*pages: str) -> bytes:
    """Return a PDF with one line of text a page, an empty one for ""."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {count} /Kids [{kids}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    return (
        out
        + f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF".encode()
    )


def test_each_element_of_an_array_is_a_passage() -> None:
    rows = [
        {"question": "How long?", "answer": "3 days", "tags": ["a", "b"], "none": None},
        {"id": 7, "nested": {"deep": True}},
        "bare",
    ]
    assert parts("faq.json", json.dumps(rows)) == [
        ("How long?", "question: How long?\nanswer: 3 days\ntags: a\ntags: b"),
        ("7", "id: 7\nnested.deep: True"),
        ("#3", "bare"),
    ]
    assert parts("one.json", '\ufeff{"name": "x", "n": 1}') == [("x", "name: x\nn: 1")]


def test_each_line_is_a_passage_and_a_faulty_one_is_noted() -> None:
    found = read("a.jsonl", b'{"title": "A", "b": 1}\n\nnot json\n{"title": "C"}\n')
    assert [part.heading for part in found.sections] == ["A", "C"]
    assert found.notes == ("line 3 is no JSON",)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_each_row_is_a_passage(separator: str) -> None:
    rows = [["name", "price"], ["Chair", "12.50"], ["Table, round", "80"]]
    quoted = [[f'"{cell}"' if separator in cell else cell for cell in row] for row in rows]
    text = "\n".join(separator.join(row) for row in quoted)
    assert parts("goods.csv", text) == [
        ("Chair", "name: Chair\nprice: 12.50"),
        ("Table, round", "name: Table, round\nprice: 80"),
    ]


PAGE = """<!doctype html><html><head><title>Shop &amp; more</title><style>p{}</style></head>
<body><nav>Home</nav><h1>Help</h1><p>Welcome<br>all.</p><script>alert("x")</script>
<h2>Shipping</h2><ul><li>3   days</li><li>5 days</li></ul><h2>Returns</h2><p>30 <b>days</b></p>
</body></html>"""


def test_a_page_is_what_a_reader_sees() -> None:
    assert parts("a.html", PAGE) == [
        ("Help", "Welcome\nall."),
        ("Shipping", "3 days\n5 days"),
        ("Returns", "30 days"),
    ]
    assert read("a.html", PAGE.encode()).metadata == {"title": "Shop & more"}


def test_a_page_of_a_pdf_is_in_the_citation() -> None:
    found = parts("a.pdf", pdf("Shipping takes 3 days", "Returns within 30 days"))
    assert [heading for heading, _ in found] == ["p. 1", "p. 2"]
    assert "3 days" in found[0][1]


def test_pages_without_text_are_noted_and_a_pdf_without_any_is_a_fault() -> None:
    found = read("a.pdf", pdf("one", "", "", "four"))
    assert [part.heading for part in found.sections] == ["p. 1", "p. 4"]
    assert found.notes == ("no text layer on page 2, 3",)
    with pytest.raises(RagError, match="no text layer") as error:
        read("scan.pdf", pdf("", ""))
    assert error.value.code is Code.LOAD_FAILED
    assert "scan.pdf" in str(error.value)


def test_an_encrypted_pdf_is_a_fault_of_its_own() -> None:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf("secret")))
    writer.encrypt("password")
    content = io.BytesIO()
    writer.write(content)
    with pytest.raises(RagError, match="encrypted"):
        read("a.pdf", content.getvalue())


def test_a_word_document_has_sections_and_rows() -> None:
    made = docx.Document()
    made.core_properties.title = "Manual"
    made.add_heading("Care", 1)
    made.add_paragraph("Wash it cold.")
    made.add_heading("Drying", 2)
    table = made.add_table(1, 2)
    table.rows[0].cells[0].text = "Shade"
    table.rows[0].cells[1].text = "yes"
    content = io.BytesIO()
    made.save(content)
    assert parts("a.docx", content.getvalue()) == [
        ("Care", "Wash it cold."),
        ("Care › Drying", "Shade | yes"),
    ]
    assert read("a.docx", content.getvalue()).metadata == {"title": "Manual"}


def test_an_archive_that_is_a_bomb_is_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("plugins.rag.loaders.docx.MOST_BYTES", 1000)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", "x" * 5000)
    with pytest.raises(RagError, match="unpacks"):
        read("a.docx", content.getvalue())


@pytest.mark.parametrize("name", sorted(LOADERS))
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_whatever_is_in_a_file_is_a_document_or_a_clear_fault(name: str, data: bytes) -> None:
    try:
        found = read(f"a{name}", data)
    except RagError as error:
        assert f"a{name}" in str(error)
    else:
        assert all(
            found.text[part.start : part.end] for part in found.sections if part.end > part.start
        )


@pytest.mark.parametrize("depth", [60, 100_000])
def test_what_is_nested_without_end_is_a_fault(depth: int) -> None:
    with pytest.raises(RagError, match="nested"):
        read("a.json", ("[" * depth + "]" * depth).encode())


async def test_all_formats_are_found_in_one_folder_and_cited(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"title": "Colours", "text": "The chair comes in green."}]')
    (tmp_path / "b.pdf").write_bytes(pdf("The table weighs 40 kilos"))
    (tmp_path / "c.html").write_text("<h2>Hours</h2><p>We open at nine.</p>")
    (tmp_path / "d.csv").write_text("name,price\nLamp,15 euros\n")
    (tmp_path / "e.pdf").write_bytes(b"%PDF-broken")
    told: list[RagError] = []
    rag = Rag(RagConfig.model_validate({"documents": [str(tmp_path)]}), on_error=told.append)
    questions = {
        "which colour is the chair": "a.json › Colours",
        "how heavy is the table": "b.pdf › p. 1",
        "when do you open": "c.html › Hours",
        "price of the lamp": "d.csv › Lamp",
    }
    for question, label in questions.items():
        assert (await rag.retrieve(question))[0].label == label
    [fault] = told
    assert "e.pdf" in str(fault)
    await rag.close()
