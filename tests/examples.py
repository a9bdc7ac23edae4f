"""How many random examples a test tries: `pytest --examples=10` tries ten times as many."""

from hypothesis import HealthCheck, settings

NORMAL = 100  # max_examples of Hypothesis' own profile; `--examples` loads one with a multiple


def examples(count: int) -> settings:
    """Hypothesis settings for N examples, times `--examples`, each of which may take long."""
    return settings(
        max_examples=count * settings().max_examples // NORMAL,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )


def multiply(factor: int) -> None:
    """Set the factor by which `examples` multiplies from now on."""
    settings.register_profile("multiplied", settings(), max_examples=NORMAL * factor)
    settings.load_profile("multiplied")
