"""Formulas as people read them in a chat, and what is none."""

import pytest

from shared.line.latex import without_latex


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (r"東京 $\rightarrow$ 大阪", "東京 → 大阪"),
        (r"東京 \rightarrow 大阪", "東京 → 大阪"),
        (r"答えは $\frac{3}{4}$ です", "答えは 3/4 です"),
        (r"$\frac{a+b}{2c}$", "(a+b)/2c"),
        (r"$\dfrac{1}{2}$と$\frac{x}{y}$", "1/2とx/y"),
        (r"$25^{\circ}C$です", "25°Cです"),
        (r"$25^\circ\mathrm{C}$", "25°C"),
        (r"面積は \(\pi r^2\) です", "面積は π r² です"),
        (r"\[E = mc^2\]", "E = mc²"),
        (r"$$a^2 + b^2 = c^2$$", "a² + b² = c²"),
        (r"$x$ と $y$", "x と y"),
        (r"$x = 3$", "x = 3"),
        (r"$3 \times 4 = 12$", "3 × 4 = 12"),
        (r"$10 \div 2 = 5$", "10 ÷ 2 = 5"),
        (r"$x_1 + x_{10}$", "x₁ + x₁₀"),
        (r"$\sqrt{2}$", "√2"),
        (r"$\sqrt{x+1}$", "√(x+1)"),
        (r"$50\%$", "50%"),
        (r"$\text{速さ} = \frac{\text{距離}}{\text{時間}}$", "速さ = 距離/時間"),
        (r"$a \leq b \neq c$", "a ≤ b ≠ c"),
        (r"$e^{-x}$", "e^(-x)"),
        (r"$10^{-3}$", "10⁻³"),
        (r"$H_2O$", "H₂O"),
        (r"$\left( \frac{1}{2} \right)$", "( 1/2 )"),
        (r"$\unknown{x}$", "unknownx"),
    ],
)
def test_a_formula_is_shown_in_plain_characters(text: str, shown: str) -> None:
    assert without_latex(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $10",
        "$5から$10まで",
        "US$100、$20",
        "$100=約15,000円、$200=約30,000円",
        "$100 < $200",
        "$HOME と $PATH",
        "$HOME/$USER",
        "$MY_VAR/$B_X",
        "$_$",
        r"\(^o^)/ やったー \(^o^)/",
        r"\(^^)/ と \(^o^\)",
        r"¯\_(ツ)_/¯",
        r"C:\times\rightarrow",
        r"C:\Users\yuki",
        "a_b と c_d",
        "2^10",
        "A$AP Rocky",
        "$$$",
    ],
)
def test_what_is_no_formula_stays(text: str) -> None:
    assert without_latex(text) == text


def test_formulas_are_read_in_linear_time() -> None:
    for part in ("$", r"\(", r"\[", "$x^", r"\frac{", r"$\frac{1}{2}$", "^{", r"\rightarrow"):
        without_latex(part * 5_000)
