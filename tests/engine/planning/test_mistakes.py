"""Mistakes in studies, catalogs and the configuration are named before any job starts."""

import re

import pytest
import yaml
from conftest import catalogs_alone
from drafts import STUDY, add_studies, changed, plan

from nldr.engine.reading.parsing import PlanError
from nldr.tables import read_csv

MISTAKES = """
trails: 3
    unknown key 'trails': did you mean 'trials'?
figure: {functoin: x}
    figure: unknown key 'functoin': did you mean 'function'?
source: null
    source: this key is missing: add it
datasets: [swissroll]
    datasets: unknown dataset 'swissroll': did you mean 'swiss_roll'?
methods: [isomp]
    methods: unknown method 'isomp': did you mean 'isomap'?
metrics: [trustworthyness_k3]
    metrics: unknown metric 'trustworthyness_k3': did you mean 'trustworthiness_k3'?
trials: five
    trials = 'five':
trials: -3
    trials = -3:
datasets: [{gp: {n_features: []}}]
    datasets.gp.n_features = []: an empty grid: give at least one value
datasets: [{gp: {noise: [0, 0.1, 0.0]}}]
    datasets.gp.noise: 0 and 0.0 are the same number: give it once
methods: [{isomap: {n_neighbors: [5, 6, 5]}}]
    methods.isomap.n_neighbors: 5 and 5 are the same number: give it once
methods: []
    methods = []:
datasets: [{gp: {n_feature: 3}}]
    datasets.gp.n_feature: nldr.datasets.latent.gp has no parameter 'n_feature': did you mean 'n_f
methods: [{isomap: {neighbors: 3}}]
    methods.isomap.neighbors: nldr.methods.spectral.isomap.Isomap has no parameter 'neighbors': di
datasets: [{turntable: {size: 1.5}}]
    datasets.turntable.size = 1.5: must be a positive whole number
datasets: [{gp: {n_samples: -5}}]
    datasets.gp.n_samples = -5: must be a positive whole number
datasets: [{digits: {subset: all}}]
    datasets.digits.subset = 'all': must be a positive whole number
n_components: 6
    methods.pca.n_components = 6: gp@n_features=5@n_samples=50 allows 1 to 5: lower it or drop the
n_components: 0
    n_components = 0: write a whole number ≥ 1 or latent, or a list of them
scales: {smoke: {n_components: [2, true]}}
    scales.smoke.n_components = [2, True]: write a whole number ≥ 1 or latent, or a list
methods: [{pca: {n_components: 0}}]
    methods.pca.n_components = 0: write a whole number ≥ 1 or latent
datasets: [{mnist: {n_samples: 70001}}]
    datasets.mnist.n_samples: asks for 70001 points, but there are only 70000: lower it
datasets: [{digits: {subset: 1798}}]
    datasets.digits.subset = 1798: there are only 1797 points: lower it
datasets: [{digits: {gaussian_noise: -1}}]
    datasets.digits.gaussian_noise = -1: must be a number ≥ 0
datasets: [{digits: {dropout: [0.5, 1.5]}}]
    datasets.digits.dropout = 1.5: must be a number from 0 to 1
datasets: [{digits: {standardize: 'yes'}}]
    datasets.digits.standardize = 'yes': must be true or false
n_components: latent
    n_components = latent: dataset 'digits' has no known latent: give a number
datasets: [{digits: {n_test: 9}}]
    datasets.digits.n_test: set n_train too
datasets: [{digits: {subset: 100, n_train: 100}}]
    datasets.digits.n_train = 100: leaves no point of 100 to test on: lower it
score_on: test
    score_on = test: dataset 'gp' is not split: give it n_train
score_on: observed, datasets: [{gp: {missing: 0.1}}], methods: [tsne_imputed]
    score_on = observed: dataset 'gp' has missing values, with which no metric can compare
per_dataset: {digit: {pca: {}}}
    per_dataset.digit: the study has no such dataset: did you mean 'digits'?
per_dataset: {digits: {pcaa: {}}}
    per_dataset.digits.pcaa: the study has no such method: did you mean 'pca'?
methods: [{isomap: {n_neighbors: data.n_feature}}]
    methods.isomap.n_neighbors = data.n_feature: dataset 'gp' has no parameter 'n_feature': did yo
best_of: {best: {title: best, methods: [isomp]}}
    best_of.best: the study has no method 'isomp': did you mean 'isomap'?
best_of: {pca: {title: best, methods: [isomap]}}
    best_of.pca: is the name of a method: choose another
best_of: {one: {title: one, methods: [pca]}, two: {title: two, methods: [pca]}}
    best_of.one: 'pca' is named twice: name it once
metrics: [r2_affine]
    metrics: 'r2_affine' needs latent, which dataset 'digits' lacks: drop one
metrics: [knn_accuracy_k5]
    metrics: 'knn_accuracy_k5' needs labels, which dataset 'gp' lacks: drop one
limits: {tsne: {seconds: 3}}
    limits.tsne: the study has no such method:
figure: {function: nldr.figures.curves.curve}
    figure.function = 'nldr.figures.curves.curve': cannot be imported (ImportError:
figure: {function: nldr.figures.curves.curves, params: {xx: 1}}
    figure.params.xx: nldr.figures.curves.curves has no parameter 'xx'
published: {file: ikd_fig1.cvs, keys: {}, values: {}}
    published.file = 'ikd_fig1.cvs': no such file in workflow/published: did you mean 'ikd_fig1.cs
published: {file: ikd_fig1.csv, keys: {datset: dataset}, values: {}}
    published: ikd_fig1.csv has no column 'datset': did you mean 'dataset'?
published: {file: ikd_fig1.csv, keys: {}, values: {r2: [r2_mean]}}
    published.values.r2: the study has no such metric: there are: trustworthiness_k3
published: {file: ikd_fig1.csv, keys: {dataset: datset}, values: {}}
    published.keys.dataset = 'datset': our tables have no such column: did you mean 'dataset'?
published: {file: ikd_fig1.csv, keys: {dataset: data.datset}, values: {}}
    published.keys.dataset = 'data.datset': no dataset of the study has such a parameter:
published: {file: ikd_fig1.csv, keys: {}, values: {}, where: {method.n_neighbrs: 4}}
    published.where.method.n_neighbrs: no method of the study has such a parameter: did you mean '
published: {file: ikd_fig1.csv, keys: {}, values: {}, n_trials: n_trails}
    published: ikd_fig1.csv has no column 'n_trails':
published: {file: ikd_fig1.csv, keys: {}, values: {}, margins: {r2: 0.1}}
    published.margins.r2: not among the values:
scales: {huge: {}}
    scales.huge
figure: null
    a study needs a figure: add `figure` or `figures`
extends: mien
    extends: unknown study 'mien': did you mean 'mine'?
tune: {metric: stres}
    tune.metric = 'stres': the study has no such metric: there are: trustworthiness_k3
datasets: [gp], tune: {settings: 2, selection_trials: 1}
    tune.settings = 2: 'pca' has 1 on gp, not 2: give it as many, or name it in tune.untuned
datasets: [gp], tune: {settings: 3, selection_trials: 1, untuned: [pca, isomap]}
    tune.settings = 3: 'isomap' has 2 on gp, not 1: remove it from tune.untuned
fewer_trials: {isomp: 1}
    fewer_trials.isomp: the study has no such method: did you mean 'isomap'?
tune: {untuned: [isomp]}
    tune.untuned: the study has no method 'isomp': did you mean 'isomap'?
tune: {selection_trials: 1, untuned: [pca]}
    tune.selection_trials = 1: all trials of dataset 'digits' have the same data: set tune.select_
tune: {settings: 2}
    tune = {'settings': 2}: settings: equal tuning selects on what is not scored: add selection_tr
select: {methods: [isomp]}
    select.methods: the study has no method 'isomp': did you mean 'isomap'?
select: {where: {n_neighbors: 4}}
    select.where.n_neighbors: write data.n_neighbors or method.n_neighbors
select: {where: {data.n_featurs: 7}}
    select.where.data.n_featurs: no dataset of the study has such a parameter: did you mean 'n_fe
select: {where: {method.perplexity: 7}}
    select.where.method.perplexity: no method of the study has such a parameter
select: {where: {data.n_features: 7}, datasets: [gp]}
    no cell is left: select less, or choose other methods
methods: [{isomap: {n_neighbors: [4, 50]}}]
    methods.isomap.n_neighbors = 50: gp@n_features=5@n_samples=50 has 50 points to fit on, each wi
datasets: [{gp: {n_samples: 50, n_train: 20}}], methods: [{umap: {n_neighbors: 20}}]
    methods.umap.n_neighbors = 20: gp@n_samples=50@n_train=20 has 20 points to fit on
trials: 1000000000
    trials = 1000000000: 11 cells are 9000000002 trials, more than 1000000: ask for fewer
datasets: [{gp: {n_samples: 1000000000000}}]
    datasets.gp: 1000000000000 points take 762939453 MB, more than the limit of 8192 MB
methods: [{isomap: {n_neighbors: {k: 5}}}]
    methods.isomap.n_neighbors = {'k': 5}: must be a number
methods: [{isomap: {n_neighbors: [5, null]}}]
    methods.isomap.n_neighbors = None: must be a number
datasets: [{gp: {noise: null}}]
    datasets.gp.noise = None: must be a number
datasets: [{gp: {noise: [0.1, {sd: 0.1}]}}]
    datasets.gp.noise = {'sd': 0.1}: must be a number
methods: [pca, pca]
    methods: 'pca' is named twice: name it once
metrics: [trustworthiness_k3, trustworthiness_k3]
    metrics: 'trustworthiness_k3' is named twice: name it once
figure: {function: os.system}
    figure.function = 'os.system': is in no module of nldr or this project, nor of a package that
figure: {function: numpy.save}
    figure.function = 'numpy.save': is in no module of nldr or this project, nor of a package that
figure: {function: matplotlib.pyplot.plot}
    figure.function = 'matplotlib.pyplot.plot': does not draw a study: the first parameter of such
figure: {function: nldr.figures.curvs.curves}
    figure.function = 'nldr.figures.curvs.curves': cannot be imported (ModuleNotFoundError: No
figures: {../up: {function: nldr.figures.curves.curves}}
    figures.../up: '../up': names have letters, digits, _, -, . and spaces: rename
figures: {up: {function: nldr.figures.curves.curves}, Up: {function: nldr.figures.curves.curves}}
    figures.Up: 'Up': differs from 'up' in case only
figures: {other: {function: nldr.figures.curves.curves}}
    figures.other: a study has that name too: rename the figure
figures: {table: {function: nldr.figures.curves.curves}}
    figures.table: a figure cannot be called 'table': rename it
"""


