// The browse page: a card with an animated thumbnail for each clip, filters, and a large player for the clip clicked.
"use strict";

const INTERVAL = 45; // ms between two drawings of the thumbnails
const MAX_CHIPS = 60; // labels that have a button; search finds the others

// What a thumbnail needs of a player.
const thumbnails = {
  open: 1, follow: true, trails: false, loop: true, alone: false, seconds: Infinity, stale: true,
  activate() {},
};

class Card {
  constructor(given, open) {
    Object.assign(this, { given, stage: null });
    const kinds = new Map();
    for (const [kind] of given.problems) kinds.set(kind, (kinds.get(kind) || 0) + 1);
    this.kinds = [...kinds.keys()];
    this.text = [given.name, ...given.labels, ...this.kinds].join("\n").toLowerCase();
    this.frame = make("div", { class: "card-picture" });
    const length = `${given.seconds.toFixed(1)} s, ${given.fps} fps`;
    const problems = [...kinds].map(([kind, count]) => (count > 1 ? `${kind} ×${count}` : kind)).join(", ");
    this.box = make("article", { class: "card", tabindex: 0, role: "button", "aria-label": given.name },
      this.frame,
      make("h3", { title: given.name }, given.name),
      make("p", {}, given.shown < given.seconds - 0.05 ? `${length} (first ${given.shown.toFixed(1)} s shown)` : length),
      make("p", { class: "tags" }, ...given.labels.slice(0, 12).map((label) => make("span", {}, label))),
      ...(problems ? [make("p", { class: "problems", title: given.problems.map(([, text]) => text).join("\n") }, problems)] : []));
    let from = [0, 0];
    this.box.addEventListener("pointerdown", (e) => (from = [e.clientX, e.clientY]));
    this.box.addEventListener("click", (e) => {
      if (!e.detail || Math.hypot(e.clientX - from[0], e.clientY - from[1]) < 5) open(this); // a drag turns the view
    });
    this.box.addEventListener("keydown", (e) => {
      if (e.key === "Enter") open(this);
    });
  }

  // Positions are unpacked and drawn only while the card is on the screen.
  show(seen) {
    if (seen && !this.stage) {
      this.stage = new Stage(stageOf(this.given), thumbnails);
      this.frame.replaceChildren(this.stage.box);
      this.fresh = true;
    } else if (!seen && this.stage) {
      this.stage = null;
      this.frame.replaceChildren();
    }
  }

  draw(time, moving) {
    if (!this.stage || !(moving || this.fresh || thumbnails.stale)) return;
    this.stage.draw(time % this.stage.seconds);
    this.fresh = false;
  }
}

const stageOf = (given) => ({ title: "", note: "", numbers: [], start: 0, figures: [given.figure] });

class Browser {
  constructor(root, [title, clips]) {
    this.dialog = make("dialog", { class: "clip-dialog" });
    this.dialog.addEventListener("close", () => this.closed());
    this.cards = clips.map((clip) => new Card(clip, (card) => this.open(card)));
    this.chosen = new Set();
    this.search = make("input", { type: "search", placeholder: "name, label or problem", "aria-label": "filter" });
    this.search.addEventListener("input", () => this.filter());
    this.count = make("output", {});
    this.grid = make("div", { class: "cards" }, ...this.cards.map((card) => card.box));
    root.append(
      make("header", { class: "browse-head" },
        make("h1", {}, title),
        make("div", { class: "filters" }, this.search, this.problemChoice(), this.orderChoice(), this.count,
          make("button", { type: "button", "data-switch-theme": true, "aria-label": "dark or light" }, "◐")),
        make("div", { class: "chips" }, ...this.chips())),
      this.grid, this.dialog);
    const byBox = new Map(this.cards.map((card) => [card.box, card]));
    const seen = new IntersectionObserver(
      (entries) => entries.forEach((entry) => byBox.get(entry.target).show(entry.isIntersecting)), { rootMargin: "120px" });
    this.cards.forEach((card) => seen.observe(card.box));
    this.still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.filter();
    let next = 0;
    const tick = (now) => {
      requestAnimationFrame(tick);
      if (now < next || this.dialog.open) return;
      const begin = performance.now();
      this.cards.forEach((card) => card.draw(now / 1000, !this.still || card.box.matches(":hover")));
      thumbnails.stale = false;
      next = now + Math.max(INTERVAL, 2 * (performance.now() - begin)); // leaves time for scrolling on slow machines
    };
    requestAnimationFrame(tick);
  }

