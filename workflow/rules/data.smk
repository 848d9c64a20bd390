# Needs nothing. Makes one trial of one dataset.


rule data:
    output:
        layout.DATA,
    log:
        "results/logs/data/{data}/trial-{trial}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=4096,
        runtime=30,
    params:
        job=lambda w: plan.data_job(w.data, int(w.trial)),
        code=lambda w: plan.catalog.fingerprint("data.py", plan.data[w.data].entry.function),
    script:
        "../scripts/data.py"
