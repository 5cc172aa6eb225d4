"""The account and the audience of Pub/Sub's push tokens, for functions that check the tokens themselves."""

from shared.frozen import frozen
from shared.settings.reader import EnvironmentReader


@frozen
class PushSettings:
    """`service_account`: the e-mail of the account in a push's token; `audience`: the token's `aud`."""

    service_account: str
    audience: str


def push_settings(settings: EnvironmentReader) -> PushSettings | None:
    """Read both variables; None if neither is set: then only the platform checks the token."""
    account, audience = settings.optional("PUSH_SERVICE_ACCOUNT"), settings.optional("PUSH_AUDIENCE")
    if account is None and audience is None:
        return None
    if account is not None and "@" not in account:
        settings.faults.append(f"PUSH_SERVICE_ACCOUNT is {account!r}; it must be the e-mail of an account")
    return PushSettings(
        service_account=account or settings.required("PUSH_SERVICE_ACCOUNT"),
        audience=audience or settings.required("PUSH_AUDIENCE"),
    )
