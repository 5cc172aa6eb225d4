"""Spellings of a name, for tests of what tells them apart."""

from typing import Final

MOMO: Final = (
    "momo",
    "MOMO",
    "ＭＯＭＯ",
    "M\u043em\u043e",  # Cyrillic
    "\u041c\u043e\u043c\u043e",
    "\u041c\u041e\u041c\u041e",
    "\u039c\u03bfm\u03bf",  # Greek
    "\u039c\u039f\u039c\u039f",
    "M\u0585m\u0585",  # Armenian
    "\u13b7omo",  # Cherokee
    "\ua4df\ua4f3\ua4df\ua4f3",  # Lisu
    "\u216fomo",  # a Roman numeral
    "𝐌𝐨𝐦𝐨",
    "𝑀𝑜𝑚𝑜",
    "𝓜𝓸𝓶𝓸",
    "𝔐𝔬𝔪𝔬",
    "𝕄𝕠𝕞𝕠",
    "𝖬𝗈𝗆𝗈",
    "𝙼𝚘𝚖𝚘",
    "Ⓜⓞⓜⓞ",
    "🄼🄾🄼🄾",
    "🅼🅾🅼🅾",
    "🅜🅞🅜🅞",
    "🇲🇴🇲🇴",
    "ᴍᴏᴍᴏ",
    "M0m0",
    "Morno",
    "rnorno",
    "M\u0ce6mo",  # a zero of Kannada
    "M\u0665m\u0665",  # digits of Arabic
    "M\u200bo\u2060m\ufeffo",
    "M o m o",
    "M\u3000omo\u2800",
    "Mo\u034fmo",
    "M\u00f3m\u00f2",
    "Mo\u0307mo\ufe0f",
    "M\u202eomo\u202c",
    "Mo\u00admo",
    "\u3164Momo",
    "M\U000e006fomo",
)
"""Spellings of `Momo`, each of which a reader may take for it."""
