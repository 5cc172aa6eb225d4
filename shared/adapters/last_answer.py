"""The last answer on a connection, marked by `Connection: close`.

gunicorn drops a `Connection` header of the application, and says `close` only after an order to end the connection.
Source: gunicorn 27, http/wsgi.py (`Response.process_headers`, `default_headers`, `force_close`); PEP 3333 (hop-by-hop headers are the
server's); RFC 9112, section 9.6: a client sends nothing more on a connection whose last answer says `close`.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Response

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class LastAnswer(Response):
    """The last answer of its connection: without the header, a request that the sender sends behind it is lost.

    Example: `LastAnswer("the signature is missing", 401)` is sent with `Connection: close`.
    """

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Order gunicorn, the owner of `start_response`, to end the connection; another server may keep it open."""
        force_close = getattr(getattr(start_response, "__self__", None), "force_close", None)
        if force_close is not None:
            force_close()
        return super().__call__(environ, start_response)
