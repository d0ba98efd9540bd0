/* A chart of values over instants: lines with their least and largest per pixel, zoom and a cursor. */

const FAN = 16; /* values of one level that the next holds as one pair */

/* Least and largest of any range in few steps. */
class Range {
  constructor(values) {
    this.low = [values];
    this.high = [values];
    while (this.low[this.low.length - 1].length > 512) {
      const low = this.low[this.low.length - 1];
      const high = this.high[this.high.length - 1];
      const length = Math.ceil(low.length / FAN);
      const lower = new Float64Array(length);
      const higher = new Float64Array(length);
      for (let i = 0; i < length; i++) {
        let least = Infinity;
        let most = -Infinity;
        const end = Math.min(low.length, (i + 1) * FAN);
        for (let j = i * FAN; j < end; j++) {
          if (low[j] < least) least = low[j];
          if (high[j] > most) most = high[j];
        }
        lower[i] = least;
        higher[i] = most;
      }
      this.low.push(lower);
      this.high.push(higher);
    }
  }
  /* Of values from to end (not included), written to this.least and this.most. */
  look(from, end) {
    let least = Infinity;
    let most = -Infinity;
    let level = 0;
    let step = 1;
    for (let i = from; i < end;) {
      while (level + 1 < this.low.length && i % (step * FAN) === 0 && i + step * FAN <= end) {
        level++;
        step *= FAN;
      }
      while (level > 0 && i + step > end) {
        level--;
        step /= FAN;
      }
      const at = i / step;
      if (this.low[level][at] < least) least = this.low[level][at];
      if (this.high[level][at] > most) most = this.high[level][at];
      i += step;
    }
    this.least = least;
    this.most = most;
  }
}

/* Round steps of an axis: powers of two for binary bytes, of ten for all else. */
function stepsFor(most, wanted, unit) {
  const binary = unit === "bytes" && unitOf(most).includes("i");
  const scale = unit === "bytes" ? UNITS[unitOf(most)] : 1;
  const rough = Math.max(most / scale / wanted, unit === "bytes" ? 1e-3 : 1);
  const base = binary ? 2 ** Math.floor(Math.log2(rough)) : 10 ** Math.floor(Math.log10(rough));
  const step = (binary ? [1, 2] : [1, 2, 5, 10]).map((factor) => factor * base).find((one) => one >= rough * 0.75) || base * 2;
  return step * scale;
}

class Chart {
  /* spec: of the page's data. host: {moved(at), where(at), axis(position) -> lines of a label, scale}; moved: by the user. */
  constructor(spec, host) {
    this.spec = spec;
    this.host = host;
    this.from = 0;
    this.to = Math.max(1, spec.count - 1);
    this.at = 0;
    this.series = spec.series.map((one) => ({ ...one, range: null }));
    this.followers = []; /* pictures of the same time, drawn with it */
    this.extra = null; /* {name, range}: of a search or a group */
    this.build();
    drawn.push(() => this.draw());
  }

  build() {
    const { spec } = this;
    const zoom = (factor) => () => this.zoom(factor);
    this.canvas = make("canvas", { class: "plot", tabindex: "0", role: "slider", "aria-label": spec.title, "aria-valuemin": "0", "aria-valuemax": String(spec.count - 1) });
    this.canvas.style.height = (spec.height || 250) + "px";
    this.strip = make("canvas", { class: "strip", "aria-hidden": "true" });
    this.strip.style.height = "34px";
    this.legend = make("ul", { class: "legend" });
    this.instant = make("span", { class: "note" });
    const tools = make("div", { class: "tools" },
      make("button", { onclick: zoom(2), "aria-label": "zoom in" }, "+"),
      make("button", { onclick: zoom(0.5), "aria-label": "zoom out" }, "\u2212"),
      make("button", { onclick: zoom(0) }, "All"));
    /* The cursor is an element of its own: moving it draws nothing anew. */
    this.cursors = [make("div", { class: "cursor" }), make("div", { class: "cursor" })];
    this.element = make("section", { class: "panel", "aria-label": spec.title },
      make("div", { class: "top" }, make("h2", null, spec.title), tools), this.legend,
      make("div", { class: "under" }, this.canvas, this.cursors[0]), make("div", { class: "under" }, this.strip, this.cursors[1]),
      make("p", { class: "note" }, spec.note || ""));
    this.canvas.addEventListener("pointerdown", (event) => this.press(event));
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.strip.addEventListener("pointerdown", (event) => this.drag(event));
  }

