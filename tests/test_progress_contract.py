"""The law of progress for the public functions: a long input is never worked on for long without a call."""

from __future__ import annotations

import inspect
import time
from importlib import import_module

import pytest

import motionloom as ml
from motionloom import blend, kinematics, plot, recipes, samples
from motionloom.analysis import measure_named
from motionloom.control.crowd_clips import crowd_clips
from motionloom.core import Cancelled, Markers
from motionloom.core import progress as reporting
from motionloom.core.progress import Silent
from motionloom.io import formats
from motionloom.plot.source_pictures import save_provenance

SHORT = 0.2  # s of processor time for a minute of motion; less is not looked at
LARGEST_STRETCH = 1 / 3  # of the processor time of a function, between two calls
WITHOUT = {  # functions of whole clips without `progress`: below a second for half an hour of motion
    "analysis": """align_cycles at_times best_of_tiles contacts_agree cycle_times joint_weights measure_named same_rate
        scales warp warp_by_path""",
    "blend": "append",  # passes it on
    "constraints": "check facing gaze lead_path lead_poses missed_by residuals unmet walked",
    "control": "foot_locked overlaid varied",
    "core": "concatenate replace require_same_hierarchy same_hierarchy with_labels",
    "io": "with_roles write_labels",
    "kinematics": """along contacts crop end_positions fit_layout fk fk_rotations from_channels headings in_place
        limb_rotations measure_skate mirror moved on_skeleton part_positions place_limb placed repeat root_motion
        same_bones seam seam_features skate_a skate_b skate_c solve_chain to_channels travel turned with_contacts""",
    "plot": "save_contact_sheet",  # passes it on
    "recipes": "trim",
}


class Stretches(Silent):
    """The processor time between calls; cancels at call number `most`."""

    def __init__(self, most=None):
        super().__init__()
        self.longest, self.calls, self.most = 0.0, 0, most
        self.first = self.last = time.process_time()
        self.shares = []

    def __call__(self, share, stage):
        super().__call__(share, stage)
        now = time.process_time()
        self.longest, self.last = max(self.longest, now - self.last), now
        self.calls += 1
        self.shares += [] if share is None else [share]
        if self.calls == self.most:
            self.stop[0] = 1


@pytest.fixture(scope="module")
def long():
    """A minute of walking with labels, of whole frames."""
    return samples.make("walk", seed=1, seconds=60, fps=60)


@pytest.fixture(scope="module")
def model(long):
    return ml.learn("motion-graph", [long[:900], long[900:1800]])


def saved(suffix):
    return lambda c, m, out, p: ml.save(c, out / f"x{suffix}", progress=p)


def save_markers(clip, path, progress):
    markers = Markers(clip.skeleton.names, kinematics.fk(clip), clip.fps)
    formats.save_markers(markers, path, progress=progress)


