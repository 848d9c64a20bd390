import nldr.neighborhoods


def test_every_exported_name_is_available():
    for name in nldr.neighborhoods.__all__:
        assert getattr(nldr.neighborhoods, name) is not None
