"""Settings of hypothesis for tests that are to fail: no example that fails is made smaller, which can take minutes."""

from hypothesis import Phase, settings

settings.register_profile("mutants", deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
