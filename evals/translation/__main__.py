"""`python -m evals.translation`: translate 120 sentences with Gemini if there is a key, else with the stand-in, and name the choice.

The exit status is 1 if a translation has lost what must stay: code keeps that, whoever translates.
"""

import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from evals.stand_in import stand_in
from evals.translation.benchmark import judged, read_sentences, report, translate_all
from shared import logs
from shared.adapters.gemini import GeminiModel
from shared.settings.agent_worker import GeminiSettings
from shared.settings.secret import FixedSecret

_MODEL: Final = "gemini-3.5-flash-lite"
_JUDGE: Final = "gemini-3.8-flash"
"""Not the model under test, so that no model judges its own translations."""
_AT_ONCE: Final = 4


def main(env: Mapping[str, str]) -> int:
    """Translate, print the table, and every translation that has lost something; return the exit status."""
    sentences, key = read_sentences(), env.get("GEMINI_API_KEY")
    if key:
        settings = GeminiSettings(
            api_key=FixedSecret(key),
            project_id="evals",
            location=None,
            base_url=env.get("GEMINI_BASE_URL"),
            model=env.get("GEMINI_MODEL", _MODEL),
            thinking_level="minimal",
        )
        model = GeminiModel(settings)
        translations = translate_all(sentences, model, at_once=_AT_ONCE)
        translations = judged(translations, GeminiModel(replace(settings, model=_JUDGE)), at_once=_AT_ONCE)
    else:
        with stand_in() as settings:
            model = GeminiModel(settings)
            translations = translate_all(sentences, model)
    print(report(translations, model_name=model.name, is_model=bool(key)))
    lost = [one for one in translations if one.text is not None and not one.has_kept_all]
    for one in lost:
        print(f"lost: {one.sentence.text} -> {one.text}")
    return 1 if lost else 0


if __name__ == "__main__":
    logs.configure()
    sys.exit(main(os.environ))  # noqa: TID251 - the one place that reads the environment
