/* Blocks as boxes: time from left to right as in the first chart, addresses from the bottom up. */

/* The boxes of a page that has no record: a placement. */
class PlainBoxes {
  constructor(spec) {
    const reader = new Reader(spec.array);
    this.count = spec.count;
    this.from = new Float64Array(spec.count);
    this.until = new Float64Array(spec.count);
    this.low = new Float64Array(spec.count);
    this.bytes = new Float64Array(spec.count);
    let from = spec.first;
    for (let i = 0; i < spec.count; i++) {
      from += reader.number();
      this.from[i] = from;
      this.until[i] = from + reader.number();
      this.low[i] = reader.number() * spec.unit;
      this.bytes[i] = reader.number() * spec.unit;
    }
  }
  describe(i) {
    const rows = [["block", count(i + 1) + " of " + count(this.count)], ["size", bytes(this.bytes[i])],
      ["from", count(this.from[i])], ["until", count(this.until[i])], ["lies at", bytes(this.low[i])]];
    return [make("dl", { class: "facts" }, ...rows.flatMap(([name, text]) => [make("dt", null, name), make("dd", null, text)]))];
  }
}

const BOXES_AT_ONCE = 8192;
const FRAME_SHARE = 10; /* milliseconds of a frame for boxes */

class Boxes {
  /*
   * boxes: {count, from[], until[], low[], bytes[]}. ground: ranges of addresses that are drawn, as groundOf gives them.
   * host: {chart, scale, spans or null, colourOf(i), isFaded(i), describe(i), picked(i), at()}; scale: times of one value of the chart.
   */
  constructor(boxes, ground, host, spec) {
    this.boxes = boxes;
    this.ground = ground;
    this.host = host;
    this.spec = spec;
    this.found = 0;
    this.canvas = make("canvas", { class: "plot", role: "img", "aria-label": spec.title + ": " + count(boxes.count) + " blocks" });
    this.canvas.style.height = "340px";
    this.cursor = make("div", { class: "cursor" });
    this.element = make("section", { class: "panel", "aria-label": spec.title },
      make("div", { class: "top" }, make("h2", null, spec.title)), make("div", { class: "under" }, this.canvas, this.cursor), make("p", { class: "note" }, spec.note));
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", hideTip);
    this.canvas.addEventListener("click", (event) => this.click(event));
    this.redrawing = () => this.draw();
    this.going = () => this.goOn();
    this.pointing = () => this.pointOut();
    drawn.push(this.redrawing);
  }

