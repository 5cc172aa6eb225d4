"""PDFs behind a password, written by qpdf 12 (pikepdf 10.18) and pypdf 7.1, in every revision of the standard security handler.

The files with `user` in their names need a password; those with `owner` open without one, and only forbid printing.
"""

import random
from pathlib import Path
from typing import Final

import pytest

from shared.files.pdf_password import needs_password

FILES: Final = sorted((Path(__file__).parent / "pdfs").iterdir())
PROTECTED: Final = (Path(__file__).parent / "pdfs" / "qpdf-r6-user.pdf").read_bytes()
LITERAL: Final = (Path(__file__).parent / "pdfs" / "pypdf-rc4-40-user.pdf").read_bytes()


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_only_a_pdf_that_no_reader_opens_alone_needs_a_password(path: Path) -> None:
    assert needs_password(path.read_bytes()) is ("user" in path.stem)


def test_every_revision_and_both_forms_of_a_trailer_are_among_the_files() -> None:
    written = b"".join(path.read_bytes() for path in FILES)

    assert len(FILES) == 23
    assert [revision for revision in range(10) if b"/R %d" % revision in written] == [2, 3, 4, 5, 6]
    assert b"trailer" in written
    assert b"/XRef" in written


@pytest.mark.parametrize(
    ("data", "is_protected"),
    [
        (b"", False),
        (b"%PDF-1.7 /Encrypt 5 0 R", False),
        (b"%PDF-1.7 5 0 obj << /Filter /Standard /R 6 >> /Encrypt 5 0 R", False),
        (b"%PDF-1.7 5 0 obj << /Filter /Adobe.PubSec >> endobj trailer << /Encrypt 5 0 R >>", True),
        (b"%PDF-1.7 trailer << /Encrypt << /Filter /Adobe.PubSec >> >>", True),
        (b"%PDF-1.7 5 0 obj << /CF << /Filter /Adobe.PubSec >> >> endobj trailer << /Encrypt 5 0 R >>", False),
    ],
)
def test_a_trailer_leads_to_the_handler(data: bytes, is_protected: bool) -> None:
    assert needs_password(data) is is_protected


def test_a_string_with_escapes_is_read_as_its_bytes() -> None:
    """`U` in octal escapes, a bracket and a line break among them, is the same string."""
    begin, end = LITERAL.index(b"/U <") + 4, LITERAL.index(b">", LITERAL.index(b"/U <"))
    octal = b"".join(b"\\%03o" % byte for byte in bytes.fromhex(LITERAL[begin:end].decode()))
    opened = (Path(__file__).parent / "pdfs" / "pypdf-rc4-40-owner.pdf").read_bytes()
    own_begin, own_end = opened.index(b"/U <") + 4, opened.index(b">", opened.index(b"/U <"))
    own = b"".join(b"\\%03o" % byte for byte in bytes.fromhex(opened[own_begin:own_end].decode()))

    assert needs_password(LITERAL[: begin - 1] + b"(" + octal + b")" + LITERAL[end + 1 :])
    assert not needs_password(opened[: own_begin - 1] + b"(" + own + b")" + opened[own_end + 1 :])


def test_damaged_bytes_raise_nothing() -> None:
    rng = random.Random(1)
    for path in FILES:
        for _ in range(20):
            damaged = bytearray(path.read_bytes())
            for _ in range(rng.randint(1, 20)):
                damaged[rng.randrange(len(damaged))] = rng.randrange(256)
            assert needs_password(bytes(damaged)) in {True, False}


def test_a_pdf_of_nothing_but_trailers_is_looked_at_a_few_times() -> None:
    """Ten megabytes, each trailer followed by a string without an end."""
    assert not needs_password(b"%PDF" + b"/Encrypt 5 0 R 5 0 obj <<((" * 350_000 + PROTECTED[:1])
