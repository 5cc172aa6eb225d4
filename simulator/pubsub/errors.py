"""The errors of the service, one class for each status code; `grpc_api` maps them to the codes."""


class PubSubError(Exception):
    """The service refused a request."""


class AlreadyExistsError(PubSubError):
    """The name already exists."""


class FailedPreconditionError(PubSubError):
    """The request is well formed, but its resource is in the wrong state."""


class InvalidArgumentError(PubSubError):
    """The request breaks a rule, independent of the state of the service."""


class NotFoundError(PubSubError):
    """No resource has this name."""


class OutOfRangeError(PubSubError):
    """A number is outside of its range, where the service does not answer INVALID_ARGUMENT."""


class UnavailableError(PubSubError):
    """The service is unavailable for a moment; whether the request took effect is not known."""


class UnimplementedError(PubSubError):
    """The real service has this feature; the stand-in does not."""


class PortTakenError(OSError):
    """Another process listens on the port."""
