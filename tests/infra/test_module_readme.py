from tests.infra.module_readme import README, readme


def test_the_readme_of_the_module_lists_its_inputs_and_outputs() -> None:
    assert README.read_text(encoding="utf-8") == readme(), "run `make tf-docs`"


def test_the_default_of_a_field_is_not_that_of_a_field_within_it() -> None:
    assert "`page` `{}`; `quiet_hours` `23`;" in readme()
    assert "`emails`" not in readme()
