"""The errors of the service, a class for each status code; `grpc_api` maps the classes to the codes."""


class PubSubError(Exception):
    """The service refused a request."""


class AlreadyExistsError(PubSubError):
    """A taken name, for example in the second `create_topic("projects/p/topics/t")`."""


class FailedPreconditionError(PubSubError):
    """A well-formed request for a resource in the wrong state, for example a pull from a push subscription."""


class InvalidArgumentError(PubSubError):
    """A request against a rule that holds in any state of the service, for example with an ack id that is not a number."""


class NotFoundError(PubSubError):
    """No resource has the name."""


class OutOfRangeError(PubSubError):
    """A number is out of range, in a case where the service does not answer INVALID_ARGUMENT."""


class UnavailableError(PubSubError):
    """The service is unavailable for a moment; whether the request took effect is not known."""


class UnimplementedError(PubSubError):
    """The real service has the feature, the stand-in does not."""


class PortTakenError(OSError):
    """Another process listens on the port."""
