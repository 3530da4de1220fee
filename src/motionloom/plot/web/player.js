// The player: one or several stages (a canvas each) on one clock, with controls, keys, and a time track.
"use strict";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2];
const ICONS = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  loop: "M6 9a6.5 6.5 0 0 1 11.5-1.5M18 3.5v4.5h-4.5M18 15a6.5 6.5 0 0 1-11.5 1.500M6 20.500v-4.500h4.500",
  follow: "M12 3v4M12 17v4M3 12h4M17 12h4M12 9.500a2.500 2.500 0 1 0 .01 0",
  trails: "M4 19c4-1 3-6 7-7s4-6 9-7M4 19h.01M11 12h.01M20 5h.01",
  together: "M8 7a5 5 0 1 0 .01 0M16 7a5 5 0 1 0 .01 0",
  home: "M4 11.500 12 5l8 6.500M6.500 10v9h11v-9",
  full: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  theme: "M12 4a8 8 0 1 0 8 8 6 6 0 0 1-8-8z",
  help: "M9.500 9a2.500 2.500 0 1 1 3.500 2.300c-.8.4-1 .9-1 1.700M12 17h.01",
};
const KEYS = [
  ["space", "play or pause"], ["← →", "one frame back or on (shift: ten)"], ["home end", "first or last frame"],
  ["↑ ↓", "faster, slower"], ["f", "follow the body"], ["t", "foot trails"], ["l", "loop"],
  ["o", "figures side by side, or on top of each other"], ["r", "reset the view"], ["drag", "turn"],
  ["right drag, shift drag, two fingers", "move"], ["wheel, pinch", "closer, farther"],
];

const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false && value !== undefined) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
};

function icon(name) {
  const filled = name === "play" || name === "pause" || name === "theme";
  const holder = make("span", { class: "loom-icon" });
  holder.innerHTML = `<svg viewBox="0 0 24 24" aria-hidden="true" class="${filled ? "solid" : ""}"><path d="${ICONS[name]}"/></svg>`;
  return holder;
}

const dark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : window.matchMedia("(prefers-color-scheme: dark)").matches;
};
const switchTheme = () => {
  document.documentElement.dataset.theme = dark() ? "light" : "dark";
  Player.all.forEach((player) => (player.stale = true));
};

// One canvas with its figures and its camera.
class Stage {
  constructor(given, player) {
    this.player = player;
    this.figures = given.figures.map((figure) => new Figure(figure));
    this.first = this.figures[0];
    this.pen = this.first.parts.length === 0;
    this.seconds = Math.max(...this.figures.map((figure) => figure.seconds));
    this.canvas = make("canvas", { class: "loom-canvas", role: "img", "aria-label": `${given.title || this.first.name}, moving` });
    this.painter = new Painter(this.canvas);
    this.seen = true;
    this.box = make("div", { class: "loom-stage" }, this.canvas);
    if (given.title || given.note || given.numbers.length) this.box.append(this.caption(given));
    this.home();
    this.listen();
    new IntersectionObserver((entries) => (this.seen = entries[0].isIntersecting)).observe(this.canvas);
    new ResizeObserver(() => (player.stale = true)).observe(this.canvas);
  }

