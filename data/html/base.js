"use strict";
/* What every page needs: elements, figures as text, decoding of arrays, colours, keys, the help. */

/* Texts of the file become text nodes only; controls and marks of direction are shown as '?'. */
function clean(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "?");
}

function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/* ---- figures ---- */

const UNITS = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30, TiB: 2 ** 40 };
const SYSTEMS = { binary: ["TiB", "GiB", "MiB", "KiB"], decimal: ["TB", "GB", "MB", "kB"] };
const units = { fixed: null, system: "binary" };

function unitOf(value) {
  if (units.fixed) return units.fixed;
  return SYSTEMS[units.system].find((name) => value >= UNITS[name]) || "B";
}

function bytes(value, unit) {
  const name = unit || unitOf(Math.abs(value));
  const number = value / UNITS[name];
  return number.toLocaleString("en", { minimumFractionDigits: name === "B" ? 0 : 2, maximumFractionDigits: name === "B" ? 0 : 2 }) + " " + name;
}

const count = (value) => Math.round(value).toLocaleString("en");

function seconds(us) {
  if (us < 1e3) return us + " \u00b5s";
  return us < 1e6 ? (us / 1e3).toFixed(2) + " ms" : (us / 1e6).toFixed(3) + " s";
}

/* Shares are in tenths of a percent. */
const figure = (value, unit) => (unit === "bytes" ? bytes(value) : unit === "share" ? (value / 10).toFixed(1) + "%" : count(value));

/* ---- arrays ---- */

class Reader {
  constructor(number) {
    const text = atob(document.getElementById("a" + number).textContent);
    this.bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) this.bytes[i] = text.charCodeAt(i);
    this.next = 0;
  }
  number() {
    let byte = this.bytes[this.next++];
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) {
      byte = this.bytes[this.next++];
      value += (byte & 127) * scale;
    }
    return value;
  }
  difference() {
    const value = this.number();
    return value % 2 ? -(value + 1) / 2 : value / 2;
  }
}

function readNumbers(number, length) {
  const reader = new Reader(number);
  return Uint32Array.from({ length }, () => reader.number());
}

function readSeries(number, length, unit) {
  const reader = new Reader(number);
  const values = new Float64Array(length);
  let value = 0;
  for (let i = 0; i < length; i++) {
    const change = reader.difference();
    value += change;
    values[i] = value * unit;
    if (change === 0) {
      const more = reader.number();
      values.fill(value * unit, i + 1, i + 1 + more);
      i += more;
    }
  }
  return values;
}

/* ---- colours ---- */

const colours = new Map();

function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim());
  return colours.get(name);
}

/* The bytes of one pixel of a picture. */
function pixel(name, other, share) {
  const parse = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  const a = parse(colour(name));
  const b = other ? parse(colour(other)) : a;
  const mixed = a.map((value, i) => Math.round(value * (1 - (share || 0)) + b[i] * (share || 0)));
  return ((255 << 24) | (mixed[2] << 16) | (mixed[1] << 8) | mixed[0]) >>> 0;
}

/* ---- drawing when there is a reason to ---- */

const redraws = new Set();
let frame = 0;

function redraw(draw) {
  redraws.add(draw);
  if (frame === 0) frame = requestAnimationFrame(() => {
    frame = 0;
    const now = [...redraws];
    redraws.clear();
    for (const one of now) one();
  });
}

const drawn = []; /* everything that depends on size, colours or units */

function redrawAll() {
  colours.clear();
  for (const one of drawn) redraw(one);
}

/* A canvas as large as it is shown, in pixels of the device; its context draws in CSS pixels. */
function prepare(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height, scale };
}

const FONT = "12px system-ui, \"Segoe UI\", Roboto, \"Noto Sans\", \"DejaVu Sans\", sans-serif";

/* ---- the tip beside the pointer ---- */

const tip = make("div", { id: "tip", role: "tooltip" });

function showTip(x, y, ...children) {
  tip.replaceChildren(...children);
  const box = tip.getBoundingClientRect();
  const left = x + 16 + box.width > innerWidth ? Math.max(4, x - 16 - box.width) : x + 16;
  const top = y + 16 + box.height > innerHeight ? Math.max(4, y - 16 - box.height) : y + 16;
  tip.style.left = left + "px";
  tip.style.top = top + "px";
  tip.classList.add("on");
}

const hideTip = () => tip.classList.remove("on");

/* ---- keys and their help ---- */

const keys = []; /* {keys: ["ArrowLeft"], shown: "←", text, act} */

function onKey(event) {
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (typing && event.key === "Escape") event.target.blur();
  if (event.ctrlKey || event.altKey || event.metaKey || (typing && event.key !== "Escape")) return;
  if (document.querySelector("dialog[open]")) return;
  for (const key of keys) {
    const where = !key.within || key.within.contains(event.target);
    if (where && key.keys.includes(event.key)) {
      event.preventDefault();
      key.act(event);
      return;
    }
  }
}

function showHelp() {
  const old = document.querySelector("dialog");
  if (old) old.remove();
  const rows = keys.filter((key) => key.text).map((key) =>
    make("tr", null, make("td", null, ...key.shown.split(" ").flatMap((one, i) => [i ? " " : "", make("kbd", null, one)])), make("td", null, key.text)));
  const close = make("button", { onclick: () => dialog.close() }, "Close");
  const dialog = make("dialog", { "aria-label": "Keys" }, make("h2", null, "Keys"), make("table", null, ...rows),
    make("p", { class: "note" }, "Pointer: drag in the picture to move through time; drag in the strip below it to choose the part that is shown; point at a block for its stack, click to keep it. This page holds all its data and asks nobody for anything."), close);
  document.body.append(dialog);
  dialog.showModal();
  close.focus();
}

function toggleTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  redrawAll();
}

function toggleUnits() {
  units.fixed = null;
  units.system = units.system === "binary" ? "decimal" : "binary";
  redrawAll();
}

function beginPage(tools, hasBytes) {
  document.body.append(tip);
  if (hasBytes) {
    tools.append(make("button", { onclick: toggleUnits, title: "u" }, "GiB / GB"));
    keys.push({ keys: ["u"], shown: "u", text: "GiB or GB", act: toggleUnits });
  }
  tools.append(
    make("button", { onclick: toggleTheme, title: "t" }, "Dark / light"),
    make("button", { onclick: showHelp, title: "?", "aria-haspopup": "dialog" }, "Keys"));
  keys.push({ keys: ["t"], shown: "t", text: "dark or light", act: toggleTheme },
    { keys: ["?"], shown: "?", text: "this help", act: showHelp });
  document.addEventListener("keydown", onKey);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
  new ResizeObserver(redrawAll).observe(document.body);
}
