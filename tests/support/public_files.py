"""Files of public formats, made by each format's own writer in real encodings, and the text that the model is shown of each.

`python -m tests.support.public_files` prints them as the table of docs/files.md.
"""

import datetime as dt
import sys
import zoneinfo
from typing import Final

from shared.files.file_types import CSV, DOCX, HTML, ICS, ODS, PPTX, TEXT, XLS, XLSX
from shared.files.reading import read_document
from tests.support.office_files import (
    calendar,
    event,
    numbered_word,
    ods,
    pptx,
    renamed_word,
    word,
    word_xml,
    xls,
    xlsx,
)

TOKYO: Final = zoneinfo.ZoneInfo("Asia/Tokyo")
DAY: Final = dt.datetime(2026, 11, 28)  # noqa: DTZ001 - cells have no time zone
SALES: Final = (("品名", "数", "日付"), ("りんご", 3, DAY), ("みかん", 2.5, ""))
PAGE: Final = (
    "<!doctype html><html><head><meta charset={charset}><title>会議室</title><style>p {{}}</style></head><body>"
    "<h2>料金</h2><script>alert(1)</script><table><tr><th>部屋</th><th>円</th></tr><tr><td>大</td><td>3,000</td></tr></table>"
    "<ul><li>予約<li>取消</ul><p>一行目<br>二行目</body></html>"
)
PAGE_TEXT: Final = "会議室\n## 料金\n部屋 | 円\n大 | 3,000\n- 予約\n- 取消\n一行目\n二行目"
OLD_XML: Final = (
    '<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>'
    '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">'
    '<Worksheet ss:Name="在庫"><Table><Row><Cell><Data ss:Type="String">品名</Data></Cell><Cell><Data ss:Type="String">数</Data></Cell>'
    '</Row><Row><Cell><Data ss:Type="String">ねじ</Data></Cell><Cell><Data ss:Type="Number">40</Data></Cell></Row></Table></Worksheet>'
    "</Workbook>"
)
MINUTES: Final = "第3回の議事録です。予算は三百万円、次回は金曜日の午後です。"
NOTICE: Final = "各位：本週五下午三點開會，請帶上個月的報表與收據。"
SIMPLIFIED: Final = "各位：本周五下午三点开会，请带上个月的报表和收据。"
KOREAN: Final = "금요일 오후 세 시에 회의가 있습니다. 영수증을 가져오세요."
THAI: Final = "ประชุมวันศุกร์เวลาบ่ายสามโมง กรุณานำใบเสร็จมาด้วย"
ROWS: Final = '氏名,金額\r\n田中,500\r\n鈴木,"1,200"\r\n'

