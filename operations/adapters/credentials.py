"""Google's credentials of the operator."""

from collections.abc import Iterator
from contextlib import contextmanager

from google.auth.exceptions import GoogleAuthError

from shared.errors import PermanentError


class NoCredentialsError(PermanentError):
    """This machine has no credentials for Google."""


@contextmanager
def found_credentials() -> Iterator[None]:
    """A client is built within, which looks for the credentials.  Raises: NoCredentialsError, if there are none."""
    try:
        yield
    except GoogleAuthError as cause:
        raise NoCredentialsError(
            "there are no credentials for Google; run `gcloud auth application-default login`"
        ) from cause
