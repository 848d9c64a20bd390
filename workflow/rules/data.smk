# Needs nothing. Makes one trial of one data set.


rule data:
    output:
        cells.DATA,
    log:
        "results/logs/data/{data}/trial-{trial}.log",
    params:
        job=lambda w: plan.data_job(w.data, int(w.trial)),
        code=lambda w: plan.fingerprint("data.py", plan.data[w.data].entry.function),
    resources:
        mem_mb=4096,
        runtime=30,
    conda:
        "../../envs/environment.yaml"
    script:
        "../scripts/data.py"