  /* The first picture is of the overview, all later ones of every value. */
  overview() {
    for (const one of this.series) {
      const low = readSeries(one.low, one.columns, one.unit);
      const high = readSeries(one.high, one.columns, one.unit);
      one.overview = { low, high };
    }
    this.draw();
  }
  load() {
    for (const one of this.series) one.range = new Range(readSeries(one.array, one.count, one.unit));
    redraw(() => this.draw());
  }

  /* What a series has at an instant; 0 while only the overview is there. */
  valueAt(index, at) { return this.series[index].range ? this.series[index].range.low[0][at] : 0; }

  get most() {
    let most = Math.max(1, ...this.series.map((one) => one.largest));
    for (const line of this.spec.lines || []) if (line.value <= most * 1.6) most = Math.max(most, line.value);
    return most * 1.04;
  }
  box(width, height) { return { left: 64, right: width - 8, top: 8, bottom: height - 34 }; }
  x(instant) { return this.area.left + ((instant - this.from) / (this.to - this.from)) * (this.area.right - this.area.left); }
  y(value) { return this.area.bottom - (value / this.most) * (this.area.bottom - this.area.top); }
  instantAt(clientX) {
    const share = (clientX - this.canvas.getBoundingClientRect().left - this.area.left) / (this.area.right - this.area.left);
    return Math.min(this.spec.count - 1, Math.max(0, Math.round(this.from + share * (this.to - this.from))));
  }

  draw() {
    const { context, width, height } = prepare(this.canvas);
    if (width === 0) return;
    this.area = this.box(width, height);
    this.axes(context);
    context.save();
    context.beginPath();
    context.rect(this.area.left, this.area.top - 1, this.area.right - this.area.left + 1, this.area.bottom - this.area.top + 2);
    context.clip();
    const order = [...this.series].sort((a, b) => (a.role === "reserved") - (b.role === "reserved"));
    order.reverse();
    for (const one of order) this.line(context, one, one.role, one.role === "allocated");
    if (this.extra) this.line(context, this.extra, "match", true);
    this.marks(context);
    context.restore();
    this.window();
    this.pointOut();
    if (this.followers.length) {
      clearTimeout(this.soon); /* they are dear: drawn when the window holds still */
      this.soon = setTimeout(() => this.followers.forEach((follower) => follower.draw()), 60);
    }
  }

  /* Puts the cursor where it is, and says the values there. */
  pointOut() {
    if (!this.area) return;
    const { left, right, top, bottom } = this.area;
    const all = left + (this.at / Math.max(1, this.spec.count - 1)) * (right - left);
    const shown = this.at >= this.from && this.at <= this.to;
    this.cursors[0].style.transform = "translate(" + Math.round(shown ? this.x(this.at) : -9) + "px," + top + "px)";
    this.cursors[0].style.height = bottom - top + "px";
    this.cursors[1].style.transform = "translate(" + Math.round(all) + "px,0)";
    this.cursors[1].style.height = "34px";
    this.names();
  }

  /* One line: per pixel column its least and largest value. */
  line(context, one, role, filled) {
    const { left, right, bottom } = this.area;
    const columns = Math.max(1, Math.floor(right - left));
    const low = new Float64Array(columns + 1);
    const high = new Float64Array(columns + 1);
    for (let i = 0; i <= columns; i++) this.column(one, i, columns, low, high);
    context.strokeStyle = colour(one.colour || role);
    context.lineWidth = 1.5;
    context.setLineDash(one.dash || []);
    if (filled) {
      context.fillStyle = colour(one.colour || role);
      context.globalAlpha = 0.22;
      context.beginPath();
      context.moveTo(left, bottom);
      for (let i = 0; i <= columns; i++) context.lineTo(left + i, this.y(high[i]));
      context.lineTo(right, bottom);
      context.fill();
      context.globalAlpha = 1;
    }
    context.beginPath();
    for (let i = 0; i <= columns; i++) {
      context.lineTo(left + i, this.y(high[i]));
      if (low[i] !== high[i]) {
        context.lineTo(left + i, this.y(low[i]));
        context.lineTo(left + i, this.y(high[i]));
      }
    }
    context.stroke();
    context.setLineDash([]);
  }
  column(one, i, columns, low, high) {
    const last = this.spec.count - 1;
    const span = (this.to - this.from) / columns;
    const from = Math.max(0, Math.min(last, Math.floor(this.from + i * span)));
    const end = Math.min(last + 1, Math.max(from + 1, Math.floor(this.from + (i + 1) * span)));
    if (one.range) {
      one.range.look(from, end);
      low[i] = one.range.least;
      high[i] = one.range.most;
    } else if (one.overview) {
      const at = Math.min(one.columns - 1, Math.floor((from / (last + 1)) * one.columns));
      low[i] = one.overview.low[at];
      high[i] = one.overview.high[at];
    }
  }

