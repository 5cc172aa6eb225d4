"""What models write by mistake goes; a text that means what it says stays."""

import pytest

from shared.line.artifacts import without_artifacts
from shared.line.bubbles import shown_text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"買い物リスト：\n- 牛乳\n- 卵", "買い物リスト：\n- 牛乳\n- 卵"),
        (r"はい。\n\nどうぞ", "はい。\n\nどうぞ"),
        (r"Hello,\nthis is fine", "Hello,\nthis is fine"),
        (r"はい\r\nどうぞ", "はい\nどうぞ"),
        (r"He said \"hello\" to you", 'He said "hello" to you'),
        (r"\u3053\u3093\u306b\u3061\u306f", "こんにちは"),
        (r"やった \ud83d\ude00", "やった 😀"),
        (r"a\u0000\u202e\u3042\ud83db", "aあ\ufffdb"),
        (r"see https:\/\/a.example\/b ok", "see https://a.example/b ok"),
        ("一行目<br>二行目", "一行目\n二行目"),
        ("一行目 <br/>\n二行目<BR />三行目", "一行目\n二行目\n三行目"),
        ("<b>大事</b>な<i>話</i>", "大事な話"),
        ("<p>はい</p><p>どうぞ</p>", "\nはい\n\nどうぞ\n"),
        ("<ul><li>卵</li><li>牛乳</li></ul>", "\n- 卵\n\n- 牛乳\n"),
        ("<ul><li><b>卵</b> </li></ul>", "\n- 卵\n"),
        ('<span style="color:red">赤</span>', "赤"),
        ("Tom &amp; Jerry", "Tom & Jerry"),
        ("1 &lt; 2 &gt; 0 &quot;x&quot; &#39;y&#39;&nbsp;z", "1 < 2 > 0 \"x\" 'y' z"),
        ("https&colon;//evil.example", "https://evil.example"),
        ("&check; 削除：「牛乳」", "✓ 削除：「牛乳」"),
        ("[cite_start]9時に開きます[cite: 1, 2]。", "9時に開きます。"),
        ("9時です [cite: 3-5]。", "9時です。"),
        ("9時です【4†source】。", "9時です。"),
        ("9時です:contentReference[oaicite:0]{index=0}。", "9時です。"),
        ("9時[span_0](start_span)です[span_0](end_span)", "9時です"),
        ("```tool_code\nprint(default_api.reply(message='hi'))\n```", ""),
        ("はい\n```tool_code\nprint(1)\n```\nどうぞ", "はい\n\nどうぞ"),
        ("tool_code\nprint(default_api.reply(message='hi'))", ""),
        ('<tool_call>{"name": "reply"}</tool_call>はい', "はい"),
        ("<|im_end|>はい", "はい"),
        ("THOUGHT: The user wants X.\nはい、できます。", "はい、できます。"),
        ("THOUGHT\nThe user wants X.\nSo I answer.\n\nはい。", "はい。"),
        ("thought\nThe user wants X.\n\nはい。", "はい。"),
        ("Thoughts\nI need to answer.\n\nはい。", "はい。"),
        ("**THOUGHT:** hm\nはい。", "はい。"),
        ("```python\nprint(default_api.reply(message='hi'))\n```", ""),
        ("<think>hm</think>はい", "はい"),
        ("<thinking>\nhm\n</thinking>\nはい", "\nはい"),
        ('{"clarificationNeeded": true}', ""),
        ('{"path": "a", "more": {"b": 1}, "clarificationNeeded": false}', ""),
        ('どの分類ですか？{"clarificationNeeded": true, "path": "inbox/x.md"}', "どの分類ですか？"),
        ('```json\n{"updatedFields": ["x"]}\n```\n直しました', "\n直しました"),
        ('{"message": "はい、どうぞ"}', "はい、どうぞ"),
        (r"$25^{\circ}C$です", "25°Cです"),
    ],
)
def test_what_a_model_writes_by_mistake_goes(text: str, shown: str) -> None:
    assert without_artifacts(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        r"改行は `\n` と書きます。",
        r"改行は \n と書きます。",
        r"文字列の中の「\n」です",
        r"Use \n for a line end",
        "一行目\n二行目は \\nです",
        r"正規表現は \d+\n です",
        r"C:\new\notes に置いて",
        r"\\server\new",
        r"$\neq$ ではなく \neq",
        r"\" を一つ",
        r'"a" と \"b\"',
        r"あは \u3042 と書く",
        r"エスケープは \u3042\u3044 と書く",
        "`<br>` で改行",
        "<br>タグで改行します",
        "HTMLでは &amp; と書きます",
        "a < b > c",
        "<3 と <b",
        "x<y>z",
        "&ampersand; AT&T; R&D",
        "[1] 朝日新聞\n[2] 読売",
        "[cite] という単語",
        "【重要】明日です",
        "```python\nprint('a<br>b &amp; \\n')\n```",
        '```json\n{"message": "hi"}\n```',
        '{"name": "Taro", "age": 3}',
        '{"message": "hi", "to": "Yuki"}',
        "{ok}",
        "I thought: yes",
        "Thought of you today",
        "Thought\n思うこと\n\n詩です",
        "¯\\_(ツ)_/¯ と \\(^o^)/",
        "print(1) で表示",
        "tool_code という語",
        "100% &c.",
        "$5 and $10",
    ],
)
def test_a_text_that_means_what_it_says_stays(text: str) -> None:
    expected = text.replace(r"$\neq$", "≠").replace(r"\neq", "≠") if "neq" in text else text

    assert without_artifacts(text) == expected


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("- 卵\nよろしく！", "- 卵\nよろしく！"),
        ("1. 卵\n2. 牛乳\nよろしく！", "1. 卵\n2. 牛乳\nよろしく！"),
        ("- 卵\n  二つ\nよろしく！", "- 卵\n  二つ\nよろしく！"),
        ("- 卵\n  - 白\nよろしく！", "- 卵\n  - 白\nよろしく！"),
        ("- 卵\n\nよろしく！", "- 卵\n\nよろしく！"),
        (r"リスト：\n- 卵\nよろしく！", "リスト：\n- 卵\nよろしく！"),
    ],
)
def test_a_list_keeps_its_shape(said: str, shown: str) -> None:
    assert shown_text(said) == shown


def test_texts_are_cleaned_in_linear_time() -> None:
    parts = (
        "<b>",
        "<br",
        " ",
        "<li>",
        "\\n",
        '\\"',
        "\\u3042",
        "&amp;",
        "[cite:",
        "{",
        '{"clarificationNeeded"',
        "`",
        "```",
        "<think>",
    )
    for part in (*parts, "tool_code\nprint(", "THOUGHT\n", "【1†", "<tool_call>", "\\/", "https:\\/\\/"):
        without_artifacts(part * 5_000)