SHOWN: Final[tuple[tuple[str, bytes, str, str], ...]] = (
    ("xlsx, two sheets", xlsx({"売上": SALES, "空": ()}), XLSX, "1: 品名 | 数 | 日付\n2: りんご | 3 | 2026-11-28\n3: みかん | 2.5\n"),
    ("xlsx, truth and time", xlsx({"A": ((True, dt.time(9, 30)),)}), XLSX, "1: TRUE | 09:30"),
    ("xlsx, an hour of a day", xlsx({"A": ((DAY.replace(hour=10, minute=15),),)}), XLSX, "1: 2026-11-28 10:15"),
    ("xlsx, empty rows between", xlsx({"A": (("x",), (), ("y",))}), XLSX, "1: x\n3: y"),
    ("xlsx, a line break in a cell", xlsx({"A": (("a\nb",),)}), XLSX, "1: a b"),
    ("xlsx, formulas", xlsx({"A": (("=1+1", "sum"),)}), XLSX, "1:  | sum"),
    ("xlsx, an empty column at the left", xlsx({"A": ((None, "x"), (None, "y"))}), XLSX, "1:  | x\n2:  | y"),
    ("xls", xls({"在庫": (("品名", "数"), ("ねじ", 40.0))}), XLS, "1: 品名 | 数\n2: ねじ | 40"),
    ("xls that is html", b"<table><tr><td>a</td><td>b</td></tr></table>", XLS, "a | b"),
    ("xls that is html with a mark", b"\xef\xbb\xbf<table><tr><td>a</td><td>b</td></tr></table>", XLS, "a | b"),
    ("xls that is Excel's XML of 2003", OLD_XML.encode(), XLS, "品名 | 数\nねじ | 40"),
    ("xls that is csv", "氏名\t金額\r\n田中\t500\r\n".encode("cp932"), XLS, "1: 氏名 | 金額\n2: 田中 | 500"),
    ("xls that is xlsx", xlsx({"A": (("x", 1),)}), XLS, "1: x | 1"),
    ("ods", ods({"Plan": (("who", "what"), ("Mai", "tickets"))}), ODS, "1: who | what\n2: Mai | tickets"),
    ("docx, paragraphs", word("議事録", "予算は三百万円"), DOCX, "議事録\n予算は三百万円"),
    ("docx, a table", word("名簿", tables=[[["氏名", "区"], ["田中", "港"]]]), DOCX, "名簿\n氏名 | 区\n田中 | 港"),
    ("docx, pages", word("one", on_new_page=["two", "three"]), DOCX, "one\ntwo\nthree"),
    ("docx, a body of another name", renamed_word("議事録"), DOCX, "議事録"),
    (
        "docx, ruby and deleted words",
        word_xml(
            "<w:p><w:r><w:ruby><w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby>"
            "</w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:r><w:t>駅</w:t></w:r></w:p>"
        ),
        DOCX,
        "東京駅",
    ),
    (
        "docx, hyphens that keep a number on a line",
        word_xml("<w:p><w:r><w:t>090</w:t><w:noBreakHyphen/><w:t>1234</w:t><w:softHyphen/><w:t>5678</w:t></w:r></w:p>"),
        DOCX,
        "090-12345678",
    ),
    (
        "docx, numbered paragraphs",
        numbered_word(
            ("<w:numPr><w:ilvl w:val='0'/><w:numId w:val='1'/></w:numPr>", "目的"),
            ('<w:pStyle w:val="Article"/>', "会費"),
            ("<w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr>", "月額"),
            ("<w:numPr><w:ilvl w:val='1'/><w:numId w:val='1'/></w:numPr>", "期限"),
            ("", "以上"),
            numbering='<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/>'
            '<w:lvlText w:val="第%1条"/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="(%2)"/>'
            '</w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
            styles='<w:style w:styleId="Article"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>',
        ),
        DOCX,
        "第1条 目的\n第2条 会費\n(1) 月額\n(2) 期限\n以上",
    ),
    (
        "docx, a table within a table",
        word_xml(
            "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p><w:r><w:t>b</w:t></w:r></w:p></w:tc>"
            "<w:tc><w:p><w:r><w:t>c</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:tc><w:tc><w:p><w:r><w:t>d</w:t></w:r></w:p></w:tc>"
            "</w:tr></w:tbl>"
        ),
        DOCX,
        "a b | c | d",
    ),
    ("pptx, slides in their order", pptx("計画", "予算", "質問"), PPTX, "計画\n予算\n質問"),
    ("pptx, notes", pptx("Plan", notes={1: "say hello"}), PPTX, "Plan\n(notes) say hello"),
    ("html in UTF-8", PAGE.format(charset="utf-8").encode(), HTML, PAGE_TEXT),
    ("html in Shift_JIS", PAGE.format(charset="Shift_JIS").encode("cp932"), HTML, PAGE_TEXT),
    ("html in EUC-JP", PAGE.format(charset='"euc-jp"').encode("euc_jp"), HTML, PAGE_TEXT),
    ("html that declares another encoding", PAGE.format(charset="utf-8").encode("cp932"), HTML, PAGE_TEXT),
    ("html that declares no encoding that exists", PAGE.format(charset="x-none").encode(), HTML, PAGE_TEXT),
    ("html, paragraphs in cells", b"<table><tr><td><p>a</p><p>b</p></td><td><p>c</p></td></tr></table>", HTML, "a b | c"),
    ("html, a page laid out by a table", b"<table><tr><td><p>a</p><p>b</p></td></tr></table>", HTML, "a\nb"),
    ("csv in cp932", ROWS.encode("cp932"), CSV, "1: 氏名 | 金額\n2: 田中 | 500\n3: 鈴木 | 1,200"),
    ("csv in UTF-8 with a mark", ROWS.encode("utf-8-sig"), CSV, "1: 氏名 | 金額\n2: 田中 | 500\n3: 鈴木 | 1,200"),
    ("csv with semicolons", b"a;b\n1;2\n", CSV, "1: a | b\n2: 1 | 2"),
    ("csv with semicolons in words", b'a,b\n1,"x; y; z; w"\n', CSV, "1: a | b\n2: 1 | x; y; z; w"),
    ("tsv with amounts", b"a\tb\n1,000,000\t2,000,000\n", CSV, "1: a | b\n2: 1,000,000 | 2,000,000"),
    ("Excel's Unicode text", "名前\t点\r\n林\t3\r\n".encode("utf-16"), CSV, "1: 名前 | 点\n2: 林 | 3"),
    ("tsv in EUC-JP", "氏名\t金額\n田中\t500\n".encode("euc_jp"), CSV, "1: 氏名 | 金額\n2: 田中 | 500"),
    ("text in cp932", MINUTES.encode("cp932"), TEXT, MINUTES),
    ("text in EUC-JP", MINUTES.encode("euc_jp"), TEXT, MINUTES),
    ("text in ISO-2022-JP", MINUTES.encode("iso2022_jp"), TEXT, MINUTES),
    ("text in UTF-16", MINUTES.encode("utf-16"), TEXT, MINUTES),
    ("text in UTF-16 without a mark", MINUTES.encode("utf-16-be"), TEXT, MINUTES),
    ("text in Big5", NOTICE.encode("cp950"), TEXT, NOTICE),
    ("text in TIS-620", THAI.encode("tis_620"), TEXT, THAI),
    ("text in EUC-KR", KOREAN.encode("euc_kr"), TEXT, KOREAN),
    ("text in GBK", SIMPLIFIED.encode("gbk"), TEXT, SIMPLIFIED),
    (
        "ics in UTC",
        calendar(*event("DTSTART:20261128T010000Z", "DTEND:20261128T020000Z", "SUMMARY:歯医者")),
        ICS,
        "2026-11-28 10:00 to 11:00 | 歯医者",
    ),
    (
        "ics in Outlook's zone, folded",
        calendar(
            "BEGIN:VTIMEZONE",
            "TZID:Taipei Standard Time",
            "BEGIN:STANDARD",
            "TZOFFSETTO:+0800",
            "END:STANDARD",
            "END:VTIMEZONE",
            *event("DTSTART;TZID=Taipei Standard Time:20261128T090000", "SUMMARY:Long", "  name", "LOCATION:台北\\, 101"),
        ),
        ICS,
        "2026-11-28 10:00 | Long name | at: 台北, 101",
    ),
    (
        "ics, whole days and a rule",
        calendar(*event("DTSTART;VALUE=DATE:20261228", "DTEND;VALUE=DATE:20270104", "SUMMARY:休み", "RRULE:FREQ=YEARLY")),
        ICS,
        "2026-12-28 to 2027-01-03 | 休み | repeats: FREQ=YEARLY",
    ),
    (
        "ics, the earliest first",
        calendar(*event("DTSTART:20261202T090000"), *event("DTSTART:20261201T090000")),
        ICS,
        "2026-12-01 09:00\n2026-12-02 09:00",
    ),
)  # fmt: skip


def text_of(data: bytes, content_type: str) -> str:
    """Return the text that is read of a file."""
    return read_document(data, content_type, locale="ja", time_zone=TOKYO).text


def table() -> str:
    """Return the files as a table in Markdown, with what is read of each."""
    rows = (f"| {name} | {_cell(text_of(data, kind))} |" for name, data, kind, _ in SHOWN)
    return "\n".join(("| a file | what the model is shown |", "|---|---|", *rows))


def _cell(text: str) -> str:
    """Return the text as a cell of a table: `a<br>b` of two lines, and bars that end no cell."""
    return "<br>".join(line.replace("|", "\\|").replace("<", "&lt;") for line in text.splitlines())


if __name__ == "__main__":
    sys.stdout.write(f"{table()}\n")