def table_of(text):
    """Return pairs of a line and the indented one below it."""
    return re.findall(r"^(\S.*)\n    (.*)$", text, re.MULTILINE)


@pytest.fixture(scope="module")
def broken(tmp_path_factory):
    """Return what one plan says of studies with a mistake each."""
    root = catalogs_alone(tmp_path_factory.mktemp("mistakes"))
    studies = [changed(**yaml.safe_load(f"{{{change}}}")) for change, _ in table_of(MISTAKES)]
    for name, study in {**dict(enumerate(studies)), "other": STUDY}.items():
        content = {key: value for key, value in study.items() if value is not None}
        add_studies(root, **{str(name): content})
    return plan(root).broken


@pytest.mark.parametrize(("number", "row"), list(enumerate(table_of(MISTAKES))))
def test_mistake_in_a_study(broken, number, row):
    _, message = row
    text = str(broken[str(number)])
    assert text.startswith(f"workflow/studies/{number}.yaml: {message}")
    assert "\n" not in text
    assert len(text) < 300


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"scael": "smoke"}, "config.yaml: unknown key 'scael': did you mean 'scale'?"),
        ({"scale": "tiny"}, "config.yaml: scale = 'tiny': Input should be 'smoke', 'quick' or"),
        ({"studies": ["mien"]}, "config.yaml: studies: unknown study 'mien': did you mean 'mine'?"),
        ({"studies": "mien"}, "config.yaml: studies: unknown study 'mien': did you mean 'mine'?"),
        ({"studies": 3}, "config.yaml: studies = 3: write all, headline, own, or a list"),
    ],
)
def test_mistake_in_the_config(root, config, message):
    with pytest.raises(PlanError, match="^" + re.escape(message)):
        plan(root, **config)


