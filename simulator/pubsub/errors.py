"""The errors of the service, a class for each status code; `grpc_api` maps the classes to the codes."""


class PubSubError(Exception):
    """The service refused a request."""


class AlreadyExistsError(PubSubError):
    """The name already exists."""


class FailedPreconditionError(PubSubError):
    """A well-formed request for a resource in the wrong state."""


class InvalidArgumentError(PubSubError):
    """The request breaks a rule, independent of the state of the service."""


class NotFoundError(PubSubError):
    """An unknown name of a resource."""


class OutOfRangeError(PubSubError):
    """A number outside its range, if the service does not answer INVALID_ARGUMENT."""


class UnavailableError(PubSubError):
    """The service is unavailable for a moment; whether the request took effect is not known."""


class UnimplementedError(PubSubError):
    """The real service has the feature, the stand-in does not."""


class PortTakenError(OSError):
    """Another process listens on the port."""
