// Drawing bodies on a 2-D canvas: a small perspective camera, a floor in metres, and limbs painted from back to front.
// Input are joint positions; no motion is computed here.
"use strict";

const TONES = ["left", "right", "middle", "eye", "prop"];
const THEMES = {
  light: {
    paper: [251, 250, 247], ink: [34, 48, 60], grid: [34, 48, 60], haze: [176, 184, 190], shade: 0.34, glow: 0.42,
    left: [226, 96, 58], right: [31, 134, 168], middle: [90, 106, 119], eye: [27, 36, 44], prop: [185, 138, 61],
  },
  dark: {
    paper: [19, 24, 29], ink: [226, 232, 236], grid: [150, 170, 185], haze: [52, 62, 70], shade: 0.42, glow: 0.3,
    left: [242, 122, 84], right: [72, 172, 210], middle: [150, 165, 176], eye: [16, 20, 24], prop: [214, 170, 96],
  },
};
const LIGHT = [-0.35, 1.0, 0.35]; // towards the light: left, up, near
const ring = (n) => Array.from({ length: n }, (_, i) => [Math.cos((i * 2 * Math.PI) / n), Math.sin((i * 2 * Math.PI) / n)]);
const RING = ring(9), FINE_RING = ring(28);

const mix = (a, b, k) => [a[0] + (b[0] - a[0]) * k, a[1] + (b[1] - a[1]) * k, a[2] + (b[2] - a[2]) * k];
const css = (c, alpha = 1) => `rgba(${c[0] | 0},${c[1] | 0},${c[2] | 0},${alpha})`;
const clamp = (x, a, b) => Math.min(b, Math.max(a, x));

// A clip as it comes from the page: 16-bit numbers in base64, and what to draw between them.
class Figure {
  constructor(given) {
    Object.assign(this, given);
    const bytes = Uint8Array.from(atob(given.data), (c) => c.charCodeAt(0));
    this.q = new Uint16Array(bytes.buffer);
    this.seconds = this.frames / this.fps;
    this.now = new Float32Array(this.points * 3);
    this.shift = given.shift || [0, 0];
    this.parts = given.parts.map(([points, radii, tone, nearer]) => ({ points, radii, tone: TONES[tone], nearer }));
    this.follow = this.smoothPath();
  }

  at(frame, point, out = []) {
    const i = (clamp(frame, 0, this.frames - 1) * this.points + point) * 3;
    for (let k = 0; k < 3; k++) out[k] = this.low[k] + this.q[i + k] * this.step;
    return out;
  }

  // Positions at a time, between two frames along a straight line; `open` is how far figures stand apart, 0..1.
  pose(time, open) {
    const f = clamp(time * this.fps, 0, this.frames - 1);
    const a = Math.floor(f), b = Math.min(a + 1, this.frames - 1), u = f - a;
    const n = this.points * 3, i = a * n, j = b * n;
    for (let k = 0; k < n; k++) {
      this.now[k] = this.low[k % 3] + (this.q[i + k] + (this.q[j + k] - this.q[i + k]) * u) * this.step;
    }
    for (let k = 0; k < n; k += 3) {
      this.now[k] += this.shift[0] * open;
      this.now[k + 2] += this.shift[1] * open;
    }
    this.frame = f;
    return this.now;
  }

  // The path of the body's middle over the ground, averaged over a second, for a steady camera.
  smoothPath() {
    const width = Math.round(this.fps * 0.6), out = new Float32Array(this.frames * 2), n = this.points;
    const sums = [[0], [0]];
    for (let f = 0; f < this.frames; f++) {
      let x = 0, z = 0;
      for (let i = f * n * 3; i < (f + 1) * n * 3; i += 3) {
        x += this.q[i];
        z += this.q[i + 2];
      }
      sums[0].push(sums[0][f] + this.low[0] + (x / n) * this.step);
      sums[1].push(sums[1][f] + this.low[2] + (z / n) * this.step);
    }
    for (let f = 0; f < this.frames; f++) {
      const h = Math.min(width, f, this.frames - 1 - f);
      for (let k = 0; k < 2; k++) out[f * 2 + k] = (sums[k][f + h + 1] - sums[k][f - h]) / (2 * h + 1);
    }
    return out;
  }
}

class Camera {
  constructor(yaw, pitch, distance, target) {
    Object.assign(this, { yaw, pitch, distance, target, width: 1, height: 1 });
  }