  chips() {
    const counts = new Map();
    for (const { given } of this.cards) for (const label of given.labels) counts.set(label, (counts.get(label) || 0) + 1);
    const labels = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, MAX_CHIPS);
    return labels.map(([label, count]) => {
      const chip = make("button", { type: "button", "aria-pressed": "false" }, `${label} ${count}`);
      chip.addEventListener("click", () => {
        const on = !this.chosen.delete(label);
        if (on) this.chosen.add(label);
        chip.setAttribute("aria-pressed", String(on));
        this.filter();
      });
      return chip;
    });
  }

  problemChoice() {
    const kinds = [...new Set(this.cards.flatMap((card) => card.kinds))].sort();
    const options = [["", "all clips"], ["with", "with problems"], ["without", "without problems"], ...kinds.map((kind) => [`=${kind}`, kind])];
    this.problem = make("select", { "aria-label": "problems" }, ...options.map(([value, text]) => make("option", { value }, text)));
    this.problem.addEventListener("change", () => this.filter());
    return this.problem;
  }

  orderChoice() {
    this.order = make("select", { "aria-label": "order" }, ...["given order", "name", "longest first", "most problems first"].map((text, i) => make("option", { value: i }, text)));
    const orders = [
      null,
      (a, b) => a.given.name.localeCompare(b.given.name, undefined, { numeric: true }),
      (a, b) => b.given.seconds - a.given.seconds,
      (a, b) => b.given.problems.length + b.given.more - a.given.problems.length - a.given.more,
    ];
    this.order.addEventListener("change", () => {
      const order = orders[Number(this.order.value)];
      this.grid.append(...(order ? [...this.cards].sort(order) : this.cards).map((card) => card.box));
    });
    return this.order;
  }

  filter() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean), problem = this.problem.value;
    let shown = 0;
    for (const card of this.cards) {
      const kinds = card.kinds;
      const found = words.every((word) => card.text.includes(word))
        && [...this.chosen].every((label) => card.given.labels.includes(label))
        && (!problem || (problem === "with" ? kinds.length : problem === "without" ? !kinds.length : kinds.includes(problem.slice(1))));
      card.box.hidden = !found;
      shown += found ? 1 : 0;
    }
    this.count.textContent = `${shown} of ${this.cards.length}`;
  }

  open({ given }) {
    const root = make("div", { class: "loom" });
    const close = make("button", { type: "button", class: "close", "aria-label": "close", onclick: () => this.dialog.close() }, "×");
    const facts = `${given.seconds.toFixed(2)} s, ${given.frames} frames at ${given.fps} fps, ${given.joints} joints`;
    const problems = given.problems.map(([kind, text, broken]) => make("li", { class: broken ? "broken" : "" }, make("b", {}, kind), ` ${text}`));
    if (given.more) problems.push(make("li", {}, `${given.more} more`));
    this.dialog.replaceChildren(close, make("h2", {}, given.name), make("p", {}, facts), root,
      make("p", { class: "tags" }, ...given.labels.map((label) => make("span", {}, label))), make("ul", { class: "findings" }, ...problems));
    this.dialog.showModal();
    Player.all = [new Player(root, { clock: 0, stages: [stageOf(given)] })];
    Player.active = Player.all[0];
  }

  closed() {
    Player.all = [];
    Player.active = null;
    this.dialog.replaceChildren();
  }
}

const browser = new Browser(document.getElementById("browse"), JSON.parse(document.getElementById("clips").textContent));
document.querySelectorAll("[data-switch-theme]").forEach((button) => button.addEventListener("click", () => {
  switchTheme();
  thumbnails.stale = true;
}));
