"""GPLVM and Bayesian GPLVM beside GPy and GPflow: CPU seconds of an evaluation and of a fit.

All use one thread, the same data, the SE kernel with one length scale per dimension, and the same
starting values. An evaluation is the value and the gradient with respect to all variables; the
median of runs in alternation is printed. A fit starts from principal components; printed are the
seconds until it first reaches a common value: the lowest of the values at which the fits stop. Each
fit has the optimizer that its library uses, L-BFGS-B.

The packages are not needed for anything else; one that is missing is left out. GPflow 2.11 needs
NumPy below 2, so they need a separate environment, with the packages that ``nldr`` imports::

    python -m venv gp
    gp/bin/pip install GPy gpflow matplotlib lazy_loader scikit-learn networkx
    PYTHONPATH=src gp/bin/python benchmarks/gp_libraries.py --samples 200 500
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable
from statistics import median

import numpy as np

# Libraries read these when they are imported
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TF_NUM_INTRAOP_THREADS", "1")
os.environ.setdefault("TF_NUM_INTEROP_THREADS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

N_COMPONENTS, N_INDUCING, START_VARIANCE, NOISE = 2, 20, 0.1, 0.1


def main() -> None:
    """Print one line per model, library and number of points."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[200, 500], help="points")
    parser.add_argument("--features", type=int, default=20, help="of the data (20)")
    parser.add_argument("--runs", type=int, default=7, help="evaluations per library (7)")
    parser.add_argument("--iterations", type=int, default=200, help="of each fit (200); 0: none")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    models = {"GPLVM": exact_models, "Bayesian GPLVM": bayesian_models}
    for n_samples in options.samples:
        Y, X = data(n_samples, options.features)
        for name, build in models.items():
            compare(f"{name}, {n_samples} points", build(Y, X), options)


def data(n_samples: int, n_features: int) -> tuple[np.ndarray, np.ndarray]:
    """Return noisy smooth functions of a plane, standardized, and their principal components."""
    rng = np.random.default_rng(0)
    latent = rng.uniform(-2, 2, (n_samples, 2))
    Y = np.sin(latent @ rng.normal(size=(2, n_features)) + rng.uniform(0, 6, n_features))
    Y += 0.1 * rng.normal(size=Y.shape)
    Y -= Y.mean(axis=0)
    Y /= np.sqrt(np.mean(Y**2))
    U, s, _ = np.linalg.svd(Y, full_matrices=False)
    X = U[:, :N_COMPONENTS] * s[:N_COMPONENTS]
    return Y, X / np.sqrt(np.mean(X**2, axis=0))


def compare(title: str, libraries: dict[str, tuple], options: argparse.Namespace) -> None:
    """Print the times of all libraries."""
    # Evaluations in alternation, so that a busy machine slows all alike; the first is not counted
    times: dict[str, list[float]] = {name: [] for name in libraries}
    values = {}
    for run in range(options.runs + 1):
        for name, (x, evaluate) in libraries.items():
            moved = x + 1e-3 * np.random.default_rng(run).normal(size=x.shape)
            start = time.process_time()
            evaluate(moved)
            times[name].append(time.process_time() - start)
            values[name] = evaluate(x)[0]
    # Fits: value and seconds after each evaluation
    courses = {name: fit(*parts, options.iterations) for name, parts in libraries.items()}
    target = min(course[-1][1] for course in courses.values())
    print(title)
    for name in libraries:
        seconds = median(times[name][1:])
        reached = next((t for t, value in courses[name] if value >= target - 1e-6 * abs(target)), 0)
        print(
            f"  {name:7s} value at start {values[name]:12.3f}  evaluation {1e3 * seconds:8.2f} ms  "
            f"fit to {target:.1f}: {reached:7.2f} s, {courses[name][-1][1]:.1f} at the end",
            flush=True,
        )


