import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.expenses.money import AmountError, Money, decimals_of, money_in


@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [
        ("1200", "JPY", 1_200),
        ("1,200", "jpy", 1_200),
        ("1200.00", "JPY", 1_200),
        ("12.5", "USD", 1_250),
        ("1,234,567.89", "THB", 123_456_789),
        ("0.005", "KWD", 5),
        ("６，０００", "JPY", 6_000),
        ("๕๐๐", "THB", 50_000),
    ],
)
def test_an_amount_is_read_in_minor_units(amount: str, currency: str, minor: int) -> None:
    assert money_in(amount, currency).minor == minor


@pytest.mark.parametrize(
    ("amount", "currency"),
    [
        ("", "JPY"),
        ("0", "JPY"),
        ("-5", "JPY"),
        ("12.5", "JPY"),
        ("1.234", "USD"),
        ("1e9", "USD"),
        ("12,34", "USD"),
        ("９", "YEN!"),
        ("5", "¥"),
        ("999999999999", "USD"),
    ],
)
def test_what_is_no_amount_is_refused(amount: str, currency: str) -> None:
    with pytest.raises(AmountError):
        money_in(amount, currency)


@pytest.mark.parametrize(
    ("money", "shown"),
    [
        (Money("JPY", 1_200), "¥1,200"),
        (Money("USD", 1_250), "$12.50"),
        (Money("USD", 1_200), "$12"),
        (Money("TWD", -123_400), "-NT$1,234"),
        (Money("CHF", 5), "CHF 0.05"),
    ],
)
def test_an_amount_is_shown_as_people_write_it(money: Money, shown: str) -> None:
    assert str(money) == shown


@given(minor=st.integers(1, 10**12), currency=st.sampled_from(["JPY", "USD", "KWD"]))
def test_a_shown_amount_reads_as_the_same_amount(minor: int, currency: str) -> None:
    digits = str(Money(currency, minor)).lstrip("¥$KWD ")
    assert money_in(digits, currency) == Money(currency, minor)
    assert decimals_of(currency) in {0, 2, 3}
