"""Jobs: results, exceptions, progress, cancelling, and processes that die."""

from __future__ import annotations

import os
import pickle
import signal
import sys
import threading
from collections import deque
from itertools import repeat
from pathlib import Path

import pytest

from motionloom.core.progress import Cancelled, Silent
from motionloom.jobs import BadTask, JobFailed, Pool, TimeUp, WorkerDied, start
from motionloom.jobs import job as job_module

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals and process numbers are POSIX")


class Recorder(Silent):
    """A progress that keeps what it receives, and cancels on a stage."""

    def __init__(self, cancel_on: str = "") -> None:
        super().__init__()
        self.seen: list[tuple[float | None, str]] = []
        self.cancel_on = cancel_on

    def __call__(self, share: float | None, stage: str) -> None:
        self.seen.append((share, stage))
        if stage == self.cancel_on:
            self.stop[0] = 1
        super().__call__(share, stage)


def test_a_task_is_done_in_another_process_which_is_kept_for_the_next(pool, tasks):
    first, second = (pool.start(tasks.pid_of, k).result() for k in range(2))
    assert first == second != os.getpid()


def test_two_jobs_at_once_run_in_two_processes_and_a_third_one_waits(pool, tasks, tmp_path, appears):
    notes = [tmp_path / f"{k}" for k in range(3)]
    jobs = [pool.start(tasks.poll_for_ever, note) for note in notes]
    for note in notes[:2]:
        appears(note)
    assert not notes[2].exists()
    jobs[0].cancel()
    appears(notes[2])


