"""Repeating a recipe: the same bytes on the same version and platform, or a report of what is missing or differs."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from motionloom.constraints import MotionParameter, Request, parameter_table
from motionloom.control import crowd_member, stream_clip
from motionloom.control.graph_walks import chosen_moves, random_walk
from motionloom.core import Clip, Made, Markers, MotionloomError, NoPath, Progress, Read, part, silent
from motionloom.core import replace as clip_with
from motionloom.core.files import Files
from motionloom.core.recipe import Input
from motionloom.core.watched import watched
from motionloom.io import load_take, save
from motionloom.io.digest import clip_sha256, file_sha256
from motionloom.io.formats import format_of
from motionloom.io.sidecars.origin import unrecorded
from motionloom.methods import METHODS, Model, attempt, learn, load_model
from motionloom.methods.graph.frame_names import frame_named
from motionloom.methods.packing import Unpacker
from motionloom.methods.two_level_graph import TwoLevelGraphModel
from motionloom.methods.two_level_graph.performance import act_out
from motionloom.recipes.blending import blend_clips, change_bands, fourier_motion
from motionloom.recipes.finder import Finder
from motionloom.recipes.read_recipe import Repeated, differences, recipe_of
from motionloom.recipes.recipe_inputs import inputs_of, is_recipe, learned_with
from motionloom.recipes.recorded_edits import align, append, clean, convert, loop, options_of, retarget, trim
from motionloom.recipes.splicing import splice
from motionloom.recipes.transferring import transfer
from motionloom.samples import make

LEARNED = 0.6  # learning a model as a share of making its clip again


class CannotRepeat(MotionloomError):
    """A recipe that cannot be repeated here: a source is missing, or was changed."""


@watched
def again(
    path: str | Path,
    sources: str | Path,
    out: str | Path,
    *,
    parameters: Sequence[MotionParameter] = (),
    progress: Progress | None = None,
) -> Repeated:
    """Make the clip of a file again from its recipe and write it to `out`.

    `parameters` are motion parameters of the user's that the recipe measured; see `constraints.load_parameter`.

    Inputs are found in the folder `sources` by their SHA-256, whatever their names. A model that is not there is
    learned again, a clip that was made by an earlier step is made again. `CannotRepeat` lists every input that is
    missing or was changed.
    """
    steps = recipe_of(path)
    with tempfile.TemporaryDirectory(prefix="motionloom_again_") as folder:
        report = progress or silent()
        report(0.0, "looking for the inputs")
        repeater = _Repeater(Finder(sources), steps, Path(folder), part(report, 0.0, 0.95), tuple(parameters))
        try:
            missing = list(dict.fromkeys(repeater.missing(steps[-1])))
            if missing:
                raise CannotRepeat(f"{Path(path).name} cannot be made again: {'; '.join(missing)}")
            clip, writing = repeater.repeat(steps[-1])
        except MotionloomError:
            raise
        except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
            why = (
                f"{steps[-1].describe()}: {type(error).__name__}: {str(error)[:200]}"  # options that no command writes
            )
            raise CannotRepeat(f"{Path(path).name} has a damaged recipe: {why}") from error
        clip, last = _made_by(clip, steps), steps[-1]
        found = tuple(differences(last))
        if not found and file_sha256(path) == last.output:  # an unchanged file: only another motion gives other bytes
            repeated = Path(folder) / Path(path).name
            save(clip, repeated, **writing)
            if file_sha256(repeated) != last.output:
                raise CannotRepeat(f"{Path(path).name} cannot be made again: {_other_bytes(Path(path).name, last)}")
        save(clip, out, title=Path(path).stem, progress=part(report, 0.95, 1.0), **writing)
        report(1.0, "done")
    alike = format_of(path) is format_of(out) and last.output
    same = file_sha256(out) == last.output if alike else None
    return Repeated(clip, last, same, found)


def _other_bytes(name: str, step: Made) -> str:
    return f"{unrecorded(name, step)}; or motionloom or one of its libraries was changed since, at the same version"


@dataclass
class _Repeater:
    """The inputs of a recipe put into a folder under their own names, and the steps repeated there."""

    finder: Finder
    steps: tuple[Made, ...]
    folder: Path
    progress: Progress  # of the whole; a step that is repeated for another one goes back, and is held where it was
    parameters: tuple[MotionParameter, ...] = ()  # the user's own
    remade: dict[str, Path] = field(default_factory=dict)  # by SHA-256

    def missing(self, step: Made) -> Iterator[str]:
        """In words, each input that neither is in the folder nor can be made again."""
        relearned = step.model is None or self.finder.find(step.model.sha256, step.model.name) is None
        unknown = [name for name in step.measured if name not in {p.name for p in self.parameters}]
        needed = f"; the file of its model is not in {self.finder.folder}" if step.model is not None else ""
        if step.gap:
            yield step.gap
            return
        if relearned and step.method and (step.learning_gap or unknown):
            own = f"{', '.join(unknown)} was measured by a function of the user's: give it with --measure"
            yield (step.learning_gap or own) + needed
            return
        reads = (*(step.clips if relearned or not step.method else ()), *step.poses)
        for read in reads:
            absent = [item for item in inputs_of(read) if self.finder.find(item.sha256, item.name) is None]
            maker = self._maker(read.sha256, step) if absent else None
            if maker is not None:
                yield from self.missing(maker)
            for item in absent if maker is None else ():
                yield self._absent(item)
        for item in step.files:
            if not relearned and item in learned_with(step):
                continue
            if self.finder.find(item.sha256, item.name) is None:
                yield self._absent(item)

    def _absent(self, item: Input) -> str:
        """In words: a file that is not there, or has another content."""
        if (other := self.finder.changed(item.name)) is not None:
            return f"{other} was changed (sha256 {file_sha256(other)[:12]}, expected {item.sha256[:12]})"
        return f"{item.name} (sha256 {item.sha256[:12]}) is not in {self.finder.folder}"

    def _maker(self, sha256: str, before: Made) -> Made | None:
        """The step that wrote this file, among those before another one."""
        earlier = self.steps[: self.steps.index(before)]
        return next((step for step in earlier if step.output == sha256), None)

    def repeat(self, step: Made) -> tuple[Clip, dict[str, Any]]:
        """The clip of a step, and the options of `save`."""
        if step.command not in REPEATS:
            raise CannotRepeat(f"`motionloom {step.command}` cannot be repeated; {', '.join(REPEATS)} can")
        clip = REPEATS[step.command](step, self)
        options = options_of(step)
        return clip, {"unit": options.get("to_unit"), "up": options.get("to_up")} if step.command == "convert" else {}

    def clip(self, read: Read, step: Made) -> Clip:
        """A clip as a step read it."""
        found = self.take(read, step)
        if not isinstance(found, Clip):
            raise CannotRepeat(f"{read.name}: expected a clip, found markers")
        return found

    def clips(self, step: Made) -> list[Clip]:
        """The clips that a step read."""
        return [self.clip(read, step) for read in step.clips]

    def take(self, read: Read, step: Made) -> Clip | Markers:
        """A clip or markers as a step read them: the file, and those beside it, in a folder of their own."""
        found = [(item, self.finder.find(item.sha256, item.name)) for item in inputs_of(read, recipe=True)]
        if any(path is None and not is_recipe(item) for item, path in found):
            home = self._remade(read, step).parent
        else:
            home = Path(tempfile.mkdtemp(dir=self.folder))
            for item, path in found:
                if path is not None:
                    shutil.copyfile(path, _inside(home, Path(item.name).name))
        settings = dict(read.settings)
        if isinstance(settings.get("roles"), str):
            settings["roles"] = _inside(home, Path(settings["roles"]).name)
        clip = load_take(_inside(home, Path(read.name).name), progress=part(self.progress, 0.0, 0.0), **settings)
        if read.content and clip_sha256(clip) != read.content:
            raise CannotRepeat(f"{read.name} was edited by a program after it was read: the recipe does not hold how")
        if isinstance(clip, Clip) and "/" in read.name:  # its folders tell a graph which node it belongs to
            clip = clip_with(clip, origin=clip.origin.named(read.name))
        return clip

    def _remade(self, read: Read, step: Made) -> Path:
        if read.sha256 not in self.remade:
            maker = self._maker(read.sha256, step)
            assert maker is not None  # `missing` was empty
            target = _inside(Path(tempfile.mkdtemp(dir=self.folder)), Path(read.name).name)
            clip, writing = self.repeat(maker)
            before = self.steps[: self.steps.index(maker) + 1]
            save(_made_by(clip, before), target, **writing)
            if file_sha256(target) != read.sha256:
                why = "; ".join(differences(maker)) or _other_bytes(read.name, maker)
                raise CannotRepeat(f"{read.name} was made again, but differs: {why}")
            self.remade[read.sha256] = target
        return self.remade[read.sha256]

    def model(self, step: Made) -> Model[Any]:
        """The model of a step: its file, or learned again from the clips."""
        if step.model is not None and (found := self.finder.find(step.model.sha256, step.model.name)) is not None:
            return load_model(found)
        clips = [self.take(read, step) for read in step.clips]
        config = Unpacker({}).unpack(step.config, METHODS[step.method].module().Config, "config")
        config = replace(config, **self._settings_files(config, step))
        trim = options_of(step).get("trim_tpose", True)
        report = part(self.progress, 0.0, LEARNED)
        given = {"seed": step.learning_seed or 0, "trim_tpose": trim, "parameters": self.parameters}
        given["models"] = {
            name: self.other_model(file, step) for name, file in options_of(step).get("models", {}).items()
        }
        return learn(step.method, clips, config, **given, progress=report)

    def _settings_files(self, config: Any, step: Made) -> dict[str, str]:
        """Where the files that settings of learning name are now."""
        hashes, out = dict(step.files), {}
        for name in config.FILES:
            if (named := getattr(config, name)) is not None and (sha256 := hashes.get(Path(named).name)):
                out[name] = str(self.finder.find(sha256, Path(named).name) or named)
        return out

    def other_model(self, name: str, step: Made) -> Model[Any]:
        """A model that a step learned with, from its file."""
        item = next(item for item in step.files if item.name == name)
        found = self.finder.find(item.sha256, item.name)
        assert found is not None  # `missing` was empty
        return load_model(found)

    @property
    def making(self) -> Progress:
        """The progress of making a clip, after its model was learned."""
        return part(self.progress, LEARNED, 1.0)


def _made_by(clip: Clip, steps: tuple[Made, ...]) -> Clip:
    """The clip with these steps, the last of which has not been written yet."""
    made = (*steps[:-1], replace(steps[-1], output=""))
    return clip_with(clip, origin=replace(clip.origin, made=made))


def _inside(folder: Path, name: str) -> Path:
    """The place of this name in a folder; `CannotRepeat` if the name leads out of it."""
    path = (folder / name).resolve()
    if not path.is_relative_to(folder.resolve()) or path == folder.resolve():
        raise CannotRepeat(f"the recipe names a file outside its folder: {name!r}")
    return path


def _synthesize(step: Made, repeater: _Repeater) -> Clip:
    model = repeater.model(step)
    reads = {read.name: read for read in step.poses}
    home = Path(tempfile.mkdtemp(dir=repeater.folder))
    for name, sha256 in [*((read.name, read.sha256) for read in step.poses), *step.files]:
        found = repeater.finder.find(sha256, name) or repeater.remade.get(sha256)
        if found is not None:
            place = _inside(home, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found, place)
    names = {str(_inside(home, name)): read for name, read in reads.items()}
    load_pose = lambda path: repeater.clip(names[str(Path(path))], step)
    request = Request.from_yaml(step.request or "{}", load_pose, Files(home))
    request = replace(request, table=parameter_table(repeater.parameters)) if repeater.parameters else request
    made = attempt(model, request, seed=step.seed or 0, take=step.take or 0, progress=repeater.making)
    if made.clip is None:  # one that misses a constraint was written with --best
        raise NoPath(made.reason)
    return made.clip


def _own_options(step: Made) -> dict[str, Any]:
    """The options of a step, without those of learning its model."""
    return {name: value for name, value in options_of(step).items() if name not in ("trim_tpose", "models")}


def _walk(step: Made, repeater: _Repeater) -> Clip:
    options = _own_options(step)
    model = repeater.model(step)
    return random_walk(model, seed=step.seed or 0, take=step.take or 0, progress=repeater.making, **options).clip


def _choices(step: Made, repeater: _Repeater) -> Clip:
    options, model = _own_options(step), repeater.model(step)
    if not isinstance(model, TwoLevelGraphModel):
        raise CannotRepeat(f"the recipe takes choices in a model of {model.method}; they need two-level-graph")
    start = frame_named(model.graph, options.pop("start"))
    return chosen_moves(model, start, progress=repeater.making, **options)


def _stream(step: Made, repeater: _Repeater) -> Clip:
    options = _own_options(step)
    if "variation" in options:
        options["variation"] = repeater.other_model(options["variation"], step)
    if "gaze" in options:
        options["gaze"] = repeater.other_model(options["gaze"], step)
    if "overlays" in options:
        clips = [repeater.clip(read, step) for read in step.poses]
        options["overlays"] = dict(zip(options["overlays"], clips, strict=True))
    return stream_clip(repeater.model(step), seed=step.seed or 0, progress=repeater.making, **options)


def _act(step: Made, repeater: _Repeater) -> Clip:
    options = _own_options(step)
    model: Any = repeater.model(step)
    return act_out(model, repeater.clip(step.poses[-1], step), progress=repeater.making, **options).clip


def _convert(step: Made, repeater: _Repeater) -> Clip:
    return convert(repeater.clip(step.clips[0], step), progress=repeater.making, **options_of(step))


def _clean(step: Made, repeater: _Repeater) -> Clip:
    clip, *like = repeater.clips(step)
    return clean(clip, like=like, progress=repeater.making, **options_of(step)).clip


def _retarget(step: Made, repeater: _Repeater) -> Clip:
    clip, body, *like = repeater.clips(step)
    return retarget(clip, body, like=like[0] if like else None, progress=repeater.making, **options_of(step))[0]


def _loop(step: Made, repeater: _Repeater) -> Clip:
    return loop(repeater.clip(step.clips[0], step), progress=repeater.making, **options_of(step)).clip


def _append(step: Made, repeater: _Repeater) -> Clip:
    options = options_of(step)
    if "at" in options:
        options["at"] = tuple(options["at"])
    return append(*repeater.clips(step), progress=repeater.making, **options).clip


def _align(step: Made, repeater: _Repeater) -> Clip:
    return align(*repeater.clips(step), progress=repeater.making, **options_of(step)).clip


def _splice(step: Made, repeater: _Repeater) -> Clip:
    upper, lower, *plain = repeater.clips(step)
    return splice(upper, lower, plain=plain[0] if plain else None, progress=repeater.making, **options_of(step)).clip


def _transfer(step: Made, repeater: _Repeater) -> Clip:
    return transfer(*repeater.clips(step), progress=repeater.making, **options_of(step)).clip


def _blend(step: Made, repeater: _Repeater) -> Clip:
    options = options_of(step)
    return blend_clips(repeater.clips(step), options.pop("weights"), progress=repeater.making, **options)


def _bands(step: Made, repeater: _Repeater) -> Clip:
    return change_bands(*repeater.clips(step), progress=repeater.making, **options_of(step))


def _fourier(step: Made, repeater: _Repeater) -> Clip:
    clip, *others = repeater.clips(step)
    return fourier_motion(clip, others, **options_of(step))


def _samples(step: Made, repeater: _Repeater) -> Clip:
    options = options_of(step)
    return make(options.pop("name"), seed=step.seed or 0, **options)


REPEATS: Mapping[str, Callable[[Made, _Repeater], Clip]] = {
    "synthesize": _synthesize,
    "walk": _walk,
    "choices": _choices,
    "stream": _stream,
    "crowd": lambda made, by: crowd_member(by.model(made), made, _own_options(made), by.making),
    "act": _act,
    "convert": _convert,
    "clean": _clean,
    "retarget": _retarget,
    "loop": _loop,
    "trim": lambda made, by: trim(by.clip(made.clips[0], made), **options_of(made)),
    "append": _append,
    "align": _align,
    "splice": _splice,
    "transfer": _transfer,
    "blend": _blend,
    "bands": _bands,
    "fourier": _fourier,
    "samples": _samples,
}
