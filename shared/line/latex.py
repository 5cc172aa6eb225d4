r"""Formulas of LaTeX as plain text, because LINE renders no formulas.  For example, `$\frac{3}{4}$` becomes 3/4, `$25^{\circ}C$` 25°C.

A dollar sign begins a formula only if the text up to the next dollar sign reads like a formula: "$5 and $10" and `$HOME` are unchanged.
"""

import re
from typing import Final

_SIGNS: Final = {
    "rightarrow": "→", "to": "→", "longrightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "Leftarrow": "⇐",
    "Leftrightarrow": "⇔", "implies": "⇒", "iff": "⇔", "uparrow": "↑", "downarrow": "↓", "mapsto": "↦", "times": "×", "div": "÷",
    "cdot": "·", "pm": "±", "mp": "∓", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "neq": "≠", "ne": "≠", "approx": "≈", "equiv": "≡",
    "sim": "~", "propto": "∝", "infty": "∞", "circ": "°", "degree": "°", "sum": "∑", "prod": "∏", "int": "∫", "partial": "∂", "nabla": "∇",
    "in": "∈", "notin": "∉", "subset": "⊂", "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "therefore": "∴", "because": "∵",
    "angle": "∠", "perp": "⊥", "parallel": "∥", "triangle": "△", "ldots": "…", "cdots": "…", "dots": "…", "prime": "′", "star": "★",
    "checkmark": "x", "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "theta": "θ", "lambda": "λ", "mu": "μ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω", "Delta": "Δ", "Sigma": "Σ", "Omega": "Ω", "Pi": "Π",
    "quad": " ", "qquad": " ", "left": "", "right": "", "displaystyle": "", "big": "", "Big": "", "yen": "¥", "percent": "%",
}  # fmt: skip
_ARROWS: Final = "|".join(command for command in _SIGNS if "arrow" in command)
_RAISED: Final = str.maketrans("0123456789+-=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ")
_LOWERED: Final = str.maketrans("0123456789+-=()", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎")
_INNER: Final = r"\{([^{}]{0,200})\}"
_FORMULA: Final = re.compile(
    r"\$\$([^$]{1,500})\$\$|(?<![\\$0-9A-Za-z])\$(?![\s$])([^$\n]{1,200})(?<![\s\\])\$(?![\d$])|\\\(([^\n]{1,300}?)\\\)|\\\[(.{1,500}?)\\\]",
    re.DOTALL,
)
_IS_MATHS: Final = re.compile(
    r"\\[A-Za-z]|[0-9A-Za-z)}]\^|[A-Za-z]_\{|(?<![A-Za-z])[A-Za-z](?:_[0-9]|_[A-Za-z](?![A-Za-z])|\s?[=<>+])|[0-9)]\s?[=<>]\s?[0-9(A-Za-z]"
    r"|^[A-Za-z]$|^[0-9]+\\?[%°]?$"
)
_BARE: Final = re.compile(rf"(?<![\\\w:])\\({_ARROWS}|times|leq|geq|neq|approx|pm)(?![A-Za-z])")


def without_latex(text: str) -> str:
    """Return the text with formulas in plain characters, as far as Unicode has such characters."""
    if "\\" not in text and "$" not in text:
        return text
    return _BARE.sub(lambda match: _SIGNS[match[1]], _FORMULA.sub(_plain_formula, text))


def _plain_formula(match: re.Match[str]) -> str:
    formula = next(group for group in match.groups() if group is not None)
    if _IS_MATHS.search(formula) is None or formula.startswith("^"):  # \(^o^)/
        return match[0]
    return _plain(formula).strip()


def _plain(formula: str) -> str:
    for _ in range(4):  # as deep as formulas in chats nest
        formula = re.sub(rf"\\[dt]?frac\s*{_INNER}\s*{_INNER}", _fraction, formula)
        formula = re.sub(rf"\\sqrt\s*{_INNER}", lambda root: f"√{_grouped(root[1])}", formula)
        formula = re.sub(
            rf"\\(?:text|mathrm|mathbf|mathit|operatorname|boxed|bar|vec|overline)\s*{_INNER}", r"\1", formula
        )
        formula = re.sub(rf"\^(?:{_INNER}|(\\circ|\\prime|[0-9A-Za-z+*-]))", _raised, formula)
        formula = re.sub(rf"_(?:{_INNER}|([0-9A-Za-z]))", _lowered, formula)
    formula = re.sub(r"\\([A-Za-z]+)", lambda command: _SIGNS.get(command[1], command[1]), formula)
    formula = re.sub(r"\\[,;:! ]", " ", formula).replace("\\\\", "\n")
    return re.sub(r"[ \t]{2,}", " ", re.sub(r"\\([%#&_{}$])", r"\1", formula).replace("{", "").replace("}", ""))


def _fraction(match: re.Match[str]) -> str:
    return f"{_grouped(match[1])}/{_grouped(match[2])}"


def _grouped(part: str) -> str:
    return part if re.fullmatch(r"[\w.\\]+", part.strip()) else f"({part})"


def _raised(match: re.Match[str]) -> str:
    part = (match[1] or match[2] or "").strip()
    if part in {"\\circ", "°", "\\degree"}:
        return "°"
    raised = part.translate(_RAISED)
    return raised if not any(one in part for one in raised) else f"^{_grouped(part)}"


def _lowered(match: re.Match[str]) -> str:
    part = (match[1] or match[2] or "").strip()
    lowered = part.translate(_LOWERED)
    return lowered if not any(one in part for one in lowered) else f"_{part}"
