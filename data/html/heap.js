/* Blocks and segments: their tables, and the map of the heap at an instant. */

const NEVER = 0xffffffff;

class Blocks {
  constructor(heap) {
    const n = heap.blockCount;
    const reader = new Reader(heap.blocks);
    this.count = n;
    this.address = new Float64Array(n);
    this.bytes = new Float64Array(n);
    this.requested = new Float64Array(n);
    this.born = new Uint32Array(n);
    this.freed = new Uint32Array(n);
    this.died = new Uint32Array(n);
    this.stack = new Uint32Array(n);
    this.stream = new Uint16Array(n);
    let address = 0;
    for (let i = 0; i < n; i++) {
      address += reader.number() * heap.unit;
      this.address[i] = address;
      this.bytes[i] = reader.number() * heap.unit;
      this.requested[i] = this.bytes[i] - reader.difference();
      this.born[i] = reader.number();
      this.freed[i] = this.later(reader.number(), this.born[i]);
      this.died[i] = this.later(reader.number(), this.freed[i] === NEVER ? this.born[i] : this.freed[i]);
      this.stack[i] = reader.number();
      this.stream[i] = reader.number();
    }
    this.streams = heap.streams;
    this.scope = heap.scopes === null ? null : readNumbers(heap.scopes, n); /* texts of annotations */
  }
  later(number, after) { return number === 0 ? NEVER : after + number - 1; }
  isLive(i, instant) { return this.born[i] <= instant && instant < this.died[i]; }
}

class Spans {
  constructor(heap) {
    const n = heap.spanCount;
    const reader = new Reader(heap.spans);
    this.count = n;
    this.address = new Float64Array(n);
    this.bytes = new Float64Array(n);
    this.born = new Uint32Array(n);
    this.died = new Uint32Array(n);
    this.flags = new Uint8Array(n);
    let address = 0;
    for (let i = 0; i < n; i++) {
      address += reader.number() * heap.unit;
      this.address[i] = address;
      this.bytes[i] = reader.number() * heap.unit;
      this.born[i] = reader.number();
      const died = reader.number();
      this.died[i] = died === 0 ? NEVER : this.born[i] + died - 1;
      reader.number(); /* its stream is that of its blocks */
      this.flags[i] = reader.number();
    }
  }
}

/* All addresses that were ever reserved, as ranges that do not touch: the map's fixed ground. */
function groundOf(pieces) {
  const ground = [];
  let bytesBefore = 0;
  for (let i = 0; i < pieces.count; i++) {
    const last = ground[ground.length - 1];
    const from = pieces.address[i];
    const end = from + pieces.bytes[i];
    if (last && from <= last.end) {
      if (end > last.end) {
        bytesBefore += end - last.end;
        last.end = end;
      }
    } else {
      ground.push({ from, end, before: bytesBefore });
      bytesBefore += end - from;
    }
  }
  ground.bytes = bytesBefore;
  return ground;
}

const ROW = 15; /* CSS pixels of a row and the gap below it */
const ROW_GAP = 3;
const NOTHING = -1;
const FREE = -2;

class HeapMap {
  /* host: {blocks, spans, at(), groupOf(i), colourOf(group), isFaded(i), label(i), picked(i), describe(i)} */
  constructor(host, title, note) {
    this.host = host;
    this.zoom = 1;
    this.picked = -1;
    this.widths = new Map();
    this.ground = groundOf(host.spans.count ? host.spans : host.blocks);
    const zoom = (factor) => () => this.scale(factor);
    this.canvas = make("canvas", { tabindex: "0", role: "img" });
    this.tall = make("div", { class: "tall" });
    this.scroller = make("div", { class: "scroller" }, this.canvas, this.tall);
    this.summary = make("p", { class: "note" });
    this.element = make("section", { class: "panel", "aria-label": title },
      make("div", { class: "top" }, make("h2", null, title), make("div", { class: "tools" },
        make("button", { onclick: zoom(2), "aria-label": "map: larger" }, "+"),
        make("button", { onclick: zoom(0.5), "aria-label": "map: smaller" }, "\u2212"),
        make("button", { onclick: zoom(0) }, "All"))),
      this.scroller, this.summary, make("p", { class: "note" }, note));
    const again = () => redraw(this.redrawing);
    this.redrawing = () => this.draw();
    this.scroller.addEventListener("scroll", again);
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("click", (event) => this.click(event));
    drawn.push(this.redrawing);
  }

  scale(factor) {
    const share = (this.scroller.scrollTop + this.scroller.clientHeight / 2) / Math.max(1, this.tall.offsetHeight);
    this.zoom = factor === 0 ? 1 : Math.min(4096, Math.max(1, this.zoom * factor));
    this.layOut();
    this.scroller.scrollTop = share * this.tall.offsetHeight - this.scroller.clientHeight / 2;
    redraw(this.redrawing);
  }

