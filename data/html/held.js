/* Who holds it: stacks as labels, groups of blocks, the table of the instant, search. */

const NO_STACK = "(no stack recorded)";

class Stacks {
  constructor(spec) {
    this.texts = spec.texts;
    const frames = new Reader(spec.frames);
    this.file = new Uint32Array(spec.frameCount);
    this.name = new Uint32Array(spec.frameCount);
    this.lineOf = new Float64Array(spec.frameCount);
    for (let i = 0; i < spec.frameCount; i++) {
      this.file[i] = frames.number();
      this.name[i] = frames.number();
      this.lineOf[i] = frames.number();
    }
    const stacks = new Reader(spec.stacks);
    this.count = spec.stackCount;
    this.outer = new Uint32Array(spec.stackCount);
    this.frame = new Uint32Array(spec.stackCount);
    this.user = new Uint32Array(spec.stackCount);
    for (let i = 0; i < spec.stackCount; i++) {
      this.outer[i] = stacks.number();
      this.frame[i] = stacks.number();
      this.user[i] = stacks.number();
    }
    this.role = readNumbers(spec.roles, spec.stackCount);
    this.roles = spec.roleNames;
    this.labels = new Map();
  }
  text(at) { return clean(this.texts[at] || ""); }
  label(frame, whole) {
    if (frame === 0) return NO_STACK;
    const path = this.text(this.file[frame]);
    const file = whole ? path : path.split(/[/\\]/).pop();
    const line = this.lineOf[frame] ? ":" + (this.lineOf[frame] - 1) : "";
    return (file + line + " " + this.text(this.name[frame])).trim();
  }
  short(stack) {
    const frame = this.user[stack];
    if (!this.labels.has(frame)) this.labels.set(frame, this.label(frame, false));
    return this.labels.get(frame);
  }
  /* Innermost first. */
  chain(stack) {
    const frames = [];
    for (let at = stack, left = 4096; at !== 0 && left > 0; at = this.outer[at], left--) frames.push(this.frame[at]);
    return frames;
  }
  /* For each stack which of the words (bits) any of its frames or its role has; outer ones come first. */
  matching(words) {
    const ofFrame = this.file.map((file, i) => (i === 0 ? 0 : bitsOf(words, this.label(i, true))));
    const ofRole = this.roles.map((role) => bitsOf(words, role));
    const bits = new Uint32Array(this.count);
    for (let i = 1; i < this.count; i++) bits[i] = bits[this.outer[i]] | ofFrame[this.frame[i]];
    return bits.map((has, i) => (i === 0 ? 0 : has | ofRole[this.role[i]]));
  }
}

/* Which of the words a text has, whatever its case: a bit each. */
function bitsOf(words, text) {
  const low = text.toLowerCase();
  return words.reduce((bits, word, i) => bits | (low.includes(word) ? 1 << i : 0), 0);
}

/* Ways to put blocks together: key of a block, label of a key. */
const GROUPINGS = {
  frame: { text: "frame", key: (record, i) => record.stacks.user[record.blocks.stack[i]], label: (record, key) => record.stacks.label(key, false) },
  function: { text: "function", key: (record, i) => record.stacks.name[record.stacks.user[record.blocks.stack[i]]], label: (record, key) => record.stacks.text(key) || NO_STACK },
  file: { text: "file", key: (record, i) => record.stacks.file[record.stacks.user[record.blocks.stack[i]]], label: (record, key) => record.stacks.text(key) || NO_STACK },
  role: { text: "role", key: (record, i) => (record.blocks.stack[i] ? record.stacks.role[record.blocks.stack[i]] : -1), label: (record, key) => record.stacks.roles[key] || NO_STACK },
  annotation: { text: "annotation", needs: (record) => record.blocks.scope !== null, key: (record, i) => record.blocks.scope[i], label: (record, key) => record.stacks.text(key) || "(none)" },
  stack: { text: "whole stack", key: (record, i) => record.blocks.stack[i], label: (record, key) => record.stacks.short(key) + (key ? " (stack " + key + ")" : "") },
  size: { text: "size", key: (record, i) => Math.floor(Math.log2(Math.max(1, record.blocks.bytes[i]))), label: (record, key) => bytes(2 ** key) + " and more, less than twice that" },
  stream: { text: "stream", key: (record, i) => record.blocks.stream[i], label: (record, key) => "stream 0x" + (record.blocks.streams[key] || 0).toString(16) },
};

