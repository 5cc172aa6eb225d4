"""Google's credentials of the operator."""

from collections.abc import Iterator
from contextlib import contextmanager

from google.auth.exceptions import GoogleAuthError

from shared.errors import PermanentError


class NoCredentialsError(PermanentError):
    """This machine has no credentials for Google."""


@contextmanager
def google_credentials() -> Iterator[None]:
    """Guard the construction of a Google client.  Raises: NoCredentialsError, if the client finds no credentials."""
    try:
        yield
    except GoogleAuthError as cause:
        raise NoCredentialsError(
            "there are no credentials for Google; run `gcloud auth application-default login`"
        ) from cause