  /* Rows from the bottom up to an address, which is often in the range of the one before. */
  height(address, rows) {
    let part = this.ground[this.found];
    if (address < part.from || address > part.end) {
      let low = 0;
      let high = this.ground.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (this.ground[middle].from <= address) low = middle;
        else high = middle - 1;
      }
      this.found = low;
      part = this.ground[low];
    }
    return ((part.before + Math.min(address, part.end) - part.from) / this.ground.bytes) * rows;
  }

  fill(from, until, low, bytes, colour, id) {
    const { across, rows } = this;
    const span = this.to - this.since;
    const x0 = Math.max(0, Math.floor(((from - this.since) / span) * across));
    const x1 = Math.min(across, Math.max(x0 + 1, Math.round(((until - this.since) / span) * across)));
    const y1 = Math.min(rows, rows - Math.floor(this.height(low, rows)));
    const y0 = Math.max(0, Math.min(y1 - 1, rows - Math.round(this.height(low + bytes, rows))));
    if (x1 - x0 === 1 && y1 - y0 === 1) {
      this.colours[y0 * across + x0] = colour;
      this.ids[y0 * across + x0] = id;
      return;
    }
    for (let y = y0; y < y1; y++) {
      this.colours.fill(colour, y * across + x0, y * across + x1);
      this.ids.fill(id, y * across + x0, y * across + x1);
    }
  }

  paintSpans() {
    const { spans } = this.host;
    const free = pixel("free");
    for (let i = 0; spans && i < spans.count; i++) {
      const until = spans.died[i] === NEVER ? Infinity : spans.died[i];
      if (until > this.since && spans.born[i] < this.to) this.fill(spans.born[i], Math.min(until, this.to), spans.address[i], spans.bytes[i], free, FREE);
    }
  }
  paintBoxes(first, end) {
    const { boxes, host, shades } = this;
    for (let i = first; i < end; i++) {
      const until = boxes.until[i] === NEVER ? this.to : Math.min(boxes.until[i], this.to);
      if (until <= this.since || boxes.from[i] >= this.to) continue;
      const name = host.colourOf(i);
      const faded = host.isFaded(i) ? 1 : 0;
      let shade = shades[faded].get(name);
      if (shade === undefined) shades[faded].set(name, (shade = pixel(name, "free", faded * 0.82)));
      this.fill(boxes.from[i], until, boxes.low[i], boxes.bytes[i], shade, i);
    }
  }

  draw() {
    const { chart, scale } = this.host;
    const dots = window.devicePixelRatio || 1;
    if (this.canvas.clientWidth === 0 || !chart.area || this.ground.bytes === 0) return;
    this.since = chart.from * scale + (this.host.first || 0);
    this.to = chart.to * scale + (this.host.first || 0);
    const across = Math.max(1, Math.round((chart.area.right - chart.area.left) * dots));
    const rows = Math.max(1, Math.round((this.canvas.clientHeight - 4) * dots));
    if (across !== this.across || rows !== this.rows) {
      [this.across, this.rows] = [across, rows];
      this.image = new ImageData(across, rows);
      this.colours = new Uint32Array(this.image.data.buffer);
      this.ids = new Int32Array(across * rows);
      this.sheet = make("canvas", { width: String(across), height: String(rows) });
    }
    this.shades = [new Map(), new Map()]; /* plain, faded */
    this.colours.fill(0);
    this.ids.fill(NOTHING);
    this.paintSpans();
    this.next = 0;
    this.goOn();
  }
  /* So many boxes take more than one frame: until all are painted the picture before is shown. */
  goOn() {
    const late = performance.now() + FRAME_SHARE;
    while (this.next < this.boxes.count && performance.now() < late) {
      const end = Math.min(this.boxes.count, this.next + BOXES_AT_ONCE);
      this.paintBoxes(this.next, end);
      this.next = end;
    }
    if (this.next < this.boxes.count) redraw(this.going);
    else this.show();
  }
  show() {
    const { left, right } = this.host.chart.area;
    const { context, height } = prepare(this.canvas);
    this.sheet.getContext("2d").putImageData(this.image, 0, 0);
    context.drawImage(this.sheet, left, 2, right - left, height - 4);
    this.levels(context, left, right, height);
    this.pointOut();
  }

  /* Bytes beside a placement; of a record the addresses between its ranges are left out. */
  levels(context, left, right, height) {
    context.font = FONT;
    context.fillStyle = colour("soft");
    context.textAlign = "right";
    context.textBaseline = "middle";
    const y = (value) => height - 2 - this.height(value, height - 4);
    if (!this.spec.lines) {
      context.fillText("highest", left - 6, 10);
      context.fillText("address", left - 6, 24);
      context.fillText("lowest", left - 6, height - 8);
      return;
    }
    const step = stepsFor(this.ground.bytes, 5, "bytes");
    const name = unitOf(this.ground.bytes);
    for (let value = 0; value <= this.ground.bytes; value += step) context.fillText(value === 0 ? "0" : Number((value / UNITS[name]).toPrecision(4)) + " " + name, left - 6, Math.max(7, y(value)));
    context.strokeStyle = colour("card");
    context.setLineDash([6, 4]);
    for (const line of this.spec.lines) {
      context.beginPath();
      context.moveTo(left, y(line.value));
      context.lineTo(right, y(line.value));
      context.stroke();
    }
    context.setLineDash([]);
  }

  pointOut() {
    const { chart } = this.host;
    if (!chart.area) return;
    const shown = chart.at >= chart.from && chart.at <= chart.to;
    this.cursor.style.transform = "translate(" + Math.round(shown ? chart.x(chart.at) : -9) + "px,0)";
    this.cursor.style.height = "340px";
  }

  idAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const { left, right } = this.host.chart.area;
    const x = Math.floor(((event.clientX - box.left - left) / (right - left)) * this.across);
    const y = Math.floor(((event.clientY - box.top - 2) / (box.height - 4)) * this.rows);
    return !this.ids || x < 0 || y < 0 || x >= this.across || y >= this.rows ? NOTHING : this.ids[y * this.across + x];
  }
  point(event) {
    if (event.pointerType === "touch") return;
    const id = this.idAt(event);
    if (id >= 0) showTip(event.clientX, event.clientY, ...this.host.describe(id, 6));
    else if (id === FREE) showTip(event.clientX, event.clientY, "free, reserved");
    else hideTip();
  }
  click(event) {
    const { chart } = this.host;
    const id = this.idAt(event);
    chart.host.moved(chart.instantAt(event.clientX));
    this.host.picked(id >= 0 ? id : -1);
  }
}
