"""How long things last, in seconds.  That those of the product keep their order: tests/unit/shared/test_times.py."""

from typing import Final

LEASE_S: Final = 25.0
"""How long a turn is its holder's, by the holder's wall clock; renewed while the model thinks."""

SHORTEST_LEASE_S: Final = 16.0
"""Shorter ones are refused by the settings and by Terraform."""

SECOND_PASS_S: Final = LEASE_S * 1.2
"""How long after an amendment no writer is left that has not seen it."""

SKEW_S: Final = 5.0
"""How far the wall clocks of two instances, or of an instance and LINE, may be apart."""

TOKEN_S: Final = 60.0
"""How long a reply token lives after LINE delivered it.  Source: LINE, "Send reply message"."""

PUBLISH_S: Final = 2.0
"""How much later than LINE's delivery the publish time may be."""

DEFER_S: Final = 50.0
"""The age of the freshest token at which "still thinking" is said instead."""

ANSWERABLE_S: Final = 1_200.0
"""Messages older than this, by LINE's timestamp, are not answered any more; LINE does not refresh their tokens either."""

JITTER_S: Final = (0.3, 1.0)
"""How long the storage client waits before it repeats a write that met 429."""

BACKOFF_S: Final = (1.0, 10.0)
"""How long Pub/Sub waits before it delivers again.  As in infra/terraform."""
