import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.tools.web_address import UnreadableAddressError, address_in, public_address


@pytest.mark.parametrize(
    ("text", "link", "address"),
    [
        ("read https://a.example/x?y=1#z.", "https://a.example/x?y=1#z", "https://a.example/x?y=1#z"),
        ("see a.example/x", "https://a.example/x", "https://a.example/x"),
        ("see www.a.example/x", "a.example/x/", "https://www.a.example/x"),
        ("http://A.Example/X", "https://a.example/X", "http://A.Example/X"),
        ("https://a.example/1を読んで", "https://a.example/1", "https://a.example/1"),
        (
            "https://ja.example/wiki/相槌を読んで",
            "https://ja.example/wiki/相槌を読んで",
            "https://ja.example/wiki/相槌を読んで",
        ),
        ("https://ja.example/wiki/相槌", "https://ja.example/wiki/%E7%9B%B8%E6%A7%8C", "https://ja.example/wiki/相槌"),
        (
            "https://en.example/wiki/Mercury と (https://en.example/wiki/Mercury_(planet)) は？",
            "https://en.example/wiki/Mercury_(planet)",
            "https://en.example/wiki/Mercury_(planet)",
        ),
        (
            "https://ja.example/wiki/カメラ_(機械)を読んで",
            "https://ja.example/wiki/カメラ_(機械)",
            "https://ja.example/wiki/カメラ_(機械)",
        ),
        ("https://a.example/Ann's_day 読んで", "https://a.example/Ann's_day", "https://a.example/Ann's_day"),
        ("https://a.example/p?ids[]=3&x=1.", "https://a.example/p?ids[]=3&x=1", "https://a.example/p?ids[]=3&x=1"),
        ("「https://a.example/1」と「https://a.example/2」", "https://a.example/2", "https://a.example/2"),
    ],
)
def test_a_link_is_read_in_the_spelling_of_the_person(text: str, link: str, address: str) -> None:
    assert address_in([text], link) == address


@pytest.mark.parametrize(
    "link",
    [
        "https://a.example/x?code=4711",
        "https://a.example/",
        "https://a.example/x/4711",
        "https://a.example/X",
        "https://4711.a.example/x",
        "https://b.example/x",
        "https://a.example/x 4711",
        "",
    ],
)
def test_a_link_that_nobody_wrote_is_not_read(link: str) -> None:
    assert address_in(["see https://a.example/x (4711)", "https://a.example/x/471(1"], link) is None


@given(st.text(min_size=1, max_size=40))
def test_nothing_that_the_model_adds_to_a_link_becomes_part_of_an_address(addition: str) -> None:
    text = "see https://a.example/x"

    assert address_in([text], f"https://a.example/x{addition}") in {None, "https://a.example/x"}


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("https://a.example", "https://a.example/"),
        ("http://A.example./x?y=%20#z", "http://a.example/x?y=%20"),
        ("https://a.example:443/x", "https://a.example/x"),
        ("https://a.example?q=1", "https://a.example/?q=1"),
        ("https://ja.wikipedia.org/wiki/相槌", "https://ja.wikipedia.org/wiki/%E7%9B%B8%E6%A7%8C"),
        ("https://例え.jp/Ａ", "https://xn--r8jz45g.jp/%EF%BC%A1"),
    ],
)
def test_an_address_of_a_public_website_is_read_in_ascii(address: str, public: str) -> None:
    assert public_address(address) == public


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://169.254.169.254/computeMetadata/v1/", "no IP addresses"),
        ("http://2852039166/", "no IP addresses"),
        ("http://0xa9fea9fe/", "no IP addresses"),
        ("http://0xa9.0xfe.0xa9.0xfe/", "no IP addresses"),
        ("http://127.1/", "no IP addresses"),
        ("http://１６９.254.169.254/", "no IP addresses"),
        ("http://169。254。169。254/", "no IP addresses"),
        ("http://①69.254.169.254/", "no IP addresses"),
        ("http://[::1]/", "no IP addresses"),
        ("http://[fd00::1]:80/", "no IP addresses"),
        ("http://localhost/", "private network"),
        ("http://LOCALHOST./", "private network"),
        ("http://intranet/", "private network"),
        ("http://nas1/", "private network"),
        ("http://metadata.google.internal/", "private network"),
        ("http://printer.local/", "private network"),
        ("http://router.home.arpa/", "private network"),
        ("http://home.arpa/", "private network"),
        ("https://user:pass@a.example/", "password"),
        ("https://a.example@127.0.0.1/", "password"),
        ("https://a.example:8080/", "port"),
        ("https://a.example:0/", "port"),
        ("https://a.example:x/", "malformed"),
        ("https://a..example/", "malformed"),
        ("https://[a.example/", "malformed"),
        ("ftp://a.example/", "http://"),
        ("file:///etc/passwd", "http://"),
        ("gopher://a.example/", "http://"),
        ("javascript:alert(1)", "http://"),
        ("https://a.example\\@127.0.0.1/", "characters"),
        ("https://a.example/ x", "characters"),
        ("https://a.example/\n", "characters"),
        ("https://a.example/" + "x" * 2_000, "too long"),
        ("https:///x", "private network"),
    ],
)
def test_no_other_address_is_read(address: str, reason: str) -> None:
    with pytest.raises(UnreadableAddressError, match=reason):
        public_address(address)


@given(st.ip_addresses())
def test_no_ip_address_is_read(address: object) -> None:
    host = f"[{address}]" if ":" in str(address) else str(address)

    with pytest.raises(UnreadableAddressError, match="no IP addresses"):
        public_address(f"http://{host}/")
