"""What holds for every test."""

from hypothesis import settings

# A slow machine is no bug, so examples have no deadline; a failing one prints how to replay it.
settings.register_profile("aizuchi", deadline=None, print_blob=True)
settings.load_profile("aizuchi")