  axes(context) {
    const { left, right, top, bottom } = this.area;
    const { unit } = this.spec;
    context.font = FONT;
    context.fillStyle = colour("soft");
    context.strokeStyle = colour("line");
    context.lineWidth = 1;
    context.textAlign = "right";
    context.textBaseline = "middle";
    const step = stepsFor(this.most, 5, unit);
    const name = unit === "bytes" ? unitOf(this.most) : "";
    for (let value = 0; value <= this.most; value += step) {
      const y = Math.round(this.y(value)) + 0.5;
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(right, y);
      context.stroke();
      const text = unit === "bytes" ? String(Number((value / UNITS[name]).toPrecision(4))) + " " + name : unit === "share" ? value / 10 + "%" : count(value);
      context.fillText(value === 0 ? "0" : text, left - 6, y);
    }
    context.textBaseline = "top";
    let taken = -Infinity;
    const { scale } = this.host; /* a value stands for this much on the axis */
    const every = Math.max(1, stepsFor((this.to - this.from) * scale, Math.max(2, (right - left) / 130), ""));
    for (let at = Math.ceil((this.from * scale) / every) * every; at <= this.to * scale; at += every) {
      const x = Math.round(this.x(at / scale)) + 0.5;
      context.beginPath();
      context.moveTo(x, bottom);
      context.lineTo(x, bottom + 4);
      context.stroke();
      const label = this.host.axis(at);
      const wide = Math.max(...label.map((one) => context.measureText(one).width)) / 2;
      context.textAlign = x - wide < left ? "left" : x + wide > right ? "right" : "center";
      const begins = x - (x - wide < left ? 0 : x + wide > right ? 2 * wide : wide);
      if (begins < taken + 8) continue; /* no room beside the one before */
      taken = begins + 2 * wide;
      label.forEach((one, i) => context.fillText(one, x, bottom + 5 + 14 * i));
    }
  }

  marks(context) {
    const { left, right, top } = this.area;
    for (const line of this.spec.lines || []) {
      if (line.value > this.most) continue;
      context.strokeStyle = colour("card");
      context.setLineDash([6, 4]);
      context.beginPath();
      context.moveTo(left, this.y(line.value));
      context.lineTo(right, this.y(line.value));
      context.stroke();
      context.setLineDash([]);
    }
    for (const mark of this.spec.marks || []) {
      if (mark.at < this.from || mark.at > this.to) continue;
      const x = this.x(mark.at);
      context.fillStyle = colour(mark.key === "o" ? "alarm" : mark.key === "r" ? "reserved" : "allocated");
      context.beginPath();
      context.moveTo(x - 5, top);
      context.lineTo(x + 5, top);
      context.lineTo(x, top + 8);
      context.fill();
    }
  }

  /* The values at the cursor, which are the legend too. */
  names() {
    const item = (name, swatch, text, dash) => make("li", null, swatchOf(swatch, dash), name + " ", make("b", null, text));
    const items = this.series.map((one) => item(one.name, one.colour || one.role, one.range ? figure(one.range.low[0][this.at], this.spec.unit) : "", one.dash));
    if (this.extra) items.push(item(this.extra.name, "match", figure(this.extra.range.low[0][this.at], this.spec.unit)));
    for (const line of this.spec.lines || []) {
      items.push(item(line.name, "card", figure(line.value, this.spec.unit) + (line.value > this.most ? " (above the picture)" : ""), true));
    }
    const where = this.host.where(this.at);
    this.legend.replaceChildren(make("li", null, make("b", null, where)), ...items);
    this.canvas.setAttribute("aria-valuenow", String(this.at));
    this.canvas.setAttribute("aria-valuetext", where + ", " + items.map((one) => one.textContent).join(", "));
  }