  aim(width, height) {
    this.width = width;
    this.height = height;
    const cy = Math.cos(this.yaw), sy = Math.sin(this.yaw), cp = Math.cos(this.pitch), sp = Math.sin(this.pitch);
    this.right = [sy, 0, cy];
    this.up = [cy * sp, cp, -sy * sp];
    this.near = [-cy * cp, sp, sy * cp];
    this.focal = 1.9 * Math.min(height, width);
  }

  // World to canvas pixels: writes x, y, distance and pixels per metre; false if behind the viewer.
  see(x, y, z, out) {
    const a = x - this.target[0], b = y - this.target[1], c = z - this.target[2];
    const depth = this.distance - (a * this.near[0] + b * this.near[1] + c * this.near[2]);
    const scale = this.focal / Math.max(depth, 0.02);
    out[0] = this.width / 2 + (a * this.right[0] + c * this.right[2]) * scale;
    out[1] = this.height / 2 - (a * this.up[0] + b * this.up[1] + c * this.up[2]) * scale;
    out[2] = depth;
    out[3] = scale;
    return depth > 0.15;
  }
}

// Convex hull of [x, y] pairs (Andrew's monotone chain), always in the same sense, so that one fill unites many.
function hull(points) {
  points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const half = (rows) => {
    const out = [];
    for (const p of rows) {
      while (out.length > 1) {
        const a = out[out.length - 2], b = out[out.length - 1];
        if ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]) > 0) break;
        out.pop();
      }
      out.push(p);
    }
    out.pop();
    return out;
  };
  return half(points).concat(half(points.slice().reverse()));
}

function polygon(path, points) {
  points.forEach((p, i) => (i ? path.lineTo(p[0], p[1]) : path.moveTo(p[0], p[1])));
  path.closePath();
}