  caption(given) {
    const numbers = given.numbers.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value)));
    return make("div", { class: "loom-caption" },
      make("strong", {}, given.title || ""),
      ...(given.note ? [make("span", {}, given.note)] : []),
      ...this.legend(),
      ...(numbers.length ? [make("dl", {}, ...numbers)] : []));
  }

  // Which colour of the time track is which source.
  legend() {
    const layers = this.figures.flatMap((figure) => figure.sources.flat()).flatMap(([, , , sources]) => sources);
    const colours = new Map(layers.map(([name, colour]) => [name, colour]));
    return [...colours].map(([name, colour]) => make("span", { class: "loom-source", style: `--source:${colour}` }, name));
  }

  home() {
    const f = this.first, c = f.centre, wide = this.figures.length > 1 && !this.pen ? 0.5 * this.figures.length : 0;
    this.distance = this.pen ? 2.6 * f.size : (4.1 + 1.6 * wide) * f.reach;
    this.camera = new Camera(f.yaw, this.pen ? 0 : 0.2, this.distance, [...c]);
    this.pan = [0, 0, 0];
    this.player.stale = true;
  }

  // Where the camera looks: at the moving bodies, or at their whole path from farther away.
  aim(time) {
    const middle = [0, 0], { open, follow } = this.player;
    for (const figure of this.figures) {
      const f = clamp(Math.round(time * figure.fps), 0, figure.frames - 1);
      const going = follow && !this.pen;
      const here = going ? [figure.follow[f * 2], figure.follow[f * 2 + 1]] : [figure.centre[0], figure.centre[2]];
      middle[0] += (here[0] + figure.shift[0] * open) / this.figures.length;
      middle[1] += (here[1] + figure.shift[1] * open) / this.figures.length;
    }
    this.camera.distance = this.distance + (follow || this.pen ? 0 : 2 * this.first.radius);
    const t = this.camera.target;
    [t[0], t[2]] = [middle[0] + this.pan[0], middle[1] + this.pan[2]];
    t[1] = (this.pen ? this.first.centre[1] : this.first.ground + this.first.middle) + this.pan[1];
  }

  draw(time) {
    const { painter, player } = this, turns = this.seconds < player.seconds;
    const own = player.loop && turns ? time % this.seconds : time;
    this.aim(own);
    painter.begin(this.camera, dark() ? THEMES.dark : THEMES.light);
    this.figures.forEach((figure) => figure.pose(own, player.open));
    if (this.pen) return this.figures.forEach((figure) => painter.stroke(figure));
    painter.floor(this.first.ground, this.first.size > 0.25 ? 1 : 0.1);
    this.figures.forEach((figure) => painter.shadow(figure));
    if (player.trails) this.figures.forEach((figure) => painter.trails(figure, player.open));
    const near = this.camera.near;
    const order = this.figures.map((figure, i) => [figure.now[0] * near[0] + figure.now[2] * near[2], i]).sort((a, b) => a[0] - b[0]);
    for (const [, i] of order) painter.figure(this.figures[i], player.open < 0.5 && i > 0);
    if (this.figures.length > 1 && player.open > 0.5) this.figures.forEach((figure) => painter.label(figure, figure.name));
  }

  listen() {
    const fingers = new Map();
    let spread = 0;
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (e) => {
      canvas.setPointerCapture(e.pointerId);
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      this.player.activate();
      this.touched = true;
    });
    canvas.addEventListener("pointermove", (e) => {
      const from = fingers.get(e.pointerId);
      if (!from) return;
      const dx = e.clientX - from[0], dy = e.clientY - from[1];
      fingers.set(e.pointerId, [e.clientX, e.clientY]);
      if (fingers.size === 2) {
        const [a, b] = [...fingers.values()], now = Math.hypot(a[0] - b[0], a[1] - b[1]);
        if (spread) this.zoom(spread / now);
        spread = now;
        this.move(dx / 2, dy / 2);
      } else if (e.buttons & 2 || e.shiftKey) this.move(dx, dy);
      else this.turn(dx, dy);
    });
    for (const name of ["pointerup", "pointercancel"]) {
      canvas.addEventListener(name, (e) => {
        fingers.delete(e.pointerId);
        spread = 0;
      });
    }
    canvas.addEventListener("contextmenu", (e) => e.preventDefault());
    canvas.addEventListener("pointerleave", () => (this.touched = false));
    canvas.addEventListener("dblclick", () => this.home());
    canvas.addEventListener("wheel", (e) => {
      if (!this.touched && !this.player.alone && !e.ctrlKey) return; // a page still scrolls until its stage is touched
      e.preventDefault();
      this.zoom(Math.exp(e.deltaY * 0.0012));
    }, { passive: false });
  }

  turn(dx, dy) {
    this.camera.yaw -= dx * 0.008; // near things follow the pointer
    this.camera.pitch = clamp(this.camera.pitch + dy * 0.006, -0.25, 1.5);
    this.player.stale = true;
  }

  move(dx, dy) {
    const { right, up, distance, focal } = this.camera, k = distance / (focal || 1);
    for (let i = 0; i < 3; i++) this.pan[i] += (-dx * right[i] + dy * up[i]) * k;
    this.player.stale = true;
  }

  zoom(by) {
    this.distance = clamp(this.distance * by, 0.8 * this.first.size, 30 * this.first.size);
    this.player.stale = true;
  }
}

class Player {
  constructor(root, given = JSON.parse(root.querySelector("script").textContent)) {
    this.root = root;
    this.begin = given.clock; // s, the time of the first frame
    this.alone = root.dataset.alone !== undefined;
    Object.assign(this, { time: 0, speed: 1, loop: true, follow: true, trails: true, open: 1, wanted: 1, stale: true });
    this.playing = !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.stages = given.stages.map((stage) => new Stage(stage, this));
    this.seconds = Math.max(...this.stages.map((stage) => stage.seconds));
    this.fps = Math.max(...this.stages.map((stage) => stage.first.fps));
    root.append(make("div", { class: "loom-stages" }, ...this.stages.map((stage) => stage.box)), this.controls());
    root.tabIndex = 0;
    root.addEventListener("focusin", () => this.activate());
    this.update();
  }