/* The blocks of a record in groups; the ten that held most for longest have a colour of their own. */
class Groups {
  constructor(record, by) {
    const { blocks } = record;
    const known = new Map();
    const weights = [];
    this.keys = [];
    this.of = new Int32Array(blocks.count);
    for (let i = 0; i < blocks.count; i++) {
      const key = GROUPINGS[by].key(record, i);
      let group = known.get(key);
      if (group === undefined) {
        group = this.keys.length;
        known.set(key, group);
        this.keys.push(key);
        weights.push(0);
      }
      this.of[i] = group;
      weights[group] += blocks.bytes[i] * (Math.min(blocks.died[i], record.instants) - blocks.born[i]);
    }
    const order = weights.map((_, i) => i).sort((a, b) => weights[b] - weights[a]);
    this.colours = new Array(this.keys.length).fill("cx");
    this.labels = this.keys.map((key) => GROUPINGS[by].label(record, key));
    order.filter((group) => this.labels[group] !== NO_STACK).slice(0, 10).forEach((group, i) => { this.colours[group] = "c" + i; });
  }
}

class Held {
  /* host: {record, at(), changed()} */
  constructor(host) {
    this.host = host;
    this.by = "frame";
    this.group = -1;
    this.words = "";
    this.match = null;
    this.groups = new Groups(host.record, this.by);
    this.search = make("input", { type: "search", placeholder: "search stacks", "aria-label": "search all frames of the stacks, roles and annotations", oninput: () => this.look() });
    const choice = make("select", { "aria-label": "group by", onchange: () => this.groupBy(choice.value) },
      ...Object.entries(GROUPINGS).filter(([, one]) => !one.needs || one.needs(host.record)).map(([value, one]) => make("option", { value }, "by " + one.text)));
    this.body = make("tbody", null);
    this.note = make("p", { class: "note", role: "status" });
    this.block = make("div", { class: "block", "aria-live": "polite" });
    this.element = make("section", { class: "panel held", "aria-label": "Who holds it" },
      make("div", { class: "top" }, make("h2", null, "Who holds it"), make("div", { class: "tools" }, choice)),
      make("div", { class: "tools" }, this.search),
      make("div", { class: "rows", tabindex: "0" }, make("table", null, make("thead", null, make("tr", null, make("th", { class: "figure" }, "bytes"), make("th", { class: "figure" }, "share"), make("th", { class: "figure" }, "blocks"), make("th", null, "held by"))), this.body)),
      this.note, this.block);
    this.show(-1);
    drawn.push(() => this.draw());
  }

  groupBy(by) {
    this.by = by;
    this.group = -1;
    this.groups = new Groups(this.host.record, by);
    this.host.changed();
  }
  look() {
    this.words = this.search.value.trim();
    this.match = this.words ? this.matching(this.words.toLowerCase().split(/\s+/).slice(0, 30)) : null;
    this.host.changed();
  }
  /* Whether a block has all words, in its stack or its annotation. */
  matching(words) {
    const { blocks, stacks } = this.host.record;
    const all = 2 ** words.length - 1;
    const ofStack = stacks.matching(words);
    const ofText = blocks.scope && stacks.texts.map((_, i) => bitsOf(words, stacks.text(i)));
    return blocks.stack.map((stack, i) => ((ofStack[stack] | (ofText ? ofText[blocks.scope[i]] : 0)) === all ? 1 : 0));
  }
  choose(group) {
    this.group = this.group === group ? -1 : group;
    this.host.changed();
  }
  clear() {
    this.search.value = "";
    this.words = "";
    this.match = null;
    this.group = -1;
    this.host.changed();
  }

  matches(i) { return this.match === null || this.match[i] === 1; }
  isFaded(i) { return !this.matches(i) || (this.group >= 0 && this.groups.of[i] !== this.group); }
  get isNarrowed() { return this.match !== null || this.group >= 0; }

  /* Bytes of what is not faded, at every instant. */
  curve() {
    const { blocks, instants } = this.host.record;
    const values = new Float64Array(instants);
    for (let i = 0; i < blocks.count; i++) {
      if (this.isFaded(i)) continue;
      values[blocks.born[i]] += blocks.bytes[i];
      if (blocks.died[i] < instants) values[blocks.died[i]] -= blocks.bytes[i];
    }
    for (let i = 1; i < instants; i++) values[i] += values[i - 1];
    return values;
  }