# What a catalog is changed by, and what is said of it
WRONG_CATALOGS = """
methods: sklearn.decomposition.PCA -> sklearn.decomposition.PCAA
    pca.class = 'sklearn.decomposition.PCAA': cannot be imported (ImportError: module 'sklearn.dec
methods: sklearn.decomposition.PCA -> pacmap_not_here.PaCMAP
    pca.class = 'pacmap_not_here.PaCMAP': cannot be imported (ModuleNotFoundError:
methods: sklearn.decomposition.PCA -> sklearn.manifold.trustworthiness
    pca.class = 'sklearn.manifold.trustworthiness': is not an estimator:
methods: {n_neighbors: 5} -> {n_neighbours: 5}
    isomap.params.n_neighbours: nldr.methods.spectral.isomap.Isomap has no parameter 'n_neighbours
methods: seconds: 1800 -> seconds: -1
    tsne.seconds = -1:
datasets: n_latent: n_latent -> n_latent: n_laten
    gp.n_latent = 'n_laten': no parameter of that name: did you mean 'n_latent'?
datasets: {n_views: 400, height: 76, -> {n_views: '400', height: 76,
    utah_teapot.params.n_views = '400': must be a positive whole number
datasets: 3 * height * width -> 3 * heigt * width
    utah_teapot.n_features = 'heigt': no parameter of that name: did you mean 'height'?
datasets: n_features: 784 -> n_features: 0
    mnist.n_features = 0:
metrics: title: trustworthiness, {k} n -> title: trustworthiness, {j} n
    ranks.metrics.trustworthiness_k{k}: 'trustworthiness, {j} neighbors' has braces without
metrics: params: {k: [3, 5, 7, 12]} -> params: {k: 3}
    ranks.metrics.trustworthiness_k{k}: 'trustworthiness_k{k}' has braces without a list
datasets: latent.gp -> latent.gpp
    gp.function = 'nldr.datasets.latent.gpp': cannot
metrics: direction: higher -> direction: up
    direction = 'up':
methods: family: pca -> family: pcaa
    pca.family = 'pcaa': not in
methods: wrap: roots -> wrap: root
    pca_roots.wrap = 'root': did you mean 'roots'?
methods: method: pca -> method: pcaa
    pca_roots.method = 'pcaa': did you mean 'pca'?
methods: method: pca -> method: tsne_roots
    pca_roots.method = 'tsne_roots': did you mean
methods: wrap: roots -> warp: roots
    pca_roots: unknown key 'warp'
metrics: stress: -> seconds:
    distances.metrics.seconds: tables have another column of that name: rename the metric
methods: random: -> '1e3':
    '1e3': tables hold names, and this one reads as a value that is no text: rename
datasets: digits: -> 'NA':
    'NA': tables hold names, and this one reads
metrics: params: {k: -> params: {kk:
    ranks.params.kk: nldr.metrics.ranks.ranks has
families: color: "#000000" -> color: red
    color = 'red': String should match pattern
families: marker: o -> marker: x
    marker = 'x': Input should be 'o', 's'
families: color: "#000000" -> colour: "#000000"
    unknown key 'colour': did you mean 'color'?
"""