  /* The strip: all of the time, with the part that is shown. */
  window() {
    const { context, height } = prepare(this.strip);
    const { left, right } = this.area;
    const scale = (right - left) / Math.max(1, this.spec.count - 1);
    const one = this.series[0];
    context.fillStyle = colour("panel");
    context.fillRect(left, 0, right - left, height);
    context.fillStyle = colour(one.colour || one.role);
    context.globalAlpha = 0.5;
    const shown = [this.from, this.to];
    [this.from, this.to] = [0, Math.max(1, this.spec.count - 1)];
    const columns = Math.floor(right - left);
    const low = new Float64Array(columns + 1);
    const high = new Float64Array(columns + 1);
    for (let i = 0; i < columns; i++) {
      this.column(one, i, columns, low, high);
      const tall = (high[i] / this.most) * (height - 4);
      context.fillRect(left + i, height - tall, 1, tall);
    }
    [this.from, this.to] = shown;
    context.globalAlpha = 1;
    context.strokeStyle = colour("accent");
    context.lineWidth = 2;
    const x = left + this.from * scale;
    context.strokeRect(x + 1, 1, Math.max(4, (this.to - this.from) * scale - 2), height - 2);
  }

  /* ---- moving ---- */

  show(from, to) {
    const last = Math.max(1, this.spec.count - 1);
    const wide = Math.min(last, Math.max(8, to - from));
    this.from = Math.max(0, Math.min(last - wide, from));
    this.to = this.from + wide;
    redraw(this.redrawing || (this.redrawing = () => this.draw()));
  }
  zoom(factor, around) {
    const middle = around === undefined ? this.at : around;
    const wide = factor === 0 ? this.spec.count : (this.to - this.from) / factor;
    const share = factor === 0 ? 0 : Math.min(1, Math.max(0, (middle - this.from) / (this.to - this.from)));
    this.show(middle - share * wide, middle - share * wide + wide);
  }
  move(instant) {
    this.at = Math.min(this.spec.count - 1, Math.max(0, instant));
    const wide = this.to - this.from;
    if (this.at < this.from || this.at > this.to) this.show(this.at - wide / 2, this.at + wide / 2);
    redraw(this.pointing || (this.pointing = () => this.pointOut()));
  }
  press(event) {
    const move = (one) => this.host.moved(this.instantAt(one.clientX));
    const end = () => {
      this.canvas.removeEventListener("pointermove", move);
      this.canvas.removeEventListener("pointerup", end);
      this.canvas.removeEventListener("pointercancel", end);
    };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", end);
    this.canvas.addEventListener("pointercancel", end);
    move(event);
  }
  point(event) {
    if (!this.area || event.pointerType === "touch") return;
    const at = this.instantAt(event.clientX);
    const rows = this.series.filter((one) => one.range).map((one) => make("div", null, swatchOf(one.colour || one.role, one.dash), " " + one.name + " ", make("b", null, figure(one.range.low[0][at], this.spec.unit))));
    const near = (this.spec.marks || []).filter((mark) => Math.abs(this.x(mark.at) - this.x(at)) < 6);
    showTip(event.clientX, event.clientY, make("div", null, this.host.where(at)), ...rows,
      ...near.map((mark) => make("div", null, mark.name)));
  }
  wheel(event) {
    if (!event.ctrlKey && !event.shiftKey) return;
    event.preventDefault();
    this.zoom(event.deltaY + event.deltaX < 0 ? 1.25 : 0.8, this.instantAt(event.clientX));
  }
  /* Drags the window of the strip, or one of its ends. */
  drag(event) {
    const { left, right } = this.area;
    const last = Math.max(1, this.spec.count - 1);
    const at = (one) => ((one.clientX - this.strip.getBoundingClientRect().left - left) / (right - left)) * last;
    const near = (last / (right - left)) * 10;
    const begin = at(event);
    const [from, to] = [this.from, this.to];
    const part = Math.abs(begin - from) < near ? "from" : Math.abs(begin - to) < near ? "to" : begin > from && begin < to && to - from < last ? "all" : "new";
    const move = (one) => {
      const by = at(one) - begin;
      if (part === "from") this.show(Math.min(from + by, to - 8), to);
      else if (part === "to") this.show(from, to + by);
      else if (part === "all") this.show(from + by, to + by);
      else if (Math.abs(by) > near) this.show(Math.min(begin, begin + by), Math.max(begin, begin + by));
    };
    const end = () => {
      this.strip.removeEventListener("pointermove", move);
      this.strip.removeEventListener("pointerup", end);
    };
    this.strip.setPointerCapture(event.pointerId);
    this.strip.addEventListener("pointermove", move);
    this.strip.addEventListener("pointerup", end);
  }
}

function swatchOf(name, dash) {
  const swatch = make("span", { class: dash ? "swatch dash" : "swatch" });
  swatch.style[dash ? "borderTopColor" : "background"] = colour(name);
  return swatch;
}
