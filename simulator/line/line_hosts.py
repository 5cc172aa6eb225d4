"""The names of LINE's hosts.  Source: Messaging API reference, "Domain name"; line-openapi's README: api, api-data and manager."""

from typing import Final

LINE_HOSTS: Final = ("api.line.me", "api-data.line.me", "access.line.me", "manager.line.biz")
