"""Errors, divided by who has to act next, and the HTTP status that each of them becomes.

Everything that the project raises on purpose descends from AizuchiError; whatever else reaches the edge was not foreseen.
"""


class AizuchiError(Exception):
    """Something that the project says on purpose; its text names no person, no message and no secret."""

    http_status = 500


class RejectedError(AizuchiError):
    """The sender is wrong and trying again will not help it: 4xx."""

    http_status = 400


class PermanentError(AizuchiError):
    """No retry can help: acknowledge, log as ERROR, and apologise where a live reply token is at hand."""

    http_status = 204


class TransientError(AizuchiError):
    """A later try may succeed: 5xx, so that Pub/Sub or LINE delivers again."""

    http_status = 503


class LimitReachedError(AizuchiError):
    """A budget of the turn ran out: acknowledge, after an apology."""

    http_status = 204


class BadSignatureError(RejectedError):
    """The signature is missing, or was not made with this channel's secret."""

    http_status = 401


class MalformedDeliveryError(RejectedError):
    """The body is signed, but it is no webhook delivery."""


class DeliveryTooLargeError(RejectedError):
    """The body is larger than a delivery can be."""

    http_status = 413


class MethodNotAllowedError(RejectedError):
    """Only POST is answered here."""

    http_status = 405


class MalformedEnvelopeError(RejectedError):
    """The body is no push envelope of Pub/Sub, or does not hold a message of our bus."""


class UnusableEventError(RejectedError):
    """A message of the bus that holds no event; acknowledged, because it will never hold one."""


class UnusableIdError(RejectedError):
    """An id that did not come from LINE; it must never become a path."""


class CorruptRecordError(PermanentError):
    """A stored record cannot be read."""


class UnknownRecordVersionError(PermanentError):
    """A stored record was written by a newer release than this one."""


class ModelRefusedError(PermanentError):
    """The model's provider refuses the request as it is: a wrong key, an unknown model, a body that its API does not take."""


class ModelBlockedError(PermanentError):
    """The model will not answer what it was asked: its provider blocks the prompt or the answer."""


class LineRefusedError(PermanentError):
    """LINE refuses the call as it is: a wrong access token, a wrong body."""


class LineUnavailableError(TransientError):
    """LINE did not answer a call that has to succeed."""


class PublishFailedError(TransientError):
    """Pub/Sub did not confirm every event of the delivery."""


class StorageUnavailableError(TransientError):
    """Cloud Storage did not answer within the time that a turn has."""


class TurnBusyError(TransientError):
    """Others kept the chat's turn for longer than a request can wait."""


class PromptAmendedError(TransientError):
    """Something in the prompt was edited or taken back; the turn has to be thought again."""


class ModelUnavailableError(TransientError):
    """The model gave no usable answer this time.

    `retry_after_s` is how long its provider asks to wait, where it says so.
    """

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelCallLimitError(LimitReachedError):
    """The model was asked as often as a turn allows and never decided."""


class DeadlineError(LimitReachedError):
    """The seconds of the turn ran out."""
