# Makes one trial of one dataset, from nothing.


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
        job=lambda w: (plan.data_job(w.data, int(w.trial)),),  # a tuple: Snakemake compares built-in types only
        records=layout.RECORDS,
    script:
        "../scripts/data.py"
