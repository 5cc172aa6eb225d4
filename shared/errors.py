"""Errors by who has to act next, and the HTTP status of each.

Every error that the project raises on purpose is an AizuchiError; any other exception at an endpoint is a defect.
"""


class AizuchiError(Exception):
    """An error that the project raises on purpose; the text holds no words of people, no ids and no secrets."""

    http_status = 500


class RejectedError(AizuchiError):
    """The sender is at fault, and a retry cannot help: 4xx."""

    http_status = 400


class PermanentError(AizuchiError):
    """No retry can help: acknowledge, log as ERROR, and apologise if a live reply token is at hand."""

    http_status = 204


class TransientError(AizuchiError):
    """A later attempt may succeed: 5xx, so that Pub/Sub or LINE redelivers."""

    http_status = 503


class LimitReachedError(AizuchiError):
    """A limit of the turn was reached: acknowledge, after an apology."""

    http_status = 204


class BadSignatureError(RejectedError):
    """The signature is missing, or was not made with this channel's secret."""

    http_status = 401


class MalformedDeliveryError(RejectedError):
    """The signature is valid, but the body is no webhook delivery."""


class DeliveryTooLargeError(RejectedError):
    """The body is larger than a delivery can be."""

    http_status = 413


class DeliveryIncompleteError(RejectedError):
    """A body did not arrive in time."""

    http_status = 408


class MethodNotAllowedError(RejectedError):
    """The method is not POST."""

    http_status = 405


class UnauthenticatedPushError(RejectedError):
    """The push carries no token of Google's for this function."""

    http_status = 401


class ForbiddenPushError(RejectedError):
    """The push carries a token of Google's, but of another account than the subscriptions'."""

    http_status = 403


class CertificatesUnavailableError(TransientError):
    """Google's certificates cannot be fetched, so no token can be checked."""


class MalformedEnvelopeError(RejectedError):
    """The body is no push envelope of Pub/Sub."""


class UnusableEventError(RejectedError):
    """A message of the bus holds no event; the message is acknowledged, because a redelivery would hold none either."""


class UnusableIdError(RejectedError):
    """An id does not match LINE's pattern, for example "../U1"; such an id must never become part of an object's name."""


class MisroutedEventError(PermanentError):
    """A subscription's filter let an event of another worker through: 5xx, so that a dead letter holds the event."""

    http_status = 500


class UnreadableRecordError(PermanentError):
    """A record for the event cannot be read: 5xx, so that a dead letter holds the event until an operator has repaired the record."""

    http_status = 500


class CorruptRecordError(UnreadableRecordError):
    """A stored record does not have the shape of its kind."""


class UnknownRecordVersionError(UnreadableRecordError):
    """A newer release wrote the stored record."""


class ModelRefusedError(PermanentError):
    """The model's provider refuses the request: a wrong key, an unknown model, a malformed body.

    `is_about_request`: the content is at fault, for example a medium that cannot be decoded, and not the key or the model's name.
    `is_about_name`: the provider knows no such model.
    """

    def __init__(self, message: str, *, is_about_request: bool = True, is_about_name: bool = False) -> None:
        super().__init__(message)
        self.is_about_request = is_about_request
        self.is_about_name = is_about_name


class ModelBlockedError(PermanentError):
    """The model's provider blocks the prompt or the answer."""


class LineRefusedError(PermanentError):
    """LINE refuses the call: a wrong access token, a malformed body."""


class LineUnavailableError(TransientError):
    """LINE did not answer a necessary call."""


class PublishFailedError(TransientError):
    """Pub/Sub did not confirm every event of the delivery."""


class StorageUnavailableError(TransientError):
    """Cloud Storage failed, or did not answer within its retry timeout."""


class TurnBusyError(TransientError):
    """Other workers held the chat's turn for longer than a request can wait."""


class CrowdedOutError(TurnBusyError):
    """More commands wait for the chat's turn than an instance has places for; the oldest comes again."""


class PromptAmendedError(TransientError):
    """A message in the prompt was edited or withdrawn, so a new prompt is needed."""


class FollowUpError(PromptAmendedError):
    """The people who asked wrote more while the model thought, so a new prompt is needed."""


class ModelUnavailableError(TransientError):
    """The model gave no usable answer.

    `retry_after_s`: the provider's requested wait; None without one.
    """

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class ModelCallLimitError(LimitReachedError):
    """The turn used up its model calls without a decision."""


class BudgetSpentError(LimitReachedError):
    """A budget is spent, so no model is asked.

    `scope`: whose budget, `chat` or `deployment`. `renewal_ms`: when the budget is renewed.
    """

    def __init__(self, *, scope: str, renewal_ms: int) -> None:
        super().__init__(f"the budget of the {scope} is spent")
        self.scope = scope
        self.renewal_ms = renewal_ms


class DeadlineError(LimitReachedError):
    """The turn reached its deadline without a decision."""
