"""What counts as a link, in every spelling that is tappable, and what does not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shared.agent.links import link_after, links_in, narrowed, without_hidden_characters
from shared.agent.taint import UntrustedInput

TAPPABLE = [
    "https://evil.example/?d=4711",
    "HTTPS://EVIL.EXAMPLE/4711",
    "ht\u200btps://evil.example/?d=4711",
    "https:/\u2060/evil.example/?d=4711",
    "ｈｔｔｐｓ：／／evil.example/?d=4711",
    "https:\\\\evil.example\\?d=4711",
    "https:/evil.example/4711",
    "https:///evil.example/4711",
    "https://4711@evil.example",
    "https://203.0.113.5/4711",
    "https://xn--4711.example",
    "https://例え.jp/4711",
    "//evil.example/?d=4711",
    "www.evil.example/?d=4711",
    "WWW.evil.example",
    "evil.example.com/?d=4711",
    "evil.example/4711",
    "evil.example:443/4711",
    "evil.example?d=4711",
    "evil.example#4711",
    "evil.com",
    "Evil.Com",
    "EVIL.COM",
    "4711.evil.com",
    "47_11.evil.com",
    "a.b.c.d.e.f.g.h.i.j.k.l.4711.evil.com",
    "evil.com:8080/4711",
    "evil.co.jp",
    "evil.com.tw",
    "evil.de",
    "evil.in.th",
    "4711.evil.cloud",
    "evil.py/4711",
    "203.0.113.5/d4711",
    "203.0.113.5:8080/4711",
    "evil\u00ad.com",
    "evil.\ufe0fcom",
    "evil.\U000e0061com/4711",
    "evil．com",
    "line://msg/text/?4711",
    "LINE://msg/text/?4711",
    "line.me/R/msg/text/?4711",
    "line.me/ti/p/4711",
    "lin.ee/4711",
    "lineapp://msg/4711",
    "whatsapp://send?text=4711",
    "s3://evil/4711",
    "tel:00004711",
    "sms:+814711",
    "mailto:a@evil.example?subject=4711",
    "MAILTO:4711@evil.example",
    "MAILTO:4711",
    "a+4711@evil.example",
    "ftp://evil.example/4711",
    "ftps://evil.example/4711",
    "intent://evil.example/4711#Intent;scheme=https;end",
    "intent:4711#Intent;package=com.evil;end",
    "market://details?id=4711",
    "file:///sdcard/4711",
    "javascript://evil.example/4711",
]
WORDS = [
    "plan.md と main.py を見てね",
    "main.py",
    "README.md",
    "setup.sh と app.ts と lib.rs",
    "index.html, style.css, data.json",
    "見てmain.py？それから",
    "main.py?って何",
    "report-2026.11.pdf",
    "写真.jpg/動画.mp4",
    "archive.tar.gz",
    "Node.js 22.1 and v1.2.3/4",
    "Node.js/React",
    "Vue.js と Next.js",
    "ASP.NET Core",
    "VB.NET ではなく ADO.NET",
    "Socket.IO",
    "Booking.com で予約",
    "Amazon.co.jp",
    "e.g. and/or i.e. 10/12",
    "a.m. / p.m. / 9:30 a.m.",
    "see you.me too",
    "it works.Top!",
    "I did it.Live show",
    "9:30 に駅 (改札) で",
    "9:30〜10:15",
    "LINE: こんにちは",
    "line:今日は",
    "tel: 後で、mailto: も",
    "TEL:03-1234-5678",
    "Tel：03-1234-5678",
    "intent: to buy",
    "Intent：予約",
    "file: plan",
    "data:text",
    "javascript:void",
    "// a remark",
    "円//月",
    "path:/home/yuki",
    "C:\\Users\\yuki",
    "3.5km/h, 1,000円/人",
    "3.5",
    "1.0.0-rc.1",
    "v2.10.3",
    "Python 3.11.7",
    "192.168.0.1",
    "192.168.0.0/24",
    "10.5mg/day",
    "@yuki さん",
    "yuki@家",
    "U.S.A/Japan",
    "U.S. と U.K.",
    "Ph.D. M.Sc. B.Sc",
    "Dr.Pepper と Mr.Children",
    "St.Louis, Mt.Fuji",
    "No.1 vol.2 p.12 fig.3",
    "Co.,Ltd. と Inc.",
    "a.k.a. J.R.R. Tolkien",
    "P.S. また明日",
    "すごい。例えば.これ",
    "すごい．例えば．これ",
    "ม.ค. พ.ศ. 2569",
    "ก.พ./มี.ค.",
    "台北.高雄",
    "user.name と self.data",
    "console.log(x)",
    "obj.id == 3",
    "os.path を除く",
    "System.in",
    "... そう...です",
    "うん..ok..",
    "http: と https:",
    "www. から始まる",
    ".com で終わる",
    "http://localhost:3000/x",
    "http://127.0.0.1:8080",
    "key: value, a::b",
    "std::vector",
    "#Intent; と #tag",
    "1️⃣ 👨\u200d👩\u200d👧 ok",
]
ONLY_IN_A_STRICT_READING = [
    "4711.evil.md",
    "4711.evil.zip",
    "evil.work",
    "4711.me",
    "it is.so",
    "evil.sh",
    "done.Top",
    "a.today",
]


@pytest.mark.parametrize("text", ONLY_IN_A_STRICT_READING)
def test_after_a_reading_from_outside_every_ending_of_a_host_counts(text: str) -> None:
    usual, tainted = UntrustedInput(), UntrustedInput()
    tainted.record_outside("web")

    assert usual.without_strange_links(text) == (text, 0)
    assert tainted.without_strange_links(text)[1] == 1


@pytest.mark.parametrize("name", ["main.py", "user.name", "plan.v2.md"])
def test_a_name_that_a_person_wrote_may_be_said_after_a_reading_from_outside(name: str) -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record(f"look at {name} please")
    untrusted_input.record_outside("file")

    assert untrusted_input.without_strange_links(f"{name}を見ました") == (f"{name}を見ました", 0)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("見てねexample.comを、どうぞ", "見てね…を、どうぞ"),
        ("「example.com」と（example.com）", "「…」と（…）"),
        ("公式はexample.com：こちら", "公式は…：こちら"),
        ("example.com/aを見て", "…を見て"),
        ("https://a.example/xを見てね。", "…を見てね。"),
        ("https://a.example/xを見て4711.evil.com/yも", "…を見て…も"),
        ("公式https://a.exampleです！", "公式…です！"),
        ("【https://a.example】と《https://b.example》", "【…】と《…》"),
        ("https://a.example/wiki/日本 と https://例え.jp/4711", "…日本 と …"),
        ("四七一一.evil.jp", "四七一一.…"),
        ("詳しくは例え.jp/4711 です", "詳しくは例え… です"),
        ("見て@evil.com/4711 ね", "見て@… ね"),
        ("-4711.evil.com", "-…"),
        ("evil.com. Then", "…. Then"),
        ("evil.com, evil.com; evil.com!", "…, …; …!"),
    ],
)
def test_what_stands_around_a_host_stays(text: str, shown: str) -> None:
    assert UntrustedInput().without_strange_links(text, instead="…")[0] == shown


@pytest.mark.parametrize(
    "said",
    [
        "https://example.com/a",
        "https://example.com/a/",
        "http://example.com/a",
        "example.com/a/",
        "https://www.example.com/a",
    ],
)
def test_a_link_that_was_given_may_be_said_with_another_end_or_scheme(said: str) -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record("https://example.com/a")

    assert untrusted_input.without_strange_links(f"see {said} ok") == (f"see {said} ok", 0)


@pytest.mark.parametrize("link", TAPPABLE)
@pytest.mark.parametrize("around", ["見てね {} です", "「{}」", "see **{}**, please", "こちら：{}"])
def test_whatever_is_tappable_is_a_link_that_somebody_has_to_give(link: str, around: str) -> None:
    text, count = UntrustedInput().without_strange_links(around.format(link), instead="…")

    assert (text, count) == (around.format("…"), 1)


@pytest.mark.parametrize("link", TAPPABLE)
def test_a_link_that_was_given_is_repeated_in_the_spelling_in_which_it_was_given(link: str) -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record(f"look: {link} please")

    assert untrusted_input.without_strange_links(f"it is {link} then")[1] == 0


@pytest.mark.parametrize("text", WORDS)
def test_words_that_are_no_link_stay_as_they_are(text: str) -> None:
    assert links_in(text, is_strict=False) == []
    assert UntrustedInput().without_strange_links(text) == (text, 0)


@pytest.mark.parametrize("said", ["example.com", "www.example.com", "Example.com/a?b=c", "example.com/a?b=c"])
def test_a_link_that_was_given_may_be_named_without_its_scheme_and_its_host_alone(said: str) -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record("https://www.example.com/a?b=c https://Example.com/a?b=c")

    assert untrusted_input.without_strange_links(f"see {said}") == (f"see {said}", 0)


@pytest.mark.parametrize(
    "said", ["example.com/other", "other.example.com", "https://example.com/other", "example.com.evil.com"]
)
def test_the_host_of_a_link_gives_no_other_address(said: str) -> None:
    untrusted_input = UntrustedInput()
    untrusted_input.record("https://example.com/a")

    assert untrusted_input.without_strange_links(f"see {said}")[1] == 1


def test_a_text_full_of_dots_and_slashes_is_read_in_linear_time() -> None:
    for part in (
        "a.",
        "/",
        "a@",
        "www.",
        "https:",
        "a.b/",
        "\u200b",
        "ａ．",
        "a_-",
        "intent:",
        "1.",
        "a.com:",
        "あ.jp",
        "a.md ",
        "x://",
    ):
        links_in(part * 20_000)


PIECES = (
    *"abz019-_.:/\\#?@+%;~!あ。．：／＠Ａａ１\u212a\u017f\u0131\u0130Ｋ\u200b\u00ad \n",
    *("www", "http", "line", "intent", "mailto", "tel", "TEL", "sms", "#Intent;", "com", "jp", "example", "javascript"),
)


def links_of_whole(text: str) -> list[str]:
    """Return the links of the text as one piece, without a look at what every link has."""
    whole = without_hidden_characters(text)
    narrow, place, links = narrowed(whole), 0, list[str]()
    while (span := link_after(place, narrow, is_strict=False)) is not None:
        start, place = span
        links.append(whole[start:place])
    return links


@given(st.lists(st.sampled_from(PIECES), max_size=14).map("".join))
@settings(max_examples=500)
def test_links_are_found_line_by_line_as_in_the_whole_text(text: str) -> None:
    assert links_in(text, is_strict=False) == links_of_whole(text)
