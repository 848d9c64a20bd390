"""What tests of the archive share."""

from contextlib import contextmanager

from nldr.archive import Archive
from nldr.archive.contents import Embedded, Trials
from nldr.engine.planning.expand import Pair
from nldr.engine.planning.plan import make_plan
from nldr.engine.reading.parsing import read_model
from nldr.engine.reading.specs import Config

ISOMAP = Pair("swiss_roll@n_samples=100", "isomap@n_components=2", 1, 1, 0)


def plan_of(project):
    config = read_model(Config, project.path, "config.yaml").model_copy(update={"scale": "smoke"})
    return make_plan(config.model_dump(), project.path)


@contextmanager
def edited_isomap():
    """Give what the archive has of Isomap, and store it as it is then."""
    content = Archive().read(ISOMAP.data)
    yield content.methods[ISOMAP.method]
    Archive().write(ISOMAP.data, content)


def embedded(contents, **scores):
    """Return trials with a content each, and scorers with the number of trials that they scored."""
    rows = [{"content": content} for content in contents]
    scored = {
        name: Trials(name, [{"values": {name: c}} for c in contents[:number]])
        for name, number in scores.items()
    }
    return Embedded(Trials("key", rows), scored)