@pytest.mark.parametrize(("change", "message"), table_of(WRONG_CATALOGS))
def test_mistake_in_a_catalog(root, change, message):
    file, old, new = re.fullmatch(r"(\w+): (.*) -> (.*)", change).groups()
    catalog = root / f"workflow/catalog/{file}.yaml"
    text = catalog.read_text()
    assert old in text
    catalog.write_text(text.replace(old, new))
    planned = plan(root)
    mistakes = [*planned.broken.values(), *planned.unused_mistakes]
    prefix = f"workflow/catalog/{file}.yaml: "
    assert any(str(e).startswith(prefix) and message in str(e) for e in mistakes)


@pytest.mark.parametrize(("mode", "broken"), [(0o644, True), (0o755, False)])
def test_command_in_any_language_must_be_executable(root, mode, broken):
    folder = root / "workflow/environments/phate"
    command = (folder / "run.py").rename(folder / "run")
    command.chmod(mode)
    problem = "phate.environment = 'phate': workflow/environments/phate needs a command: run.py, or"
    assert any(problem in str(e) for e in plan(root).unused_mistakes) == broken


def test_mistake_in_an_entry_costs_the_studies_that_use_it(root):
    """Be it a method, what wraps it, a dataset or the scorer of a metric."""
    wrong = {
        "methods": ("tsne", "class"),
        "datasets": ("digits", "function"),
        "metrics": ("ranks", "function"),
    }
    for kind, (name, key) in wrong.items():
        file = root / f"workflow/catalog/{kind}.yaml"
        content = yaml.safe_load(file.read_text())
        content[name][key] = "absent.thing"
        file.write_text(yaml.safe_dump(content))
    fine = changed(datasets=["gp"], methods=["pca"], metrics=["stress"])
    studies = {
        "tsne": {**fine, "methods": ["pca", "tsne"]},
        "wrapped": {**fine, "methods": ["tsne_imputed"]},
        "digits": {**fine, "datasets": ["digits"]},
        "ranks": {**fine, "metrics": ["trustworthiness_k3"]},
    }
    add_studies(root, **studies)
    planned = plan(root, fine)
    assert list(planned.studies) == ["mine"]
    assert planned.broken.keys() == studies.keys()
    assert planned.broken["wrapped"] is planned.broken["tsne"]
    assert all("absent.thing" in str(error) for error in planned.broken.values())
    assert [str(e).partition(".")[0] for e in planned.unused_mistakes if "tsne" not in str(e)] == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("digits: {title: again}", "the key 'digits' is given twice: remove or rename one"),
        ("mine: {title: x\n# a comment", "not valid YAML: "),
        ("mine:\n  title: 1:40", "'1:40' may be a text or a number to base 60: quote it"),
    ],
)
def test_entry_that_is_no_yaml_leaves_the_others(root, text, message):
    catalog = root / "workflow/catalog/datasets.yaml"
    line = catalog.read_text().count("\n") + 1
    catalog.write_text(f"{catalog.read_text()}{text}\n")
    name = text.partition(":")[0]
    add_studies(root, other=changed(datasets=[name]))
    planned = plan(root, changed(datasets=["gp"]))
    assert list(planned.studies) == ["mine"]
    assert list(planned.catalog.broken) == [("datasets", name)]
    mistake = str(planned.broken["other"])
    assert mistake.startswith("workflow/catalog/datasets.yaml: line ")
    assert int(re.search(r"\d+", mistake)[0]) in (line, line + 1, line + 2)
    assert message in mistake


