/* Puts a page together from its data: charts, and for a record its heap and who holds it. */

const data = JSON.parse(document.getElementById("data").textContent);
const charts = [];
/* Of a simulation the axis counts steps, of a record events. */
const stepOf = (instant) => Math.floor((instant * data.steps) / data.instants) + (data.firstStep || 0);
const stepWord = data.boxes ? "time " : "step ";
const record = { instants: data.instants, where: (instant) => (data.steps ? stepWord + count(stepOf(instant)) : "after event " + count(instant)) };
const now = { at: Math.min(data.start || 0, data.instants - 1) };
let map = null;
let held = null;
let boxes = null;
let listing = 0; /* the list follows the cursor, but not at every frame: laying it out is dear */

const host = {
  scale: data.steps ? data.steps / data.instants : 1,
  moved: (instant) => moveTo(instant),
  where: (instant) => record.where(instant),
  axis: (instant) => [data.boxes ? count(instant + data.firstStep) : count(instant) + (data.steps ? " steps" : ""), ...(record.times ? [seconds(record.times[Math.min(data.instants - 1, instant)])] : [])],
};

function moveTo(instant) {
  now.at = Math.min(data.instants - 1, Math.max(0, Math.round(instant)));
  for (const chart of charts) chart.move(chart.spec.count === data.instants ? now.at : Math.floor((now.at * chart.spec.count) / data.instants));
  if (map) redraw(map.redrawing);
  if (held && !listing) {
    listing = setTimeout(() => {
      listing = 0;
      redraw(held.redrawing);
    }, 70);
  }
  if (boxes) redraw(boxes.pointing);
}

/* A search or a chosen group: the map fades all else, the chart has its curve. */
function narrowed() {
  charts[0].extra = null;
  if (held.isNarrowed) {
    const name = held.group >= 0 ? held.groups.labels[held.group] : "stacks with \u201c" + held.words + "\u201d";
    charts[0].extra = { name: name.length > 60 ? name.slice(0, 59) + "\u2026" : name, range: new Range(held.curve()) };
  }
  charts[0].show(charts[0].from, charts[0].to);
  redraw(map.redrawing);
  redraw(held.redrawing);
}

function addHeap(panels) {
  record.blocks = new Blocks(data.heap);
  const spans = new Spans(data.heap);
  record.stacks = new Stacks(data.stacks);
  record.isSnapshot = data.heap.isSnapshot;
  held = new Held({ record, at: () => now.at, changed: narrowed, allocated: (at) => charts[0].valueAt(0, at) });
  held.redrawing = () => held.draw();
  map = new HeapMap({
    blocks: record.blocks, spans, at: () => now.at,
    groupOf: (i) => held.groups.of[i], colourOf: (group) => held.groups.colours[group],
    isFaded: (i) => held.isFaded(i), label: (i) => (record.blocks.stack[i] === 0 ? bytes(record.blocks.bytes[i]) : held.groups.labels[held.groups.of[i]]),
    picked: (i) => held.show(i), describe: (i, most) => held.describe(i, most),
  }, data.heap.isSnapshot ? "Heap map" : "Blocks by address",
  data.heap.isSnapshot ? "Every address that was ever reserved, lowest first; a light part is free in its segment, a blank one not reserved now. Colours are those of the list." : "Addresses that blocks had, lowest first. A profiler records no segments, and where frees are missing from the file a block is shown longer than it lived. Colours are those of the list.");
  panels.append(make("div", { class: "columns" }, map.element, held.element));
  if (data.instants > 2) addBoxes(panels, spans);
}

/* The same blocks over time. */
function addBoxes(panels, spans) {
  const { blocks } = record;
  boxes = new Boxes({ count: blocks.count, from: blocks.born, until: blocks.died, low: blocks.address, bytes: blocks.bytes }, map.ground, {
    chart: charts[0], scale: 1, spans: spans.count ? spans : null,
    colourOf: (i) => held.groups.colours[held.groups.of[i]], isFaded: (i) => held.isFaded(i),
    describe: (i, most) => held.describe(i, most), picked: (i) => map.pick(i),
  }, { title: "Blocks over time", note: "Each block from its allocation to its end, over the time that the first chart shows; addresses that were never reserved are left out. A click chooses a block and its instant." });
  charts[0].followers.push(boxes);
  panels.append(boxes.element);
}

/* A placement: boxes of their own, with the levels that were reached. */
function addPlacement(panels) {
  const spec = data.boxes;
  const plain = new PlainBoxes(spec);
  const ground = [{ from: 0, end: spec.height, before: 0 }];
  ground.bytes = spec.height;
  boxes = new Boxes(plain, ground, {
    chart: charts[0], scale: (data.steps - 1) / Math.max(1, data.instants - 1), first: data.firstStep, spans: null, colourOf: (i) => "c" + (i % 10), isFaded: () => false,
    describe: (i) => plain.describe(i), picked: () => {},
  }, spec);
  charts[0].followers.push(boxes);
  panels.append(boxes.element);
}

