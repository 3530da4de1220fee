"""Work in spawned processes, kept running between jobs: progress, cancelling, time limits, many items at once.

>>> from motionloom.jobs import start
>>> start(divmod, 17, 5).result()
(3, 2)
"""

from motionloom.jobs.environment import in_worker
from motionloom.jobs.errors import BadTask, JobFailed, TimeUp, WorkerDied
from motionloom.jobs.job import GRACE, Job, JobProgress
from motionloom.jobs.pool import Pool, start
from motionloom.jobs.run_each import MIN_FILES, each

__all__ = [
    "GRACE",
    "MIN_FILES",
    "BadTask",
    "Job",
    "JobFailed",
    "JobProgress",
    "Pool",
    "TimeUp",
    "WorkerDied",
    "each",
    "in_worker",
    "start",
]
