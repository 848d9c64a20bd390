"""Clouds of the report: which embeddings are read, with what, and how many are left out."""

from dataclasses import replace

import numpy as np
import pytest
from conftest import write_trials

from nldr.dataset import Dataset
from nldr.engine.files.store import Damaged, write_manifest
from nldr.metrics.ranks import ranks
from nldr.report.data.clouds import gather_clouds
from nldr.report.data.jobs import CloudSource, EmbeddingSource

N = 40


@pytest.fixture
def data(rng):
    """Return two trials of labeled data."""
    latents = rng.normal(size=(2, N, 2))
    return [Dataset(np.column_stack([Z, Z[:, 0] ** 2]), Z, np.arange(N) % 3) for Z in latents]


def source(folder, data, methods, **scores):
    """Write data, embeddings and the same scores for each trial."""
    manifest = write_trials(folder / "data", [trial.arrays() for trial in data])
    embeddings = []
    for method, trials in methods.items():
        arrays = [Z if isinstance(Z, str) else {"embedding": Z} for Z in trials]
        rows = [{"trial": t, "scores": scores, "failures": []} for t in range(len(trials))]
        scored = folder / method / "quality/scores.json"
        result = write_trials(folder / method, arrays)
        write_manifest(scored, key="", trials=rows)
        title = method.upper()
        embeddings.append(EmbeddingSource(method, f"{method}@a", title, result, [str(scored)]))
    return CloudSource("roll", "roll@n", "Roll", manifest, embeddings)


def test_trials_belong_to_their_data_or_all_to_a_single_one(tmp_path, data):
    both = source(tmp_path, data, {"a": [d.Z for d in data], "b": [data[0].Z, "timeout"]}, r2=0.5)
    clouds = gather_clouds([both], 1e6)
    assert [cloud.trial for cloud in clouds] == [0, 1]
    for cloud, trial in zip(clouds, data, strict=True):
        np.testing.assert_array_equal(cloud.X, trial.X)
        np.testing.assert_array_equal(cloud.latent, trial.Z)
        np.testing.assert_array_equal(cloud.labels, trial.y)
        assert [result.trial for result in cloud.embeddings] == [cloud.trial] * 2
        assert [result.title for result in cloud.embeddings] == ["A", "B"]
    failed = clouds[1].embeddings[1]
    assert (failed.status, failed.message) == ("timeout", "too bad")
    assert (failed.Z, failed.errors) == (None, {})
    assert clouds[0].embeddings[0].scores == {"r2": 0.5}
    assert clouds[0].left_out == 0
    (cloud,) = gather_clouds([source(tmp_path, data[:1], {"a": [d.Z for d in data]})], 1e6)
    assert [result.trial for result in cloud.embeddings] == [0, 1]


def test_errors_are_those_of_the_metrics(tmp_path, data):
    Z = data[0].Z[:, :1]
    (cloud,) = gather_clouds([source(tmp_path, data[:1], {"bad": ["error"], "a": [Z]})], 1e6)
    failed, good = cloud.embeddings
    expected = ranks(data[0], Z, k=[12])
    assert failed.errors == {}
    for name in ("trustworthiness", "continuity"):
        assert 1 - good.errors[name].mean() == pytest.approx(expected[f"{name}_k12"], abs=1e-14)


def test_first_trials_come_first(tmp_path, data):
    trials = {name: [d.Z for d in data] for name in ("a", "b")}
    sources = [source(tmp_path / name, data, trials) for name in ("x", "y")]
    size = 180 + 3.6 * 2 * N  # of one embedding
    sizes = {8: [2, 2, 2, 2], 5: [1, 2, 2], 4: [2, 2], 1: [0, 1], 0: [0, 0]}  # of the clouds
    for fits, expected in sizes.items():
        clouds = gather_clouds(sources, size * fits + 1)
        assert sorted(len(cloud.embeddings) for cloud in clouds) == expected
        assert sum(cloud.left_out for cloud in clouds) == 8 - fits
        if fits <= 4:
            assert all(result.trial == 0 for cloud in clouds for result in cloud.embeddings)
    assert clouds[0].n_points == 0  # nothing was read


def test_covariances_of_a_plane_are_read(tmp_path, data):
    result = source(tmp_path, data[:1], {"a": [data[0].Z], "b": [data[0].Z]})
    known = np.tile(np.diag([1.0, 2.0]), (N, 1, 1))
    for method, covariances in (("a", known), ("b", np.ones((N, 3, 3)))):
        arrays = {"embedding": data[0].Z, "fit.latent_covariances": covariances}
        write_trials(tmp_path / method, [arrays])
    a, b = gather_clouds([result], 1e6)[0].embeddings
    np.testing.assert_array_equal(a.covariances, known)
    assert b.covariances is None  # they are not of a plane
    # Ellipses take room on the page
    size = 180 + 3.6 * 2 * N
    (cloud,) = gather_clouds([result], size + 1)
    assert [embedding.method for embedding in cloud.embeddings] == ["b"]


def test_a_large_embedding_gives_way_to_small_ones(tmp_path, data):
    wide = np.tile(data[0].Z, 20)
    (cloud,) = gather_clouds([source(tmp_path, data[:1], {"wide": [wide], "a": [data[0].Z]})], 1500)
    assert [result.method for result in cloud.embeddings] == ["a"]
    assert cloud.left_out == 1


def test_images_are_small_and_clean(tmp_path, rng):
    clean = rng.uniform(size=(30, 64 * 64))
    data = [Dataset(clean + 9, clean=clean, image_shape=(64, 64))]
    (cloud,) = gather_clouds([source(tmp_path, data, {"a": [clean[:, :2]]})], 1e6)
    assert cloud.X is None
    assert cloud.images.shape == (30, 32, 32)
    assert abs(float(cloud.images.mean()) - 127) < 5


def test_other_numbers_of_neighbors_are_not_shown(tmp_path, data):
    scores = {"q_k3": 0.1, "q_k12": 0.2, "kl_0.01": 0.3, "lost": None}
    (cloud,) = gather_clouds([source(tmp_path, data[:1], {"a": [data[0].Z]}, **scores)], 1e6)
    assert cloud.embeddings[0].scores == {"q_k12": 0.2, "kl_0.01": 0.3}


def test_scores_tell_which_rows_they_are_about(tmp_path, data):
    result = source(tmp_path, data[:1], {"a": [data[0].Z]})
    folders = ["p", "p@rows=test", "p@half=scored+q@half=selecting", "p+q@rows=test", "sha=12"]
    manifests = []
    for value, folder in enumerate(folders):
        scores = {"m": float(value), "selecting.m": 9.0}
        manifests.append(tmp_path / folder / "trials-1.json")
        rows = [{"trial": 0, "scores": scores, "failures": []}]
        write_manifest(manifests[-1], key="", trials=rows)
    scored = replace(result.embeddings[0], scores=[str(manifest) for manifest in manifests])
    (cloud,) = gather_clouds([replace(result, embeddings=[scored])], 1e6)
    # Of sets with an abbreviated name, or of several kinds of rows, it is not known
    assert cloud.embeddings[0].scores == {"m": 0, "m@rows=test": 1, "m@half=scored": 2}


def test_changed_file_raises(tmp_path, data):
    result = source(tmp_path, data[:1], {"a": [data[0].Z]})
    (tmp_path / "a/trial-0.npz").write_bytes(b"else")
    with pytest.raises(Damaged, match=r"trial-0\.npz cannot be read"):
        gather_clouds([result], 1e6)