function addKeys() {
  const step = (by) => (event) => moveTo(now.at + by * (event.shiftKey ? Math.max(1, Math.round(data.instants / 100)) : 1));
  const page = (by) => () => moveTo(now.at + by * Math.max(1, Math.round(data.instants / 20)));
  if (map) {
    keys.push({ keys: ["ArrowLeft", "ArrowUp"], within: map.canvas, shown: "\u2190 \u2192", text: "in the map: the block before, the next one", act: () => map.step(-1) },
      { keys: ["ArrowRight", "ArrowDown"], within: map.canvas, act: () => map.step(1) });
  }
  keys.push({ keys: ["ArrowLeft"], shown: "\u2190 \u2192", text: (data.steps ? "one column" : "one event") + " back, forward; with Shift a hundredth of all", act: step(-1) },
    { keys: ["ArrowRight"], act: step(1) },
    { keys: ["PageUp"], shown: "PgUp PgDn", text: "a twentieth back, forward", act: page(-1) }, { keys: ["PageDown"], act: page(1) },
    { keys: ["Home"], shown: "Home End", text: "the beginning, the end", act: () => moveTo(0) }, { keys: ["End"], act: () => moveTo(data.instants - 1) });
  const seen = new Set();
  for (const mark of data.charts[0].marks || []) {
    if (seen.has(mark.key)) continue;
    seen.add(mark.key);
    keys.push({ keys: [mark.key], shown: mark.key, text: mark.key === "o" ? "last time that memory ran out" : mark.name, act: () => moveTo(mark.at) });
  }
  keys.push({ keys: ["+", "="], shown: "+ \u2212 0", text: "time: closer, wider, all", act: () => charts[0].zoom(2) },
    { keys: ["-"], act: () => charts[0].zoom(0.5) }, { keys: ["0"], act: () => charts[0].zoom(0) });
  if (map) {
    keys.push({ keys: ["]"], shown: "[ ]", text: "map: smaller, larger", act: () => map.scale(2) }, { keys: ["["], act: () => map.scale(0.5) },
      { keys: ["/"], shown: "/", text: "search in stacks", act: () => held.search.focus() },
      { keys: ["Escape"], shown: "Esc", text: "no search, no group, no block", act: () => { held.clear(); map.pick(-1); } });
  }
}

/* A chart of columns stands for the same time as one of instants. */
function hostOf(spec) {
  if (spec.count === data.instants) return host;
  const instantOf = (column) => Math.min(data.instants - 1, Math.floor((column * data.instants) / spec.count));
  return { moved: (column) => moveTo(instantOf(column)), where: (column) => record.where(instantOf(column)), axis: host.axis, scale: data.instants / spec.count };
}

/* Runs under other settings: figures of all of them, best first. */
function runsTable(spec) {
  const base = spec.runs.find((run) => run.asRun);
  const body = make("tbody", null);
  const draw = () => body.replaceChildren(...spec.runs.map((run) => make("tr", null,
    make("td", null, run.role ? swatchOf(run.role) : "", " " + run.name + (run.asRun ? " (as it was run)" : "")),
    make("td", { class: "figure" }, bytes(run.reserved)),
    make("td", { class: "figure" }, run === base ? "" : run.reserved === base.reserved ? "none" : (run.reserved < base.reserved ? "\u2212" : "+") + bytes(Math.abs(run.reserved - base.reserved))),
    make("td", { class: "figure" }, run.failures ? count(run.failures) + ", first at event " + count(run.firstFailure) : "none"),
    make("td", { class: "figure" }, count(run.calls)))));
  drawn.push(draw);
  draw();
  return make("div", { class: "wide", tabindex: "0" }, make("table", null, make("thead", null, make("tr", null, make("th", null, "settings"),
    make("th", { class: "figure" }, "most reserved"), make("th", { class: "figure" }, "difference"), make("th", { class: "figure" }, "requests that fail"), make("th", { class: "figure" }, "driver calls"))), body));
}

function addChart(panels, spec) {
  const chart = new Chart(spec, hostOf(spec));
  charts.push(chart);
  if (spec.runs) chart.element.append(runsTable(spec));
  panels.append(chart.element);
  chart.overview();
}

/* Charts of one of several things: a choice says of which. */
function addChoice() {
  const choices = [...new Set(charts.map((chart) => chart.spec.choice).filter((choice) => choice))];
  if (choices.length === 0) return;
  const show = (wanted) => {
    for (const chart of charts) chart.element.hidden = Boolean(chart.spec.choice) && chart.spec.choice !== wanted;
    redrawAll();
  };
  const select = make("select", { id: "choice", onchange: () => show(select.value) }, ...choices.map((choice) => make("option", { value: choice }, choice)));
  select.value = choices[choices.length - 1];
  charts[0].element.after(make("p", { class: "tools" }, make("label", { for: "choice" }, "In detail:"), select));
  show(select.value);
}

function load() {
  const panels = document.getElementById("panels");
  if (data.times) record.times = readSeries(data.times.array, data.times.count, data.times.unit);
  if (!data.steps) record.where = (instant) => (instant === 0 ? "before the first event" : "after event " + count(instant)) + (record.times && instant ? ", " + seconds(record.times[instant]) : "");
  if (data.heap) addHeap(panels);
  if (data.boxes) addPlacement(panels);
  for (const spec of data.charts.slice(1)) addChart(panels, spec);
  addChoice();
  for (const chart of charts) chart.load();
  addKeys();
  moveTo(now.at);
  performance.mark("ready");
  document.documentElement.dataset.ready = "yes";
}

units.fixed = data.unit === "both" ? null : data.unit;
beginPage(document.getElementById("tools"), data.charts.some((spec) => spec.unit === "bytes"));
const verdict = document.querySelector(".verdict");
if (verdict && /^OUT OF MEMORY/.test(verdict.textContent)) verdict.classList.add("alarm");
data.charts[0].note = data.basis;
addChart(document.getElementById("panels"), data.charts[0]);
requestAnimationFrame(() => setTimeout(load, 0)); /* the first picture is shown meanwhile */
