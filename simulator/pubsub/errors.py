"""What the service refuses, one class a status code; the wire (`grpc_api.py`) turns each into its code."""


class PubSubError(Exception):
    """The service did not do what it was asked."""


class AlreadyExistsError(PubSubError):
    """The name is taken."""


class FailedPreconditionError(PubSubError):
    """The request is well formed, but what it names is not in the state that it needs."""


class InvalidArgumentError(PubSubError):
    """The request breaks a rule, whatever the state of the service."""


class NotFoundError(PubSubError):
    """Nothing has this name."""


class OutOfRangeError(PubSubError):
    """A number is outside its range, where the service answers so instead of with INVALID_ARGUMENT."""


class UnavailableError(PubSubError):
    """The service is away for a moment; whether it did anything first is not known."""


class UnimplementedError(PubSubError):
    """The real service can do this; this one cannot."""


class PortTakenError(OSError):
    """Something else listens on the port."""
