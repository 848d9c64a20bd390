"""Published numbers of a small study, and rows of its table."""

from nldr.claims.jobs import PublishedJoin, StudyNumbers

# Three printed digits; PCA is exact on data without random numbers, Isomap and t-SNE are drawn.
PUBLISHED = """dataset,method,n,r2,sd,seconds,trials
gp,PCA,10,0.500,0.010,1.5,50
gp,Isomap,10,0.700,0.010,2.5,50
gp,Isomap,20,0.700,0.010,,50
gp,t-SNE,10,0.800,,,1
gp,LLE,10,0.300,0.010,,50
gp,Unheard of,10,0.100,0.010,,50
"""
NUMBERS = StudyNumbers(
    scale="quick",
    metrics={"r2": "higher"},
    full=[("gp@n=10", "pca"), ("gp@n=10", "isomap"), ("gp@n=10", "tsne")],
    exact=[],
    methods=["pca", "isomap", "tsne"],
    published=PublishedJoin(
        keys={"dataset": "dataset", "method": "method", "n": "data.n"},
        names={},
        where={},
        values={"r2": ["r2", "sd"], "seconds": ["seconds"]},
        titles={
            "dataset": {},
            "method": {"pca": "PCA", "isomap": "Isomap", "tsne": "t-SNE", "lle": "LLE"},
        },
        margins={"r2": 0.02},
        n_trials="trials",
    ),
)


def rows(method, scores, n=10, **more):
    names = {"dataset": "gp", "data_cell": f"gp@n={n}", "method": method, "method_cell": method}
    common = {**names, "data.n": str(n), "status": "ok", **more}
    return [{**common, "r2": str(score)} for score in scores]


NEAR = [0.699, 0.701, 0.700, 0.702, 0.698, 0.700]