  draw() {
    const { blocks } = this.host.record;
    const at = this.host.at();
    const sums = new Float64Array(this.groups.keys.length);
    const counts = new Uint32Array(this.groups.keys.length);
    let total = 0;
    let found = 0;
    for (let i = 0; i < blocks.count; i++) {
      if (blocks.born[i] > at || at >= blocks.died[i]) continue;
      total += blocks.bytes[i];
      if (!this.matches(i)) continue;
      found += blocks.bytes[i];
      sums[this.groups.of[i]] += blocks.bytes[i];
      counts[this.groups.of[i]]++;
    }
    const shown = [];
    for (let i = 0; i < sums.length; i++) if (counts[i]) shown.push(i);
    shown.sort((a, b) => sums[b] - sums[a]);
    this.body.replaceChildren(...shown.slice(0, 40).map((group) => this.row(group, sums[group], counts[group], total)));
    const more = shown.length > 40 ? ", " + count(shown.length - 40) + " more groups not listed" : "";
    const unlisted = this.host.allocated(at) - total; /* a profiler saw neither its allocation nor its free */
    const missing = this.host.record.isSnapshot || unlisted <= 0 ? "" : " " + bytes(unlisted) + " more was allocated before the first event and is not listed.";
    this.note.textContent = (this.match ? bytes(found) + " of " + bytes(total) + " match" : bytes(total) + " in " + count(shown.length) + (shown.length === 1 ? " group" : " groups")) + more + "." + missing;
  }
  row(group, sum, blocks, total) {
    const share = total ? (100 * sum) / total : 0;
    const bar = make("div", { class: "bar" });
    bar.style.width = Math.max(1, share) + "%";
    bar.style.background = colour(this.groups.colours[group]);
    return make("tr", { class: group === this.group ? "on" : false },
      make("td", { class: "figure" }, bytes(sum)), make("td", { class: "figure" }, share.toFixed(1) + "%"), make("td", { class: "figure" }, count(blocks)),
      make("td", null, make("button", { "aria-pressed": String(group === this.group), onclick: () => this.choose(group) }, this.groups.labels[group]), bar));
  }

  /* The block that was chosen in the map. */
  show(i) {
    this.block.replaceChildren(...(i < 0 ? [make("p", { class: "note" }, "Choose a block in the map for its stack.")] : this.describe(i, 400)));
  }
  describe(i, most) {
    const { record } = this.host;
    const { blocks, stacks } = record;
    const own = stacks.user[blocks.stack[i]];
    const frames = stacks.chain(blocks.stack[i]);
    const slack = blocks.bytes[i] - blocks.requested[i];
    const end = blocks.died[i] === NEVER ? (blocks.freed[i] === NEVER ? "not freed in the record" : record.where(blocks.freed[i]) + ", still in use elsewhere") : record.where(blocks.freed[i]);
    const facts = [["block", bytes(blocks.bytes[i]) + (slack > 0 ? ", " + bytes(blocks.requested[i]) + " requested" : "")],
      ["address", "0x" + blocks.address[i].toString(16)],
      ["allocated", blocks.born[i] === 0 ? "before the record" : record.where(blocks.born[i])],
      ["freed", end]];
    if (frames.length !== 0) facts.push(["role", stacks.roles[stacks.role[blocks.stack[i]]]]);
    if (blocks.scope && blocks.scope[i]) facts.push(["in", stacks.text(blocks.scope[i])]);
    if (blocks.streams.length > 1) facts.push(["stream", "0x" + (blocks.streams[blocks.stream[i]] || 0).toString(16)]);
    const from = most < frames.length ? Math.max(0, Math.min(frames.indexOf(own) - 2, frames.length - most)) : 0;
    const items = frames.slice(from, from + most).map((frame) => make("li", { class: frame === own ? "own" : false }, stacks.label(frame, most > 50)));
    if (from > 0) items.unshift(make("li", null, from + " inner frames"));
    if (from + most < frames.length) items.push(make("li", null, "and " + (frames.length - from - most) + " outer frames"));
    if (frames.length === 0) items.push(make("li", null, "no stack recorded"));
    return [make("dl", { class: "facts" }, ...facts.flatMap(([name, text]) => [make("dt", null, name), make("dd", null, text)])), make("ul", { class: "stack" }, ...items)];
  }
}