  /* How many bytes a pixel of the device is, so that at zoom 1 all of the ground is in view. */
  layOut() {
    const scale = window.devicePixelRatio || 1;
    this.across = Math.max(1, Math.round(this.canvas.clientWidth * scale));
    const rows = Math.max(1, Math.floor(this.scroller.clientHeight / ROW) - 1);
    const gaps = Math.min(2 * scale, (this.across * rows) / 4 / Math.max(1, this.ground.length));
    this.gap = Math.floor(gaps);
    const room = this.across * rows * this.zoom - this.gap * this.ground.length;
    this.perPixel = Math.max(1, this.ground.bytes / Math.max(1, room));
    const total = this.ground.bytes / this.perPixel + this.gap * this.ground.length;
    this.rows = Math.max(1, Math.ceil(total / this.across));
    this.tall.style.height = this.rows * ROW + "px";
  }

  /* Where an address is, in pixels from the first one; the ground it lies in is looked for onward. */
  place(address, from) {
    let i = from;
    while (i + 1 < this.ground.length && this.ground[i + 1].from <= address) i++;
    this.found = i;
    const ground = this.ground[i];
    return Math.round((ground.before + address - ground.from) / this.perPixel) + i * this.gap;
  }

  paint() {
    const { host } = this;
    const at = host.at();
    const first = this.first * this.across;
    const end = first + this.visible * this.across;
    if (!this.image || this.image.width !== this.across || this.image.height !== this.visible) {
      this.image = new ImageData(this.across, this.visible);
      this.colours = new Uint32Array(this.image.data.buffer);
      this.ids = new Int32Array(this.across * this.visible);
      this.strip = make("canvas", { width: String(this.across), height: String(this.visible) });
    }
    const { colours, ids } = this;
    colours.fill(0);
    ids.fill(NOTHING);
    const clip = (pixels) => Math.max(0, Math.min(end, pixels) - first);
    const gone = pixel("gone");
    for (let i = 0; i < this.ground.length; i++) {
      const from = Math.round(this.ground[i].before / this.perPixel) + i * this.gap;
      const to = Math.round((this.ground[i].before + this.ground[i].end - this.ground[i].from) / this.perPixel) + i * this.gap;
      if (to > first && from < end) colours.fill(gone, clip(from), clip(to));
    }
    this.paintSpans(at, first, end, clip);
    this.paintBlocks(at, first, end, clip);
    this.strip.getContext("2d").putImageData(this.image, 0, 0);
  }

  paintSpans(at, first, end, clip) {
    const { spans } = this.host;
    const free = pixel("free");
    const edge = pixel("rule");
    let found = 0;
    this.segments = 0;
    this.reserved = 0;
    for (let i = 0; i < spans.count; i++) {
      if (spans.born[i] > at || at >= spans.died[i]) continue;
      const from = this.place(spans.address[i], found);
      found = this.found;
      const to = Math.max(from + 1, from + Math.round(spans.bytes[i] / this.perPixel));
      this.segments++;
      this.reserved += spans.bytes[i];
      if (to <= first || from >= end) continue;
      this.colours.fill(free, clip(from), clip(to));
      this.ids.fill(FREE, clip(from), clip(to));
      if (to - from > 5 && from >= first && from < end) this.colours[from - first] = edge;
    }
  }

  paintBlocks(at, first, end, clip) {
    const { blocks } = this.host;
    const shades = new Map();
    const shade = (i, pending, faded) => {
      const group = this.host.groupOf(i);
      const key = group * 4 + (pending ? 2 : 0) + (faded ? 1 : 0);
      if (!shades.has(key)) {
        const name = this.host.colourOf(group);
        shades.set(key, [pixel(name, "free", faded ? 0.82 : pending ? 0.55 : 0), pixel(name, "ink", faded ? 0.05 : 0.35)]);
      }
      return shades.get(key);
    };
    let found = 0;
    this.live = 0;
    this.liveBytes = 0;
    for (let i = 0; i < blocks.count; i++) {
      if (blocks.born[i] > at || at >= blocks.died[i]) continue;
      this.live++;
      this.liveBytes += blocks.bytes[i];
      const from = this.place(blocks.address[i], found);
      found = this.found;
      const to = Math.max(from + 1, from + Math.round(blocks.bytes[i] / this.perPixel));
      if (to <= first || from >= end) continue;
      const [fill, edge] = shade(i, blocks.freed[i] <= at, this.host.isFaded(i));
      this.colours.fill(fill, clip(from), clip(to));
      this.ids.fill(i, clip(from), clip(to));
      if (to - from > 4 && to - 1 >= first && to - 1 < end) this.colours[to - 1 - first] = edge;
    }
  }

