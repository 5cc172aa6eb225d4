"""How long things last, in seconds.  A test keeps their order."""

from typing import Final

LEASE_S: Final = 25.0
"""How long a turn is its holder's, by the holder's wall clock; renewed while the model thinks."""

RENEW_S: Final = 8.0
"""The longest nap of a thinking holder between two renewals."""

SKEW_S: Final = 5.0
"""How far the wall clocks of two instances, or of an instance and LINE, may be apart."""

CALL_S: Final = 3.0
"""How long a write may be under way after its sender looked at the clock."""

FENCE_S: Final = LEASE_S - SKEW_S - CALL_S
"""How long after its last renewal began a holder may still write, by its monotonic clock; how long a look at the amendments is good for."""

MODEL_S: Final = 40.0
"""What one turn may spend on the model."""

TOKEN_S: Final = 60.0
"""How long a reply token lives after LINE delivered it.  Source: LINE, "Send reply message"."""

PUBLISH_S: Final = 2.0
"""How much later than LINE's delivery the publish time may be."""

TOKEN_SURE_S: Final = TOKEN_S - SKEW_S - PUBLISH_S
"""A token that looks younger than this is alive, whatever the clocks say."""

TOKEN_DEAD_S: Final = TOKEN_S + SKEW_S
"""A token that looks older than this is dead, unless LINE delivered it again."""

DEFER_S: Final = 50.0
"""The age of the freshest token at which "still thinking" is said instead."""

ANSWERABLE_S: Final = 1_200.0
"""Messages older than this, by LINE's timestamp, are not answered any more; LINE does not refresh their tokens either."""

REQUEST_S: Final = 110.0
"""The longest request; the platform kills it then."""

OPEN_S: Final = REQUEST_S - MODEL_S - 10.0
"""A request older than this does not open a turn any more: it could not finish it."""

WRITE_S: Final = 1.0
"""One write of a name in this time.  Source: Cloud Storage, "Quotas & limits"."""

JITTER_S: Final = (0.3, 1.0)
BACKOFF_S: Final = (1.0, 10.0)
SETTLE_S: Final = 0.5
SECOND_PASS_S: Final = LEASE_S + SKEW_S

DELIVERY_ATTEMPTS: Final = 10
TRIES: Final = 3
"""Opened for this time over a dead holder, a turn apologises without the model."""
