"""Forms in the body of a request, by the parser that the web framework brings along: urlencoded and multipart.

Source: RFC 7578; Werkzeug, "Form Data Parsing".
"""

import io
from collections.abc import Mapping
from typing import Final

from werkzeug.datastructures import FileStorage
from werkzeug.exceptions import HTTPException
from werkzeug.formparser import FormDataParser
from werkzeug.http import parse_options_header

_MOST_PARTS: Final = 100


def form_in(body: bytes, content_type: str) -> Mapping[str, str]:
    """Return the first value of each field; of an uploaded file its name, or "file" without one, and never its bytes.

    Example: `form_in(b"message=hello", "application/x-www-form-urlencoded")` is `{"message": "hello"}`.
    Raises: ValueError, for a body that is no form of this type, or has too many parts.
    """
    mimetype, options = parse_options_header(content_type)
    parser = FormDataParser(max_form_memory_size=len(body), max_form_parts=_MOST_PARTS, silent=False)
    try:
        _, fields, files = parser.parse(io.BytesIO(body), mimetype, len(body), options)
    except HTTPException as cause:
        raise ValueError("the form is too large") from cause
    return {**{name: _name_of(file) for name, file in files.items()}, **dict(fields.items())}


def _name_of(file: FileStorage) -> str:
    with file.stream:
        return file.filename or "file"