def test_names_that_are_no_file_names_or_differ_in_case(root):
    names = {"Mine": "in case only", "a{b}": "names have letters, digits"}
    add_studies(root, **dict.fromkeys(names, STUDY))
    broken = plan(root).broken
    assert all(message in str(broken[name]) for name, message in names.items())


def test_catalog_that_would_be_ignored(root):
    (root / "workflow/catalog/mine.YAML").write_text("")
    message = "workflow/catalog/mine.YAML: only .yaml files are read: rename it to mine.yaml"
    with pytest.raises(PlanError, match="^" + re.escape(message)):
        plan(root)


def test_published_file_that_is_no_text(root):
    (root / "workflow/published/mine.csv").write_bytes(b"dataset,\xff\n")
    study = changed(published={"file": "mine.csv", "keys": {}, "values": {}})
    with pytest.raises(
        PlanError, match=r"published.file = 'mine.csv': is not a CSV file in UTF-8 \("
    ):
        plan(root, study, studies=["mine"])


def test_published_file_as_r_and_excel_write_it(root):
    published = {"file": "mine.csv", "keys": {"dataset": "dataset"}, "values": {}}
    file = root / "workflow/published/mine.csv"
    for mark in (b"", b"\xef\xbb\xbf"):
        file.write_bytes(mark + b'"dataset","r2"\r\n"gp",0.5\r\n')
        assert plan(root, changed(published=published)).broken == {}
        assert read_csv(file) == [{"dataset": "gp", "r2": "0.5"}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"import numpy\n\ndef f(:\n", r": line 3: invalid syntax: correct the module"),
        (b"x = '\xff'\n", r"(: line 1)?: .*: correct the module"),
        (b"x = 1\0\n", r".*: correct the module"),
    ],
)
def test_module_of_a_user_that_is_no_python(root, monkeypatch, content, message):
    (root / "my_method.py").write_bytes(content)
    monkeypatch.syspath_prepend(root)
    catalog = root / "workflow/catalog/methods.yaml"
    text = catalog.read_text()
    catalog.write_text(text.replace("sklearn.decomposition.PCA", "my_method.PCA"))
    entry = f"workflow/catalog/methods.yaml: pca.class = 'my_method.PCA': {root}/my_method.py"
    with pytest.raises(PlanError, match="^" + re.escape(entry) + message):
        plan(root, studies=["mine"])


@pytest.mark.parametrize("module", ["mine.py", "plots/mine.py"])
def test_figures_may_be_functions_of_the_project(root, monkeypatch, module):
    (root / "src/plots").mkdir(parents=True)
    (root / "src" / module).write_text("def bars(results): ...")
    monkeypatch.syspath_prepend(root / "src")
    path = f"{module.removesuffix('.py').replace('/', '.')}.bars"
    plan(root, changed(figure={"function": path}), studies=["mine"])