def fit(x: np.ndarray, evaluate: Callable, iterations: int) -> list[tuple[float, float]]:
    """Return CPU seconds and the best value so far after each evaluation of L-BFGS-B."""
    from scipy.optimize import minimize

    course: list[tuple[float, float]] = []
    start = time.process_time()

    def negated(point: np.ndarray) -> tuple[float, np.ndarray]:
        try:
            value, gradient = evaluate(point)
        except Exception:  # a covariance matrix that is not positive definite
            value = np.nan
        best = course[-1][1] if course else -np.inf
        course.append((time.process_time() - start, max(best, value if value == value else best)))
        if not np.isfinite(value):
            return 1e10, np.zeros_like(point)
        return -value, -gradient

    minimize(negated, x, jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    return course


def exact_models(Y: np.ndarray, X: np.ndarray) -> dict[str, tuple]:
    """Return variables and evaluation of the GPLVM in each library."""
    from nldr import kernels
    from nldr.methods.gp.exact._likelihood import log_likelihood
    from nldr.methods.gp.kernels import Stationary, White

    start = Stationary(kernels.SquaredExponential(), 1.0, np.ones(N_COMPONENTS)) + White(NOISE)

    def evaluate(x: np.ndarray) -> tuple[float, np.ndarray]:
        kernel = start.with_log_params(x[X.size :])
        points = x[: X.size].reshape(X.shape)
        value, by_points, by_params = log_likelihood(kernel, points, Y, Y.shape[1])
        return value, np.concatenate([by_points.ravel(), by_params])

    models = {"nldr": (np.concatenate([X.ravel(), start.log_params()]), evaluate)}
    try:
        import GPy

        kernel = GPy.kern.RBF(N_COMPONENTS, ARD=True)
        model = GPy.models.GPLVM(Y, N_COMPONENTS, X=X.copy(), kernel=kernel)
        models["GPy"] = from_gpy(model)
    except ImportError as error:
        print("GPy is left out:", error)
    try:
        import gpflow

        kernel = gpflow.kernels.SquaredExponential(lengthscales=np.ones(N_COMPONENTS))
        model = gpflow.models.GPLVM(Y, N_COMPONENTS, X_data_mean=X.copy(), kernel=kernel)
        models["GPflow"] = from_gpflow(model)
    except ImportError as error:
        print("GPflow is left out:", error)
    return models


def bayesian_models(Y: np.ndarray, X: np.ndarray) -> dict[str, tuple]:
    """Return variables and evaluation of the Bayesian GPLVM in each library."""
    from nldr.methods.gp.bayesian_gplvm import OFF, BayesianBound

    Z = X[np.random.default_rng(1).permutation(len(X))[:N_INDUCING]]
    spread = np.full_like(X, START_VARIANCE)
    # Kernel without linear part and white noise
    logs = np.array([0.0, OFF, *[0.0] * N_COMPONENTS, *[OFF] * N_COMPONENTS])
    bound = BayesianBound(Y, Y.shape[1], N_INDUCING, N_COMPONENTS)
    x = bound.join(X, np.log(spread), Z, logs, -np.log(NOISE))
    is_free = x > OFF / 2

    def evaluate(point: np.ndarray) -> tuple[float, np.ndarray]:
        variables = x.copy()
        variables[is_free] = point
        value, gradient = bound(variables)
        return value, gradient[is_free]

    models = {"nldr": (x[is_free], evaluate)}
    try:
        import GPy

        start = {"X": X.copy(), "X_variance": spread.copy(), "Z": Z.copy()}
        start["kernel"] = GPy.kern.RBF(N_COMPONENTS, ARD=True)
        model = GPy.models.BayesianGPLVM(Y, N_COMPONENTS, num_inducing=N_INDUCING, **start)
        models["GPy"] = from_gpy(model)
    except ImportError:
        pass  # exact_models has printed it
    try:
        import gpflow

        kernel = gpflow.kernels.SquaredExponential(lengthscales=np.ones(N_COMPONENTS))
        start = {"X_data_mean": X.copy(), "X_data_var": spread.copy(), "kernel": kernel}
        model = gpflow.models.BayesianGPLVM(Y, inducing_variable=Z.copy(), **start)
        models["GPflow"] = from_gpflow(model)
    except ImportError:
        pass
    return models


def from_gpy(model) -> tuple:
    """Return variables and evaluation of a model of GPy."""
    model.likelihood.variance = NOISE

    def evaluate(x: np.ndarray) -> tuple[float, np.ndarray]:
        value, gradient = model._objective_grads(x)
        return -float(value), -np.asarray(gradient)

    return model.optimizer_array.copy(), evaluate


def from_gpflow(model) -> tuple:
    """Return variables and evaluation of a model of GPflow, as a compiled function."""
    import tensorflow as tf

    model.likelihood.variance.assign(NOISE)
    variables = model.trainable_variables

    @tf.function
    def value_and_gradients():
        with tf.GradientTape() as tape:
            value = model.maximum_log_likelihood_objective()
        return value, tape.gradient(value, variables)

    def evaluate(x: np.ndarray) -> tuple[float, np.ndarray]:
        ends = np.cumsum([int(tf.size(v)) for v in variables])[:-1]
        for variable, part in zip(variables, np.split(x, ends), strict=True):
            variable.assign(part.reshape(variable.shape))
        value, gradients = value_and_gradients()
        return float(value), np.concatenate([g.numpy().ravel() for g in gradients])

    return np.concatenate([v.numpy().ravel() for v in variables]), evaluate


if __name__ == "__main__":
    main()