WORK = {
    **{f"save {s}": saved(s) for s in (".bvh", ".npz", ".glb", ".usda", ".smpl.npz", ".npy")},
    "save markers": lambda c, m, out, p: save_markers(c, out / "x.trc", p),
    "resample": lambda c, m, out, p: ml.resample(c, 50.0, progress=p),
    "close loop": lambda c, m, out, p: ml.close_loop(c, progress=p),
    "find loop": lambda c, m, out, p: ml.find_loop(c, progress=p),
    "remove skate": lambda c, m, out, p: ml.remove_skate(c, progress=p),
    "retarget": lambda c, m, out, p: kinematics.retarget(c, samples.make("walk", seed=2, seconds=2), progress=p),
    "stitch": lambda c, m, out, p: blend.stitch(c, c, progress=p),
    "blend transition": lambda c, m, out, p: blend.blend_transition(c, c, progress=p),
    "convert": lambda c, m, out, p: ml.convert(c, resample=50.0, stand=True, root_bone=True, progress=p),
    "loop": lambda c, m, out, p: recipes.loop(c, times=2, progress=p),
    "clean": lambda c, m, out, p: ml.clean(c, repair=True, find_contacts=True, progress=p),
    "fill": lambda c, m, out, p: ml.clean(c, fill=[(5, 5.5)], progress=p),
    "append": lambda c, m, out, p: ml.append(c, c, progress=p),
    "append, spacetime": lambda c, m, out, p: ml.append(c, c, method="spacetime", progress=p),
    "splice": lambda c, m, out, p: ml.splice(c[:600], c[900:1500], crop=True, progress=p),
    "bands": lambda c, m, out, p: ml.change_bands(c, gains=[1.0, 1.2], progress=p),
    "fourier": lambda c, m, out, p: ml.fourier_motion(c[:600], seconds=30, progress=p),
    "align": lambda c, m, out, p: ml.align(c[:900], c[900:1800], progress=p),
    "similar": lambda c, m, out, p: ml.find_similar(c[:1800], c[1800:], measure_named("point-cloud"), progress=p),
    "web": lambda c, m, out, p: ml.build_web([c], progress=p),
    "check": lambda c, m, out, p: ml.check_clips([c, c[:900]], progress=p),
    "evaluate": lambda c, m, out, p: ml.evaluate_clips([c[:900]], [c[900:1800]], progress=p),
    "learn": lambda c, m, out, p: ml.learn("cuts", [c], progress=p),
    "synthesize": lambda c, m, out, p: ml.synthesize(m, ml.Request(seconds=60), progress=p),
    "stream": lambda c, m, out, p: ml.stream_clip(m, 30.0, progress=p),
    "crowd": lambda c, m, out, p: crowd_clips(m, 5, 10.0, progress=p),
    "filmstrip": lambda c, m, out, p: plot.save_filmstrip(c, out / "x.png", progress=p),
    "contact sheet": lambda c, m, out, p: plot.save_contact_sheet(c, out / "x.png", progress=p),
    "player": lambda c, m, out, p: plot.write_player(c, out / "x.html", progress=p),
    "sources": lambda c, m, out, p: save_provenance(c, out / "x.png", progress=p),
    "animation": lambda c, m, out, p: plot.animate(c[:120], out / "x.webp", progress=p),
}
"""Each takes a minute of motion, a model, a folder for results, and a progress."""


@pytest.fixture(autouse=True)
def often(monkeypatch):
    monkeypatch.setattr(reporting, "INTERVAL", 0.002)
    monkeypatch.setattr(formats, "LARGE", 1e12)


@pytest.mark.parametrize("work", WORK)
def test_no_stretch_of_work_is_long(work, long, model, tmp_path):
    WORK[work](long, model, tmp_path, None)  # kernels are compiled
    for _ in range(5):  # another process of the machine may have had the processor's cache meanwhile
        progress = Stretches()
        WORK[work](long, model, tmp_path, progress)
        total = time.process_time() - progress.first
        assert progress.shares == sorted(progress.shares)
        assert progress.shares[-1] == 1.0
        if total < SHORT or progress.longest < LARGEST_STRETCH * total:
            return
    pytest.fail(f"{progress.longest:.2f} of {total:.2f} s of processor time without a call")


@pytest.mark.parametrize("work", WORK)
def test_cancelling_leaves_no_file(work, long, model, tmp_path):
    with pytest.raises(Cancelled):
        WORK[work](long, model, tmp_path, Stretches(most=2))
    assert list(tmp_path.iterdir()) == []


def clip_functions(folder):
    """The public functions of a folder that take clips."""
    module = import_module(f"motionloom.{folder}")
    for name in module.__all__:
        function = getattr(module, name)
        if inspect.isfunction(function):
            parameters = inspect.signature(function).parameters
            if any("Clip" in str(p.annotation) for p in parameters.values()):
                yield name, "progress" in parameters


@pytest.mark.parametrize("folder", ml._FOLDERS)
def test_every_public_function_of_clips_takes_progress_or_is_short(folder):
    without = {name for name, takes in clip_functions(folder) if not takes}
    assert without <= set(WITHOUT.get(folder, "").split())
