import subprocess
import sys

import pytest

OURS = "from shared.adapters import line_sdk as ours"
PACKAGE = "from linebot.v3 import messaging as package"
HEAVY = (
    "aiohttp",
    "linebot.api",
    "linebot.v3.messaging.api",
    "linebot.v3.messaging.models.coupon_message",
)
ALL_ANSWERS = """
import http.server, json, threading

class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        body = json.dumps({
            "sentMessages": [{"id": "1"}], "type": "limited", "value": 5, "totalUsage": 1, "count": 3, "displayName": "A", "userId": "U1",
            "endpoint": "https://a.example/", "active": True, "success": True, "timestamp": "2026-01-01T00:00:00Z", "statusCode": 200,
            "reason": "OK", "detail": "200",
        }).encode()
        self.rfile.read(int(self.headers.get("content-length") or 0))
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
threading.Thread(target=server.serve_forever, daemon=True).start()

from shared.adapters.line_api import LineApi
from shared.adapters.line_profiles import LineProfiles
from shared.adapters.line_webhook import LineWebhook
from shared.line.messaging import OutgoingMessage, ReplyToken
from shared.settings.secret import FixedSecret

api = LineApi(channel_access_token=FixedSecret("any"), base_url=f"http://127.0.0.1:{server.server_port}")
hello = [OutgoingMessage(text="hello")]
group, room, user = "C" + "0" * 32, "R" + "0" * 32, "U" + "0" * 32
assert api.reply(ReplyToken(value="token", received_ms=0), hello).sent_message_ids == ("1",)
assert api.push(user, hello, retry_key="00000000-0000-4000-8000-000000000000").sent_message_ids == ("1",)
assert api.push_quota().used == 1
assert {api.member_count(group), api.member_count(room)} == {3}
assert {LineProfiles(api.client).display_name(one, user) for one in (group, room, user)} == {"A"}
assert LineWebhook(api.client).check_webhook().is_answered
api.show_loading(user)
api.mark_as_read("token")
api.leave(group)
api.leave(room)
"""


def run(*lines: str) -> None:
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True, timeout=60)


@pytest.mark.parametrize("imports", [(OURS, PACKAGE), (PACKAGE, OURS)], ids=["before", "after"])
def test_the_classes_are_those_of_the_package_imported_before_or_after(imports: tuple[str, str]) -> None:
    run(
        *imports,
        "assert all(getattr(package, one) is getattr(ours, one) for one in ours.__all__)",
        "assert package.CouponMessage",
    )


def test_every_call_is_answered_without_the_rest_of_the_sdk() -> None:
    run(ALL_ANSWERS, "import sys", f"assert [one for one in {HEAVY} if one in sys.modules] == []")