  draw() {
    if (this.canvas.clientWidth === 0) return;
    this.layOut();
    const { context, width, height, scale } = prepare(this.canvas);
    this.first = Math.min(this.rows - 1, Math.floor(this.scroller.scrollTop / ROW));
    this.visible = Math.max(1, Math.min(this.rows - this.first, Math.ceil(height / ROW) + 1));
    this.paint();
    this.offset = this.first * ROW - this.scroller.scrollTop;
    context.imageSmoothingEnabled = false;
    for (let i = 0; i < this.visible; i++) {
      context.drawImage(this.strip, 0, i, this.across, 1, 0, this.offset + i * ROW, width, ROW - ROW_GAP);
    }
    this.names(context, scale);
    this.outline(context, scale, this.picked);
    const where = this.segments ? count(this.segments) + (this.segments === 1 ? " segment" : " segments") + " with " + bytes(this.reserved) + ", " : "";
    const text = where + count(this.live) + (this.live === 1 ? " block" : " blocks") + " with " + bytes(this.liveBytes) + (this.segments ? ", " + bytes(Math.max(0, this.reserved - this.liveBytes)) + " free between them" : "");
    this.summary.textContent = text + ". A row is " + bytes(this.perPixel * this.across) + ".";
    this.canvas.setAttribute("aria-label", "Heap map: " + text + ". Arrow keys choose a block.");
  }

  /* Names in what is wide enough for one. */
  names(context, scale) {
    context.font = "10px system-ui, \"DejaVu Sans\", sans-serif";
    context.textAlign = "left";
    context.textBaseline = "middle";
    context.fillStyle = colour("paper");
    let left = 100;
    for (let row = 0; row < this.visible && left > 0; row++) {
      const start = row * this.across;
      for (let x = 0; x < this.across && left > 0;) {
        const id = this.ids[start + x];
        let end = x + 1;
        while (end < this.across && this.ids[start + end] === id) end++;
        if (id >= 0 && (end - x) / scale > 80 && !this.host.isFaded(id)) {
          const wide = (end - x) / scale - 8;
          const text = this.fit(context, this.host.label(id), wide);
          context.fillText(text, x / scale + 4, this.offset + row * ROW + (ROW - ROW_GAP) / 2 + 0.5);
          left--;
        }
        x = end;
      }
    }
  }
  /* Measuring is what names cost: each is measured once, and cut in proportion. */
  fit(context, text, wide) {
    if (this.widths.size > 20000) this.widths.clear();
    if (!this.widths.has(text)) this.widths.set(text, context.measureText(text).width);
    const width = this.widths.get(text);
    return width <= wide ? text : text.slice(0, Math.max(1, Math.floor((text.length * wide) / width) - 3)) + "\u2026";
  }

  outline(context, scale, id) {
    if (id < 0) return;
    context.strokeStyle = colour("ink");
    context.lineWidth = 2;
    for (let row = 0; row < this.visible; row++) {
      const start = row * this.across;
      const from = this.ids.subarray(start, start + this.across).indexOf(id);
      if (from < 0) continue;
      const to = this.ids.subarray(start, start + this.across).lastIndexOf(id) + 1;
      context.strokeRect(from / scale, this.offset + row * ROW - 1, Math.max(2, (to - from) / scale), ROW - ROW_GAP + 2);
    }
  }

  idAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - box.top - this.offset) / ROW);
    const x = Math.floor(((event.clientX - box.left) / box.width) * this.across);
    if (!this.ids || row < 0 || row >= this.visible || x < 0 || x >= this.across) return NOTHING;
    return this.ids[row * this.across + x];
  }
  point(event) {
    if (event.pointerType === "touch") return;
    const id = this.idAt(event);
    if (id >= 0) showTip(event.clientX, event.clientY, ...this.host.describe(id, 10));
    else if (id === FREE) showTip(event.clientX, event.clientY, "free, reserved");
    else hideTip();
  }
  click(event) {
    const id = this.idAt(event);
    this.pick(id >= 0 ? id : -1);
  }
  pick(id) {
    this.picked = id;
    this.host.picked(id);
    redraw(this.redrawing);
  }
  /* The next live block by address, and into view with it. */
  step(by) {
    const { blocks } = this.host;
    const at = this.host.at();
    let i = this.picked < 0 ? (by > 0 ? -1 : blocks.count) : this.picked;
    do i += by; while (i >= 0 && i < blocks.count && !blocks.isLive(i, at));
    if (i < 0 || i >= blocks.count) return;
    const row = Math.floor(this.place(blocks.address[i], 0) / this.across);
    const top = row * ROW;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    if (top + ROW > this.scroller.scrollTop + this.scroller.clientHeight) this.scroller.scrollTop = top + ROW - this.scroller.clientHeight;
    this.pick(i);
  }
}
