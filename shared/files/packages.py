"""Opens zip archives (docx, xlsx, pptx, ods) within limits, and reads XML as a stream without entities.

Source: ECMA-376 part 2, "Open Packaging Conventions": a package holds no XML with a document type, which therefore is a bomb or damage.
[MS-OFFCRYPTO] 2.3.4.4: a protected Office file is a compound file with a stream `EncryptedPackage`.
"""

import io
import lzma
import zipfile
import zlib
from collections.abc import Mapping
from typing import Final, Protocol
from xml.parsers import expat

from shared.files.document import Unread, UnreadableFileError

MOST_BYTES: Final = 200_000_000
"""Bytes of all files in an archive, once expanded."""
MOST_ENTRIES: Final = 5_000
MOST_XML_BYTES: Final = 100_000_000
"""Bytes of a single XML file."""
MOST_DEPTH: Final = 500
_PIECE_BYTES: Final = 64 * 1024
_COMPOUND_FILE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ENCRYPTED: Final = "EncryptedPackage".encode("utf-16-le")
_IS_ENCRYPTED: Final = 0x1
_DAMAGE: Final = (
    *(expat.ExpatError, zipfile.BadZipFile, zlib.error, lzma.LZMAError),
    *(EOFError, NotImplementedError, OSError, RuntimeError, ValueError),
)
"""Errors of `zipfile` and `expat` for damaged bytes."""
_MANIFEST: Final = "META-INF/manifest.xml"
_MANIFEST_BYTES: Final = 1_000_000


class XmlHandler(Protocol):
    """Receives the elements of an XML file during the reading; names have no namespace."""

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        ...

    def end(self, name: str) -> None:
        """An element ends."""
        ...

    def text(self, characters: str) -> None:
        """Some of the characters of an element."""
        ...


def is_compound_file(data: bytes) -> bool:
    """Whether the file is a compound file, as xls, doc and protected Office files are."""
    return data.startswith(_COMPOUND_FILE)


def is_protected_package(data: bytes) -> bool:
    """Whether the file is an Office file behind a password."""
    return is_compound_file(data) and _ENCRYPTED in data


def open_package(data: bytes) -> zipfile.ZipFile:
    """Return the archive.  Raises: UnreadableFileError, if the file is protected, damaged, or expands beyond the limits."""
    if is_compound_file(data):
        raise UnreadableFileError(Unread.PROTECTED if is_protected_package(data) else Unread.DAMAGED)
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        entries = archive.infolist()
        if len(entries) > MOST_ENTRIES or sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise UnreadableFileError(Unread.TOO_LARGE)
        if any(entry.flag_bits & _IS_ENCRYPTED for entry in entries) or _is_encrypted_document(archive):
            raise UnreadableFileError(Unread.PROTECTED)
    except _DAMAGE as cause:
        raise UnreadableFileError(Unread.DAMAGED) from cause
    return archive


def _is_encrypted_document(archive: zipfile.ZipFile) -> bool:
    """Whether an OpenDocument is encrypted.  Source: OpenDocument 1.3 part 2, 3.4: the manifest says how."""
    if _MANIFEST not in archive.namelist():
        return False
    with _opened(archive, _MANIFEST) as manifest:
        return b"encryption-data" in manifest.read(_MANIFEST_BYTES)


def _opened(archive: zipfile.ZipFile, name: str) -> zipfile.ZipExtFile:
    opened = archive.open(name)
    assert isinstance(opened, zipfile.ZipExtFile)  # noqa: S101 - as it is opened to be read
    return opened


def read_xml(archive: zipfile.ZipFile, name: str, handler: XmlHandler) -> None:
    """Pass the content of an XML file in the archive to the handler: `read_xml(archive, "word/document.xml", FlowingText())`.

    Raises: UnreadableFileError, if the file is missing, damaged, too deep or too large, or has a document type, as bombs do.
    """
    if name not in archive.namelist():
        raise UnreadableFileError(Unread.DAMAGED)
    parser = _parser(handler)
    size_bytes = 0
    try:
        with _opened(archive, name) as file:
            while piece := file.read(_PIECE_BYTES):
                size_bytes += len(piece)
                if size_bytes > MOST_XML_BYTES:
                    raise UnreadableFileError(Unread.TOO_LARGE)
                parser.Parse(piece, False)  # noqa: FBT003 - expat takes no keyword
            parser.Parse(b"", True)  # noqa: FBT003 - likewise
    except _DAMAGE as cause:
        raise UnreadableFileError(Unread.DAMAGED) from cause


def _parser(handler: XmlHandler) -> expat.XMLParserType:
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    depth = 0

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise UnreadableFileError(Unread.DAMAGED)
        # Of two attributes with the same local name, such as `id` and `r:id`, the one with a namespace counts
        ordered = sorted(attributes.items(), key=lambda attribute: " " in attribute[0])
        handler.start(_local(name), {_local(key): value for key, value in ordered})

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1
        handler.end(_local(name))

    def refuse(*_: object) -> None:
        raise UnreadableFileError(Unread.DAMAGED)

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = refuse
    return parser


def _local(name: str) -> str:
    return name.rpartition(" ")[2]


class Attributes:
    """An XmlHandler that collects the attributes of all elements with a given name, in order."""

    def __init__(self, element: str) -> None:
        self.rows: list[Mapping[str, str]] = []
        self._element = element

    def start(self, name: str, attributes: Mapping[str, str]) -> None:
        """Add the attributes, if the element has the name."""
        if name == self._element:
            self.rows.append(attributes)

    def end(self, name: str) -> None:
        """Ignore the end."""

    def text(self, characters: str) -> None:
        """Ignore the text."""
