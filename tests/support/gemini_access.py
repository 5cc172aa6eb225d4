"""Gemini's stand-in on a port of its own, with the settings of a client by API key or on Vertex AI."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from google.oauth2.credentials import Credentials

from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret
from simulator.gemini.app import GeminiStandIn
from tests.support.serving import served


@contextmanager
def served_gemini_stand_in(*, on_vertex: bool) -> Iterator[tuple[GeminiStandIn, GeminiSettings]]:
    """Serve a new stand-in inside the block; return it with a client's settings."""
    stand_in = GeminiStandIn(api_key="right")
    with served(stand_in.app) as running, pytest.MonkeyPatch.context() as environment:
        # In place of the credentials from the metadata server of a Google machine
        credentials = Credentials(token="t")  # type: ignore[no-untyped-call]
        environment.setattr("google.auth.default", lambda **_: (credentials, "p"))
        yield (
            stand_in,
            GeminiSettings(
                api_key=None if on_vertex else FixedSecret("right"),
                project_id="p",
                location="global" if on_vertex else None,
                base_url=running.url,
                model="gemini-3.5-flash-lite",
                thinking_level="low",
            ),
        )
