"""The texts of docx and pptx files: pages with tables, slides with notes.

Source: ECMA-376 part 1, 11.3 (parts of a document) and 13.3 (parts of a presentation); part 2, 9.3 (relationships).
"""

import posixpath
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Final

from shared.files.document import Document, Section, UnreadableFileError, bounded, parts_of
from shared.files.flowing_text import FlowingText
from shared.files.numbering import Numbering
from shared.files.packages import Attributes, open_package, read_xml

_DOCUMENT: Final = "word/document.xml"
_NOTES: Final = ("footnotes", "endnotes", "comments")
_PRESENTATION: Final = "ppt/presentation.xml"
_MOST_SLIDES: Final = 1_000


def read_docx(data: bytes) -> Document:
    """Return the pages of a document, then footnotes and comments.  A document without marks of pages is divided into parts.

    Raises: UnreadableFileError.
    """
    with open_package(data) as archive:
        main = _main_part(archive, _DOCUMENT)
        parts = {kind.rpartition("/")[2]: name for kind, name in _targets(archive, main).values()}
        pages = _texts_in(archive, main, _numbering_in(archive, parts))
        names = [parts.get(kind, f"word/{kind}.xml") for kind in _NOTES]
        notes = [text for name in names if name in archive.namelist() for text in _texts_in(archive, name)]
    body = (
        tuple(Section(kind="page", number=number, text=text) for number, text in enumerate(pages, start=1))
        if len(pages) > 1
        else parts_of(pages[0])
    )
    noted = "\n".join(filter(None, notes))
    if noted:
        body = (*body, Section(kind=body[-1].kind if body else "part", number=len(body) + 1, text=noted, title="notes"))
    return bounded(body)


def read_pptx(data: bytes) -> Document:
    """Return the slides of a presentation in order, each with its notes.  Raises: UnreadableFileError."""
    with open_package(data) as archive:
        slides = [_slide_text(archive, name) for name in _slides(archive)]
    return bounded([Section(kind="slide", number=number, text=text) for number, text in enumerate(slides, start=1)])


def _numbering_in(archive: zipfile.ZipFile, parts: Mapping[str, str]) -> Numbering:
    """Return the numbers of lists and styles, as far as the document has any that can be read."""
    numbering = Numbering()
    for kind in ("styles", "numbering"):
        with suppress(UnreadableFileError):
            read_xml(archive, parts.get(kind, f"word/{kind}.xml"), numbering)
    return numbering


def _texts_in(archive: zipfile.ZipFile, name: str, numbering: Numbering | None = None) -> tuple[str, ...]:
    flow = FlowingText(numbering)
    read_xml(archive, name, flow)
    return flow.texts


def _slides(archive: zipfile.ZipFile) -> Iterator[str]:
    """Yield the names of the slides' files in order of presentation, for example `ppt/slides/slide1.xml`."""
    shown = Attributes("sldId")
    main = _main_part(archive, _PRESENTATION)
    read_xml(archive, main, shown)
    targets = _targets(archive, main)
    for attributes in shown.rows[:_MOST_SLIDES]:
        if (target := targets.get(attributes.get("id", ""))) is not None:
            yield target[1]


def _slide_text(archive: zipfile.ZipFile, name: str) -> str:
    texts = list(_texts_in(archive, name))
    for kind, target in _targets(archive, name).values():
        if kind.endswith("/notesSlide") and target in archive.namelist():
            noted = "\n".join(_texts_in(archive, target))
            texts += [f"(notes) {noted}"] if noted.strip() else []
    return "\n".join(texts)


def _main_part(archive: zipfile.ZipFile, usual: str) -> str:
    """Return the name of the file with the body: some programs write `word/document2.xml`, and say so in the package's own listing."""
    folder = usual.rpartition("/")[0]
    named = (name for kind, name in _targets(archive, "").values() if kind.endswith("/officeDocument"))
    return next((name for name in named if name.startswith(f"{folder}/")), usual)


def _targets(archive: zipfile.ZipFile, name: str) -> Mapping[str, tuple[str, str]]:
    """Return the kinds and names of the files to which a file of the archive refers, by relationship id; of the archive itself for ""."""
    folder, _, base = name.rpartition("/")
    listing = posixpath.join(folder, "_rels", f"{base}.rels")
    if listing not in archive.namelist():
        return {}
    relationships = Attributes("Relationship")
    read_xml(archive, listing, relationships)
    return {
        relationship.get("Id", ""): (
            relationship.get("Type", ""),
            posixpath.normpath(posixpath.join("/", folder, relationship.get("Target", ""))).lstrip("/"),
        )
        for relationship in relationships.rows
    }