def test_a_kept_process_follows_the_current_folder_and_our_variables(pool, tasks, tmp_path, monkeypatch):
    assert pool.start(os.getcwd).result() == os.getcwd() != str(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOTIONLOOM_LIMITS", "frames=3")
    assert pool.start(os.getcwd).result() == str(tmp_path)
    assert pool.start(os.getenv, "MOTIONLOOM_LIMITS").result() == "frames=3"
    monkeypatch.delenv("MOTIONLOOM_LIMITS")
    assert pool.start(os.getenv, "MOTIONLOOM_LIMITS").result() is None


def test_arrays_come_back_bit_for_bit(pool):
    import numpy as np

    from motionloom.rotation import normalize

    q = np.random.default_rng(0).standard_normal((50_000, 4))
    assert np.array_equal(pool.start(normalize, q).result(), normalize(q))


def test_the_exception_of_a_task_is_raised_with_the_traceback_of_its_process(pool, tasks):
    with pytest.raises(ValueError, match="wrong") as caught:
        pool.start(tasks.raise_value_error, "wrong").result()
    assert "in raise_value_error" in caught.value.__notes__[0]


@pytest.mark.parametrize(("task", "text"), [("raise_odd", "Odd: 1 and 2"), ("leave", "SystemExit: 4")])
def test_an_exception_that_cannot_be_passed_on_is_named(pool, tasks, task, text):
    with pytest.raises(JobFailed, match=f"{task}: {text}"):
        pool.start(getattr(tasks, task)).result()
    assert pool.start(tasks.pid_of, 0).result()


def test_what_a_task_prints_and_reads_is_not_in_the_messages(pool, tasks):
    assert pool.start(tasks.print_and_read).result() == ""


def test_progress_is_forwarded_and_ends_at_one(pool, tasks):
    seen = Recorder()
    job = pool.start(tasks.work_in_steps, 500)
    assert job.result(seen) == 500
    shares = [share for share, _ in seen.seen if share is not None]
    assert shares == sorted(shares)
    assert seen.seen[-1] == (1.0, "done")
    assert job.progress == (1.0, "done")


def test_a_stop_that_was_set_before_the_work_starts_cancels_it(pool, tasks, tmp_path):
    waiting = Recorder()
    waiting.stop[0] = 1
    with pytest.raises(Cancelled):
        pool.start(tasks.poll_for_ever, tmp_path / "note").result(waiting)


def test_a_job_that_waits_for_a_worker_is_cancelled_at_once(tasks, tmp_path, appears):
    pool = Pool(1)
    running = pool.start(tasks.poll_for_ever, tmp_path / "running")
    appears(tmp_path / "running")
    waiting = pool.start(tasks.poll_for_ever, tmp_path / "waiting")
    waiting.cancel()
    assert waiting.done
    assert not running.done
    pool.close()
    assert not (tmp_path / "waiting").exists()


@pytest.mark.parametrize("task", ["poll_for_ever", "sleep_for_ever"])
def test_a_task_that_stops_when_asked_leaves_its_process_running(pool, tasks, tmp_path, appears, task):
    before = pool.start(tasks.pid_of, 0).result()
    job = pool.start(getattr(tasks, task), tmp_path / "note")
    appears(tmp_path / "note")
    job.cancel(grace=60)
    with pytest.raises(Cancelled, match=f"{task} note: cancelled"):
        job.result()
    assert pool.start(tasks.pid_of, 0).result() == before
    assert (tmp_path / "note").read_text() == ("running" if task == "poll_for_ever" else "interrupted")


def test_a_task_that_ignores_stop_is_killed_with_its_children(pool, tasks, tmp_path, appears, ended):
    job = pool.start(tasks.ignore_stop, tmp_path / "pids")
    pids = [int(n) for n in appears(tmp_path / "pids").split()]
    job.cancel()
    with pytest.raises(Cancelled):
        job.result()
    assert [ended(pid) for pid in pids] == [True] * 3
    assert pool.start(tasks.pid_of, 0).result() not in pids


def test_the_process_is_killed_half_a_second_after_the_request_to_stop(pool, tasks, tmp_path, appears, monkeypatch):
    timers = []

    class Timer(threading.Timer):
        def __init__(self, seconds, action):
            timers.append(seconds)
            super().__init__(0.01, action)

    monkeypatch.setattr(job_module, "Timer", Timer)
    job = pool.start(tasks.ignore_stop, tmp_path / "pids")
    appears(tmp_path / "pids")
    job.cancel()
    job.wait()
    assert timers == [0.5]


def test_ctrl_c_while_waiting_cancels_the_job(pool, tasks, tmp_path, appears, monkeypatch):
    class Interrupting(Silent):
        def __call__(self, share, stage):
            raise KeyboardInterrupt

    job = pool.start(tasks.poll_for_ever, tmp_path / "note")
    with pytest.raises(Cancelled):
        job.result(Interrupting())
    assert job.done


def test_a_process_that_is_killed_names_the_file_and_the_signal(pool, tasks, tmp_path, appears):
    job = pool.start(tasks.ignore_stop, tmp_path / "walk.fbx")
    os.kill(int(appears(tmp_path / "walk.fbx").split()[0]), signal.SIGKILL)
    with pytest.raises(WorkerDied, match=r"ignore_stop walk.fbx: its process was killed by SIGKILL"):
        job.result()


def test_a_process_that_ends_by_itself_tells_its_code(pool):
    with pytest.raises(WorkerDied, match="reading walk: its process ended with code 3"):
        pool.start(os._exit, 3, name="reading walk").result()


def test_a_worker_that_was_killed_between_two_jobs_is_replaced(pool, tasks, ended):
    pid = pool.start(tasks.pid_of, 0).result()
    os.kill(pid, signal.SIGKILL)
    assert ended(pid)
    assert pool.start(tasks.pid_of, 0).result() != pid


def test_a_process_that_is_not_to_be_reused_ends_with_its_job(pool, tasks, ended):
    pid = pool.start(tasks.pid_of, 0, reuse=False).result()
    assert ended(pid)
    assert pool.start(tasks.pid_of, 0).result() != pid


def test_workers_end_with_the_pool(tasks, ended):
    pool = Pool(1)
    pid = pool.start(tasks.pid_of, 0).result()
    pool.close()
    assert ended(pid)
    with pytest.raises(JobFailed, match="closed"):
        pool.start(tasks.pid_of, 0)


def test_workers_end_with_the_process_that_started_them(tasks, tmp_path, appears, ended):
    import subprocess

    note = tmp_path / "pids"
    code = f"""
from pathlib import Path
from motionloom.jobs import start
import job_tasks
start(job_tasks.ignore_stop, Path({str(note)!r})).result()
"""
    owner = subprocess.Popen([sys.executable, "-c", code])
    pids = [int(n) for n in appears(note).split()]
    owner.kill()
    owner.wait()
    assert [ended(pid) for pid in pids] == [True] * 3


def test_values_of_a_task_that_yields_come_as_they_are_made(pool, tasks):
    values = pool.start(tasks.count_then_wait, 3).values()
    assert [next(values) for _ in range(3)] == [0, 1, 2]
    values.close()


def test_all_values_are_the_result(pool):
    job = pool.start(map, abs, [-1, 2, -3])
    assert job.result() == job.result() == [1, 2, 3]


def test_a_task_that_takes_too_long_is_stopped_after_what_it_has_yielded(pool, tasks):
    values = pool.start(tasks.count_then_wait, 2, seconds=0.5).values()
    assert [next(values), next(values)] == [0, 1]
    with pytest.raises(TimeUp, match=r"count_then_wait: stopped after 0\.5 s"):
        next(values)


def test_an_endless_stream_is_stopped_and_does_not_fill_the_memory(pool):
    job = pool.start(repeat, "x" * 100_000, seconds=0.3)
    job.wait()
    assert len(job._values) <= job_module.MAX_BUFFERED
    with pytest.raises(TimeUp):
        deque(job.values(), maxlen=1)


@pytest.mark.parametrize("arguments", [(lambda: 0,), (len, threading.Lock())])
def test_what_cannot_be_pickled_is_refused_with_the_reason(pool, arguments):
    with pytest.raises(BadTask, match=r"cannot be sent to a worker process \(.*a task is a function of a module"):
        pool.start(*arguments)


def test_a_result_that_cannot_be_pickled_is_refused_with_the_reason(pool, tasks):
    with pytest.raises(BadTask, match=r"the result \(function\) cannot be sent"):
        pool.start(tasks.not_picklable).result()


def test_a_task_that_the_worker_cannot_import_is_refused_with_the_reason(pool, monkeypatch):
    module = type(sys)("only_here")
    exec("def task(): pass", module.__dict__)
    module.task.__module__ = "only_here"
    monkeypatch.setitem(sys.modules, "only_here", module)
    with pytest.raises(BadTask, match=r"cannot be imported in a worker process \(ModuleNotFoundError"):
        pool.start(module.task).result()


def test_errors_survive_a_journey_of_their_own():
    again = pickle.loads(pickle.dumps(WorkerDied("walk.fbx", -11)))
    assert (again.code, str(again)) == (-11, "walk.fbx: its process was killed by SIGSEGV")


def test_nothing_is_imported_from_the_current_folder(tasks, tmp_path: Path, monkeypatch):
    for name in ("numpy", "motionloom", "divmod"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'executed')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(["", os.environ["PYTHONPATH"], ""]))
    pool = Pool(1)
    assert pool.start(divmod, 17, 5).result() == (3, 2)
    pool.close()
    assert not (tmp_path / "executed").exists()


def test_start_uses_one_pool_for_the_whole_process(tasks):
    assert start(os.getpid).result() != os.getpid()