  activate() {
    Player.active = this;
  }

  controls() {
    const button = (name, label, action) => {
      const element = make("button", { type: "button", title: label, "aria-label": label, onclick: action }, icon(name));
      this.buttons = { ...this.buttons, [name]: element };
      return element;
    };
    this.clock = make("output", { class: "loom-clock" });
    this.pace = make("select", { title: "speed", "aria-label": "speed" }, ...SPEEDS.map((s) => make("option", { value: s }, `${s}×`)));
    this.pace.addEventListener("change", () => (this.speed = Number(this.pace.value)));
    this.track = new Track(this);
    const several = this.stages.some((stage) => stage.figures.length > 1);
    this.keys = make("div", { class: "loom-keys", hidden: true }, ...KEYS.map(([key, does]) => make("div", {}, make("kbd", {}, key), does)));
    const bar = [
      button("play", "play or pause (space)", () => this.toggle("playing")),
      this.clock,
      this.track.canvas,
      this.pace,
      button("loop", "loop (l)", () => this.toggle("loop")),
      button("follow", "follow the body (f)", () => this.toggle("follow")),
      button("trails", "foot trails (t)", () => this.toggle("trails")),
    ];
    if (several) bar.push(button("together", "side by side, or on top of each other (o)", () => this.toggle("together")));
    bar.push(button("home", "reset the view (r)", () => this.stages.forEach((stage) => stage.home())));
    if (this.alone) bar.push(button("theme", "dark or light", switchTheme));
    if (document.fullscreenEnabled) {
      bar.push(button("full", "full screen", () => (document.fullscreenElement ? document.exitFullscreen() : this.root.requestFullscreen())));
    }
    bar.push(button("help", "keys", () => (this.keys.hidden = !this.keys.hidden)));
    return make("div", { class: "loom-bar" }, ...bar, this.keys);
  }

  toggle(name) {
    if (name === "together") this.wanted = 1 - this.wanted;
    else this[name] = !this[name];
    if (name === "playing" && this.playing && !this.loop && this.time >= this.seconds) this.time = 0;
    this.update();
  }

  update() {
    const on = { loop: this.loop, follow: this.follow, trails: this.trails, together: this.wanted === 0 };
    for (const [name, value] of Object.entries(on)) this.buttons[name]?.setAttribute("aria-pressed", String(value));
    this.buttons.play.replaceChildren(icon(this.playing ? "pause" : "play"));
    this.pace.value = String(this.speed);
    this.stale = true;
  }

  seek(time) {
    this.time = clamp(time, 0, this.seconds);
    this.stale = true;
  }

  step(frames) {
    this.playing = false;
    this.seek((Math.round(this.time * this.fps) + frames) / this.fps);
    this.update();
  }

  key(e) {
    const faster = (by) => {
      this.speed = SPEEDS[clamp(SPEEDS.indexOf(this.speed) + by, 0, SPEEDS.length - 1)];
    };
    const actions = {
      " ": () => this.toggle("playing"), ArrowLeft: () => this.step(e.shiftKey ? -10 : -1), ArrowRight: () => this.step(e.shiftKey ? 10 : 1),
      Home: () => this.seek(0), End: () => this.seek(this.seconds), ArrowUp: () => faster(1), ArrowDown: () => faster(-1),
      f: () => this.toggle("follow"), t: () => this.toggle("trails"), l: () => this.toggle("loop"), o: () => this.toggle("together"),
      r: () => this.stages.forEach((stage) => stage.home()), "?": () => (this.keys.hidden = !this.keys.hidden),
    };
    const action = actions[e.key];
    if (!action || e.target.tagName === "SELECT" || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    action();
    this.update();
  }

  tick(dt) {
    if (this.playing) {
      this.time += dt * this.speed;
      if (this.time >= this.seconds) {
        if (this.loop) this.time %= this.seconds;
        else {
          this.time = this.seconds;
          this.playing = false;
          this.update();
        }
      }
    }
    if (Math.abs(this.open - this.wanted) > 0.004) {
      this.open += (this.wanted - this.open) * Math.min(1, dt * 8);
      this.stale = true;
    } else this.open = this.wanted;
    if (!this.playing && !this.stale) return;
    this.stale = false;
    let shown = false;
    for (const stage of this.stages) if (stage.seen && (shown = true)) stage.draw(this.time);
    if (!shown) return;
    this.clock.textContent = `${(this.begin + this.time).toFixed(2)} / ${(this.begin + this.seconds).toFixed(2)} s`;
    this.track.draw();
  }
}
Player.all = [];

// The time track: where the head is, when each foot stands, and which source each frame came from.
class Track {
  constructor(player) {
    this.player = player;
    this.figure = player.stages.length === 1 ? player.stages[0].figures[player.stages[0].figures.length - 1] : null;
    this.rows = this.figure ? this.figure.sources.length + (this.figure.feet.length ? 1 : 0) : 0;
    this.canvas = make("canvas", {
      class: "loom-track", style: `height:${22 + 11 * this.rows}px`, role: "slider", "aria-label": "time",
    });
    const seek = (e) => {
      const box = this.canvas.getBoundingClientRect();
      player.seek(((e.clientX - box.left) / box.width) * player.seconds);
      player.activate();
    };
    this.canvas.addEventListener("pointerdown", (e) => {
      this.canvas.setPointerCapture(e.pointerId);
      seek(e);
    });
    this.canvas.addEventListener("pointermove", (e) => {
      if (e.buttons) seek(e);
      else this.canvas.title = this.source((e.offsetX / this.canvas.clientWidth) * player.seconds);
    });
  }

