"""Settings of a cluster: which scheduler, how large its blocks are, and how they are submitted."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from nldr.engine.reading.parsing import PlanError, Strict

if TYPE_CHECKING:
    from parsl.providers.base import ExecutionProvider

Minutes = Annotated[int, Field(ge=1, description="time limit of one block")]
# Settings that the interfaces of Parsl have by the same name
SHARED = {"account", "image", "namespace", "partition", "project", "queue", "requirements"}


class Block(Strict):
    """Size and number of blocks, the jobs of a scheduler in which the jobs of a run are run."""

    interface: ClassVar[str]  # name of a class of parsl.providers
    command: ClassVar[str] = ""  # which submits a block
    prefix: ClassVar[str] = ""  # of a line with an option in a submit script
    hint: ClassVar[str]  # which settings to check if blocks do not start

    cores: int = Field(default=16, ge=1, description="cores of one block, all on one node")
    memory_gb: int = Field(default=64, ge=1, description="memory of one block")
    blocks: int = Field(
        default=4,
        ge=1,
        description="largest number of blocks at once; as many more for jobs of several threads",
    )
    setup: list[str] = Field(default=[], description="commands on the node before Python starts")
    options: list[str] = Field(default=[], description="further options of the submit script")
    host: str | None = Field(default=None, description="name or address of this machine for nodes")

    def provider(self, setup: str) -> ExecutionProvider:
        """Return the interface of Parsl to the scheduler.

        ``setup`` has all commands that a node runs before Python starts. Raises PlanError if this
        machine lacks the command that submits blocks, or a package for it.
        """
        if self.command and shutil.which(self.command) is None:
            lack = f"this machine has no command {self.command}, which submits jobs to the cluster"
            raise PlanError(f"{lack}: run Snakemake where there is one, such as a login node")
        from parsl import providers
        from parsl.errors import OptionalModuleMissing

        make, arguments = getattr(providers, self.interface), self._arguments()
        arguments |= self.model_dump(include=SHARED)
        try:
            return make(init_blocks=0, max_blocks=self.blocks, worker_init=setup, **arguments)
        except OptionalModuleMissing as error:
            name, packages = self.interface.removesuffix("Provider"), " ".join(error.module_names)
            raise PlanError(f"{name} needs its client for Python: pip install {packages}") from None

    def _arguments(self) -> dict[str, Any]:
        """Return the further arguments of the interface."""
        raise NotImplementedError

    def _lines(self, *options: str) -> str:
        return "\n".join(f"{self.prefix}{option}" for option in (*options, *self.options))


class Slurm(Block):
    """A cluster with Slurm."""

    interface, command, prefix = "SlurmProvider", "sbatch", "#SBATCH "
    hint = (
        "`account` (`sacctmgr show associations user=$USER`), `partition`, `cores`, `memory_gb` "
        "and `minutes` (`sinfo -o '%P %l %c %m'` shows the limits) and `options`"
    )

    scheduler: Literal["slurm"]
    minutes: Minutes = 240
    account: str | None = Field(default=None, description="account that is charged")
    partition: str | None = Field(default=None, description="partition; the default if absent")

    def provider(self, setup: str) -> Any:
        """Return the interface of Parsl to Slurm; it asks for jobs that have ended, too."""
        provider: Any = super().provider(setup)
        if provider._cmd.startswith("squeue"):
            # If squeue is asked for one job only, and that has left the queue, it fails.
            provider._cmd = provider._cmd.replace("--job '{0}'", "--states=all --job '{0},{0}'")
        return provider

    def _arguments(self) -> dict[str, Any]:
        return {
            "cores_per_node": self.cores,
            "mem_per_node": self.memory_gb,
            "walltime": _clock(self.minutes),
            "exclusive": False,  # Parsl would ask for whole nodes
            "cmd_timeout": 120,
            "scheduler_options": self._lines("--no-requeue"),  # Parsl replaces lost blocks
        }


class PBS(Block):
    """A cluster with PBS Pro or OpenPBS."""

    interface, command, prefix = "PBSProProvider", "qsub", "#PBS "
    hint = (
        "`account`, `queue`, `cores`, `memory_gb` and `minutes` (`qstat -Q -f` shows the limits) "
        "and `options`"
    )

    scheduler: Literal["pbs"]
    minutes: Minutes = 240
    account: str | None = Field(default=None, description="account that is charged")
    queue: str | None = Field(default=None, description="queue; the default if absent")

    def _arguments(self) -> dict[str, Any]:
        return {
            "cpus_per_node": self.cores,
            "select_options": f"mem={self.memory_gb}gb",
            "walltime": _clock(self.minutes),
            "scheduler_options": self._lines(),
        }


class LSF(Block):
    """A cluster with LSF."""

    interface, command, prefix = "LSFProvider", "bsub", "#BSUB "
    hint = (
        "`project`, `queue`, `cores`, `memory_gb` and `minutes` (`bqueues -l` shows the limits) "
        "and `options`"
    )

    scheduler: Literal["lsf"]
    minutes: Minutes = 240
    project: str | None = Field(default=None, description="project that is charged")
    queue: str | None = Field(default=None, description="queue; the default if absent")

    def _arguments(self) -> dict[str, Any]:
        return {
            "cores_per_block": self.cores,
            "cores_per_node": self.cores,
            "request_by_nodes": False,
            "bsub_redirection": True,  # bsub reads options from its standard input only
            "walltime": _clock(self.minutes),
            "scheduler_options": self._lines(f'-R "rusage[mem={self.memory_gb}GB]"'),
        }


class SGE(Block):
    """A cluster with (Sun, Univa, Altair) Grid Engine."""

    interface, command, prefix = "GridEngineProvider", "qsub", "#$ "
    hint = (
        "`queue` (`qconf -sql`), `parallel_environment` (`qconf -spl`), `memory` (`qconf -sc`), "
        "`cores`, `memory_gb`, `minutes` and `options`"
    )

    scheduler: Literal["sge"]
    minutes: Minutes = 240
    queue: str | None = Field(default=None, description="queue; the default if absent")
    parallel_environment: str = Field(description="environment that keeps all cores on one node")
    memory: str = Field(default="h_vmem", description="resource for the memory of one core")

    def _arguments(self) -> dict[str, Any]:
        cores = f"-pe {self.parallel_environment} {self.cores}"
        memory = f"-l {self.memory}={self.memory_gb * 1024 // self.cores}M"
        return {"walltime": _clock(self.minutes), "scheduler_options": self._lines(cores, memory)}


class HTCondor(Block):
    """A pool of HTCondor whose machines see the folder of the project."""

    interface, command = "CondorProvider", "condor_submit"
    hint = (
        "`requirements`, `cores`, `memory_gb` (`condor_status` shows the machines), `project` and "
        "`options`"
    )

    scheduler: Literal["htcondor"]
    project: str = Field(default="", description="project that is charged")
    requirements: str = Field(default="", description="which machines may run blocks")

    def _arguments(self) -> dict[str, Any]:
        return {
            "cores_per_slot": self.cores,
            "mem_per_slot": self.memory_gb,
            "scheduler_options": self._lines(),
        }


class Kubernetes(Block):
    """A Kubernetes cluster: a block is a pod."""

    interface = "KubernetesProvider"
    hint = "`namespace`, `image`, `claim`, `cores` and `memory_gb` (`kubectl get events`)"

    scheduler: Literal["kubernetes"]
    namespace: str = Field(default="default", description="namespace of the pods")
    image: str = Field(description="image with Python and nldr, see envs/Containerfile")
    python: str = Field(default="python3", description="Python of the image")
    claim: str = Field(description="persistent volume claim that holds the folder of the project")
    mount: str = Field(description="where the claim is mounted, here and in the pods")
    options: list[str] = Field(default=[], max_length=0, description="none: pods have no script")

    def _arguments(self) -> dict[str, Any]:
        memory = f"{self.memory_gb}Gi"
        return {
            "persistent_volumes": [(self.claim, self.mount)],
            "init_cpu": self.cores,
            "max_cpu": self.cores,
            "init_mem": memory,
            "max_mem": memory,
        }


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}:00"


Cluster = Annotated[
    Slurm | PBS | LSF | SGE | HTCondor | Kubernetes, Field(discriminator="scheduler")
]