// The outline of two discs joined by their outer tangents.
function capsule(path, x0, y0, r0, x1, y1, r1) {
  const d = Math.hypot(x1 - x0, y1 - y0);
  if (d <= Math.abs(r0 - r1) + 1e-6) {
    const [x, y, r] = r0 > r1 ? [x0, y0, r0] : [x1, y1, r1];
    path.moveTo(x + r, y);
    path.arc(x, y, r, 0, 2 * Math.PI);
    return;
  }
  const along = Math.atan2(y1 - y0, x1 - x0), open = Math.acos((r0 - r1) / d);
  path.moveTo(x0 + r0 * Math.cos(along + open), y0 + r0 * Math.sin(along + open));
  path.arc(x0, y0, r0, along + open, along - open + 2 * Math.PI);
  path.arc(x1, y1, r1, along - open, along + open);
  path.closePath();
}

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.ctx = canvas.getContext("2d");
    this.p = [0, 0, 0, 0];
  }

  begin(camera, theme) {
    this.theme = theme;
    this.camera = camera;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const w = this.canvas.clientWidth, h = this.canvas.clientHeight;
    if (this.canvas.width !== Math.round(w * ratio) || this.canvas.height !== Math.round(h * ratio)) {
      this.canvas.width = Math.round(w * ratio);
      this.canvas.height = Math.round(h * ratio);
    }
    this.ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    this.ctx.clearRect(0, 0, w, h);
    this.ctx.lineCap = this.ctx.lineJoin = "round";
    camera.aim(w, h);
  }

  // Lines on the ground, `cell` metres apart, fading with the distance from what the camera looks at.
  floor(ground, cell) {
    const { camera, ctx, p, theme } = this, reach = 11;
    const cx = Math.round(camera.target[0] / cell), cz = Math.round(camera.target[2] / cell);
    const bands = Array.from({ length: 6 }, () => new Path2D());
    const piece = (x0, z0, x1, z1) => {
      const away = Math.hypot((x0 + x1) / 2 - camera.target[0] / cell, (z0 + z1) / 2 - camera.target[2] / cell) / reach;
      if (away >= 1 || !camera.see(x0 * cell, ground, z0 * cell, p)) return;
      const x = p[0], y = p[1];
      if (!camera.see(x1 * cell, ground, z1 * cell, p)) return;
      const band = bands[Math.floor(away * 6)];
      band.moveTo(x, y);
      band.lineTo(p[0], p[1]);
    };
    for (let i = -reach; i <= reach; i++) {
      for (let j = -reach; j < reach; j++) {
        piece(cx + i, cz + j, cx + i, cz + j + 1);
        piece(cx + j, cz + i, cx + j + 1, cz + i);
      }
    }
    ctx.lineWidth = 1;
    bands.forEach((band, k) => {
      ctx.strokeStyle = css(theme.grid, 0.2 * (1 - k / 6) ** 1.4);
      ctx.stroke(band);
    });
  }

  // A point of the figure dropped to the ground along the light.
  cast(figure, i) {
    const now = figure.now, c = this.camera, height = now[i * 3 + 1] - figure.ground;
    const nx = -Math.cos(c.yaw), nz = Math.sin(c.yaw);
    const lx = LIGHT[0] * c.right[0] + LIGHT[2] * nx, lz = LIGHT[0] * c.right[2] + LIGHT[2] * nz;
    return [now[i * 3] - (lx / LIGHT[1]) * height, now[i * 3 + 2] - (lz / LIGHT[1]) * height];
  }

  shadow(figure) {
    const { ctx, camera, p } = this;
    for (const [grow, alpha] of [[0.03, 0.4], [0, 0.6]]) {
      const path = new Path2D();
      for (const part of figure.parts) {
        if (part.tone === "eye") continue;
        const seen = [];
        part.points.forEach((i, k) => {
          const [x, z] = this.cast(figure, i), r = part.radii[k] + grow * figure.size;
          for (const [c, s] of RING) if (camera.see(x + c * r, figure.ground, z + s * r, p)) seen.push([p[0], p[1]]);
        });
        if (seen.length > 2) polygon(path, hull(seen));
      }
      ctx.fillStyle = css([0, 0, 0], this.theme.shade * 0.45 * alpha);
      ctx.fill(path);
    }
  }

  // Foot paths around now, and prints where a foot stands.
  trails(figure, open) {
    const { ctx, camera, p, theme } = this, now = figure.frame, q = [];
    const window_ = 1.4 * figure.fps, sx = figure.shift[0] * open, sz = figure.shift[1] * open;
    for (const foot of figure.feet) {
      const colour = theme[foot.side], last = foot.points[foot.points.length - 1];
      for (const [start, stop] of foot.contacts) {
        const gap = Math.max(start - now, now - stop, 0) / window_;
        if (gap > 2) continue;
        const f = (start + stop) >> 1, seen = [];
        const lowest = Math.min(...foot.points.map((i) => (figure.at(f, i, q), q[1])));
        const level = lowest > figure.ground + 0.06 * figure.size ? lowest : figure.ground; // a stair, or the floor
        for (const i of foot.points) {
          figure.at(f, i, q);
          const r = 0.034 * figure.size;
          for (const [c, s] of RING) {
            if (camera.see(q[0] + sx + c * r, level, q[2] + sz + s * r, p)) seen.push([p[0], p[1]]);
          }
        }
        if (seen.length < 3) continue;
        ctx.beginPath();
        polygon(ctx, hull(seen));
        ctx.fillStyle = css(colour, (gap ? 0.32 : 0.75) * (1 - gap / 2));
        ctx.fill();
      }
      const step = Math.max(1, Math.round(figure.fps / 40));
      let from = null;
      for (let f = Math.max(0, Math.ceil(now - window_)); f <= Math.min(figure.frames - 1, now + window_ * 0.5); f += step) {
        figure.at(f, last, q);
        const ok = camera.see(q[0] + sx, q[1], q[2] + sz, p);
        if (ok && from) {
          const age = f <= now ? 1 - (now - f) / window_ : 0.3 * (1 - (f - now) / (window_ * 0.5));
          ctx.strokeStyle = css(colour, clamp(0.7 * age, 0, 1));
          ctx.lineWidth = 1.5;
          ctx.beginPath();
          ctx.moveTo(from[0], from[1]);
          ctx.lineTo(p[0], p[1]);
          ctx.stroke();
        }
        from = ok ? [p[0], p[1]] : null;
      }
    }
  }

  figure(figure, ghost) {
    const { ctx, camera, p, theme } = this, now = figure.now, seen = new Float32Array(figure.points * 4);
    for (let i = 0; i < figure.points; i++) {
      if (!camera.see(now[i * 3], now[i * 3 + 1], now[i * 3 + 2], p)) return;
      seen.set(p, i * 4);
    }
    const order = figure.parts.map((part) => {
      let depth = -part.nearer;
      for (const i of part.points) depth += seen[i * 4 + 2] / part.points.length;
      return [depth, part];
    });
    order.sort((a, b) => b[0] - a[0]);
    const far = order[0][0], span = Math.max(far - order[order.length - 1][0], 0.4 * figure.size);
    ctx.globalAlpha = ghost ? 0.32 : 1;
    for (const [depth, part] of order) {
      const haze = 0.34 * (1 - (far - depth) / span), base = mix(theme[part.tone], theme.haze, haze);
      const path = new Path2D();
      const discs = part.points.map((i, k) => [seen[i * 4], seen[i * 4 + 1], part.radii[k] * seen[i * 4 + 3]]);
      let gradient;
      const [a, b] = [discs[0], discs[discs.length === 2 ? 1 : 0]];
      if (discs.length < 3) {
        capsule(path, ...a, ...b);
        const d = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1, r = Math.max(a[2], b[2]);
        let nx = -(b[1] - a[1]) / d, ny = (b[0] - a[0]) / d;
        if (d < r) [nx, ny] = [-0.5, -0.87];
        else if (nx * -0.5 + ny * -0.87 < 0) [nx, ny] = [-nx, -ny];
        const x = (a[0] + b[0]) / 2, y = (a[1] + b[1]) / 2;
        gradient = ctx.createLinearGradient(x + nx * r, y + ny * r, x - nx * r, y - ny * r);
      } else {
        const outline = hull(discs.flatMap(([x, y, r]) => FINE_RING.map(([c, s]) => [x + c * r, y + s * r])));
        polygon(path, outline);
        const xs = outline.map((o) => o[0]), ys = outline.map((o) => o[1]);
        const top = Math.min(...ys), low = Math.max(...ys), left = Math.min(...xs), right = Math.max(...xs);
        gradient = ctx.createLinearGradient(left + (right - left) * 0.25, top, right - (right - left) * 0.25, low);
      }
      gradient.addColorStop(0, css(mix(base, [255, 255, 255], theme.glow * 0.45)));
      gradient.addColorStop(0.3, css(mix(base, [255, 255, 255], theme.glow * 0.55)));
      gradient.addColorStop(0.6, css(base));
      gradient.addColorStop(1, css(mix(base, [0, 0, 0], theme.shade)));
      ctx.strokeStyle = css(theme.paper);
      ctx.lineWidth = part.tone === "middle" || part.tone === "eye" ? 1 : Math.max(1.2, 0.012 * figure.size * seen[3]);
      if (part.tone !== "eye") ctx.stroke(path);
      ctx.fillStyle = gradient;
      ctx.fill(path);
    }
    ctx.globalAlpha = 1;
  }

  label(figure, text) {
    const { ctx, camera, p } = this;
    let top = -Infinity, at = 0;
    for (let i = 0; i < figure.points; i++) if (figure.now[i * 3 + 1] > top) [top, at] = [figure.now[i * 3 + 1], i];
    if (!camera.see(figure.now[at * 3], top + 0.2 * figure.size, figure.now[at * 3 + 2], p)) return;
    ctx.font = "600 12px system-ui, sans-serif";
    ctx.textAlign = "center";
    ctx.fillStyle = css(this.theme.ink, 0.75);
    ctx.fillText(text, p[0], p[1]);
  }

  // A pen stroke: pale where it is still to come, ink where it has been; slow is thick.
  stroke(figure) {
    const { ctx, camera, p, theme } = this, q = [], n = figure.frames, xy = [];
    for (let f = 0; f < n; f++) {
      figure.at(f, 0, q);
      camera.see(q[0] + figure.shift[0], q[1], q[2] + figure.shift[1], p);
      xy.push([p[0], p[1]]);
    }
    const steps = xy.map((a, f) => (f ? Math.hypot(a[0] - xy[f - 1][0], a[1] - xy[f - 1][1]) : 0));
    const fastest = Math.max(...steps, 1e-9), size = Math.min(camera.width, camera.height);
    ctx.strokeStyle = css(theme.ink, 0.16);
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    xy.forEach(([x, y], f) => (f ? ctx.lineTo(x, y) : ctx.moveTo(x, y)));
    ctx.stroke();
    ctx.strokeStyle = css(theme.ink);
    for (let f = 1; f < n && f <= figure.frame; f++) {
      ctx.lineWidth = size * (0.007 + 0.012 * (1 - steps[f] / fastest));
      ctx.beginPath();
      ctx.moveTo(...xy[f - 1]);
      ctx.lineTo(...xy[f]);
      ctx.stroke();
    }
    const tip = xy[clamp(Math.round(figure.frame), 0, n - 1)];
    ctx.fillStyle = css(theme.left);
    ctx.beginPath();
    ctx.arc(tip[0], tip[1], size * 0.016, 0, 2 * Math.PI);
    ctx.fill();
  }
}