  // What the frame at a time was taken from.
  source(time) {
    const f = this.figure;
    const found = f ? f.sources.map((bands) => bands.find(([, start, length]) => time * f.fps < start + length)) : [];
    return found.filter((band) => band).map(([title]) => title).join(", ");
  }

  // The sources of a band one on top of the other, each as high as its weight.
  stack(ctx, layers, left, width, top) {
    const below = layers[0][2].map(() => 0), at = (k, n) => left + (n > 1 ? (k / (n - 1)) * width : 0);
    for (const [, colour, weights] of layers) {
      const n = weights.length, y = (sum) => top + 10 * (1 - sum);
      ctx.fillStyle = colour;
      ctx.beginPath();
      if (n === 1) ctx.rect(left, y(below[0] + weights[0]), width, 10 * weights[0]);
      else {
        for (let k = 0; k < n; k++) ctx.lineTo(at(k, n), y(below[k]));
        for (let k = n - 1; k >= 0; k--) ctx.lineTo(at(k, n), y(below[k] + weights[k]));
      }
      ctx.fill();
      weights.forEach((weight, k) => (below[k] += weight));
    }
  }

  draw() {
    const painter = (this.painter ||= new Painter(this.canvas)), theme = dark() ? THEMES.dark : THEMES.light;
    painter.begin({ aim() {} }, theme);
    const { ctx } = painter, w = this.canvas.clientWidth, h = this.canvas.clientHeight, f = this.figure;
    const x = (time) => (time / this.player.seconds) * w;
    ctx.fillStyle = css(theme.ink, 0.12);
    ctx.fillRect(0, 9, w, 4);
    ctx.fillStyle = css(theme.ink, 0.45);
    ctx.fillRect(0, 9, x(this.player.time), 4);
    let y = 20;
    if (f && f.sources.length) {
      ctx.font = "9px system-ui, sans-serif";
      ctx.textAlign = "left";
      for (const bands of f.sources) {
        for (const [title, start, length, layers] of bands) {
          const a = x(start / f.fps), b = x((start + length) / f.fps);
          this.stack(ctx, layers, a, Math.max(b - a - 1, 0.5), y);
          if (layers.length === 1 && ctx.measureText(title).width + 6 < b - a) {
            ctx.fillStyle = "#fff";
            ctx.fillText(title, a + 3, y + 8);
          }
        }
        y += 11;
      }
      y += 1;
    }
    if (f) {
      f.feet.forEach((foot, k) => {
        ctx.fillStyle = css(theme[foot.side], 0.85);
        const tall = 9 / f.feet.length;
        for (const [a, b] of foot.contacts) ctx.fillRect(x(a / f.fps), y + k * tall, Math.max(x((b - a) / f.fps), 1), tall - 1);
      });
    }
    ctx.fillStyle = css(theme.left);
    ctx.fillRect(x(this.player.time) - 1, 3, 2, h - 3);
    ctx.beginPath();
    ctx.arc(x(this.player.time), 11, 5, 0, 2 * Math.PI);
    ctx.fill();
  }
}

function startPlayers() {
  Player.all = [...document.querySelectorAll(".loom")].map((root) => new Player(root));
  Player.active = Player.all[0];
  document.addEventListener("keydown", (e) => Player.active?.key(e));
  document.querySelectorAll("[data-switch-theme]").forEach((b) => b.addEventListener("click", switchTheme));
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => Player.all.forEach((p) => (p.stale = true)));
  let last = performance.now();
  const frame = (now) => {
    const dt = Math.max(0, Math.min((now - last) / 1000, 0.1)); // the first frame may have begun before `last`
    last = now;
    for (const player of Player.all) player.tick(dt);
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}
startPlayers();
