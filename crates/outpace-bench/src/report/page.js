"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const OURS = "outpace";
const $ = (id) => document.getElementById(id);

/** An element with attributes and children; strings become text, so nothing in the data is ever read as markup. */
function el(name, attributes = {}, ...children) {
  const svg = ["svg", "g", "path", "line", "circle", "rect", "text", "title"].includes(name);
  const node = svg ? document.createElementNS("http://www.w3.org/2000/svg", name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(key, value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return node;
}

const three = (value) => value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2);
const duration = (ns) => {
  const [scale, unit] = ns < 1e3 ? [1, "ns"] : ns < 1e6 ? [1e3, "µs"] : ns < 1e9 ? [1e6, "ms"] : [1e9, "s"];
  return `${three(ns / scale)} ${unit}`;
};
const size = (bytes) => bytes === null ? "one"
  : bytes >= 2 ** 20 && bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB`
  : bytes >= 1024 && bytes % 1024 === 0 ? `${bytes / 1024} KiB` : `${bytes} B`;
const mebibytes = (bytes, ns) => bytes / 2 ** 20 / (ns * 1e-9);
const speed = (value) => value >= 1024 ? `${three(value / 1024)} GiB/s` : `${three(value)} MiB/s`;
const percent = (share) => `${(share * 100).toFixed(2)} %`;
const groups = (items, key) => {
  const map = new Map();
  for (const item of items) map.set(key(item), [...(map.get(key(item)) ?? []), item]);
  return map;
};

/** One colour per library for the whole page, ours first. */
const libraries = [...new Set([OURS, ...data.environment.libraries.map((library) => library.name),
  ...data.cells.flatMap((cell) => cell.sides.map((side) => side.library))])];
const colour = (library) => `var(--s${Math.min(libraries.indexOf(library), 7)})`;

/**
 * A table whose headings sort and which can be saved. Columns: { title, text: true for left-aligned words }.
 * A row is a list of entries { show, value, ...cell attributes }; `value` is what sorting and saving use.
 */
function table(columns, rows, { name, heading, tall } = {}) {
  const body = el("tbody");
  const fill = (sorted) => body.replaceChildren(...sorted.map((row) => row.node));
  const built = rows.map((entries) => ({
    entries,
    node: el("tr", {}, entries.map((entry, i) =>
      el("td", { class: entry.class ?? (columns[i].text ? "text" : null), style: entry.style, title: entry.title }, entry.show))),
  }));
  const heads = columns.map((column, i) => el("th", { scope: "col", class: column.text ? "text" : null },
    el("button", { type: "button", onclick: () => sort(i) }, column.title)));
  function sort(i) {
    const down = heads[i].getAttribute("aria-sort") === "ascending";
    heads.forEach((head) => head.removeAttribute("aria-sort"));
    heads[i].setAttribute("aria-sort", down ? "descending" : "ascending");
    const known = (value) => value !== null && value !== undefined && value !== "";
    fill([...built].sort(({ entries: a }, { entries: b }) => {
      const [x, y] = [a[i].value, b[i].value];
      if (!known(x) || !known(y)) return known(y) - known(x);
      const order = typeof x === "number" ? x - y : String(x).localeCompare(String(y), undefined, { numeric: true });
      return down ? -order : order;
    }));
  }
  fill(built);
  const save = () => {
    const quoted = (value) => /[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
    const lines = [columns.map((column) => column.title), ...built.filter(({ node }) => !node.hidden)
      .map(({ entries }) => entries.map((entry) => entry.value ?? ""))];
    download(`outpace-${name}.csv`, lines.map((line) => line.map(String).map(quoted).join(",")).join("\n") + "\n");
  };
  const node = el("div", { class: "table" },
    el("div", { class: "table-head" }, el("h3", {}, heading ?? ""),
      el("button", { type: "button", class: "download", onclick: save }, "Save as CSV")),
    el("div", { class: tall ? "scroll tall" : "scroll", tabindex: 0 }, el("table", {}, el("thead", {}, el("tr", {}, heads)), body)));
  return { node, rows: built };
}

function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  el("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

const plain = (value) => ({ show: value === null || value === undefined ? "–" : String(value), value });
const shown = (value, show) => ({ show: value === null || value === undefined ? "–" : show(value), value });

/* The summary: a grid per family, coloured by the ratio to the best rival. */

function heat(cell) {
  if (!cell) return { show: "", value: null };
  if (!cell.sides.some((side) => side.library === OURS)) {
    return { show: "no entry", value: null, title: cell.sides.map((side) => `${side.library} ${duration(side.median)}`).join("\n") };
  }
  if (!cell.ratio) return shown(cell.sides[0]?.median, duration);
  const [value, low, high] = cell.ratio;
  // Full colour at a factor of 2.5; a level cell stays plain.
  const strength = cell.standing === "level" ? 0 : Math.min(1, Math.abs(Math.log(value)) / Math.log(2.5));
  const tone = value >= 1 ? "--ahead" : "--behind";
  const sides = cell.sides.map((side) => `${side.library} ${duration(side.median)}`).join("\n");
  return {
    show: `${value.toFixed(2)}${cell.noisy ? "~" : ""}`,
    value: Number(value.toFixed(4)),
    class: strength > .72 ? "heat strong" : "heat",
    style: `background: color-mix(in srgb, var(${tone}) ${Math.round(strength * 90)}%, var(--card))`,
    title: `${cell.row}, ${size(cell.size)}: ${value.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)}) over ${cell.rival}\n${sides}`,
  };
}

function summary() {
  const raced = data.cells.filter((cell) => cell.ratio);
  const count = (standing) => raced.filter((cell) => cell.standing === standing).length;
  const ratios = raced.map((cell) => cell.ratio[0]).sort((a, b) => a - b);
  const floor = data.noise_floor;
  const tiles = [
    [ratios.length ? `${ratios[ratios.length >> 1].toFixed(2)}×` : "–", "median ratio to the best rival"],
    [`${count("ahead")}`, `of ${raced.length} cells faster`],
    [`${count("level")}`, "level, within the noise"],
    [`${count("behind")}`, "slower"],
    [percent(floor.p95), `noise floor: 95 of 100 races of a library against itself differ by less (${floor.races} races)`],
  ];
  $("tiles").replaceChildren(...tiles.map(([value, label]) => el("div", {}, el("b", {}, value), el("span", {}, label))));
  for (const [family, cells] of groups(data.cells, (cell) => cell.family)) {
    const sizes = [...new Set(cells.map((cell) => cell.size))].sort((a, b) => (a ?? 0) - (b ?? 0));
    const rows = [...groups(cells, (cell) => cell.row)].map(([row, cells]) =>
      [plain(row), ...sizes.map((bytes) => heat(cells.find((cell) => cell.size === bytes)))]);
    const columns = [{ title: "row", text: true }, ...sizes.map((bytes) => ({ title: size(bytes) }))];
    $("grids").append(table(columns, rows, { name: family, heading: family }).node);
  }
  for (const { id, why } of data.disagreements) $("grids").append(el("p", {}, `Not timed: ${id}: ${why}`));
}

/* Curves: one figure per algorithm, its operations to choose from. */

const ticks = (low, high, base) => {
  const list = [];
  for (let tick = base ** Math.floor(Math.log(low) / Math.log(base) + 1e-9); tick <= high * 1.0001; tick *= base) if (tick >= low * .9999) list.push(tick);
  return list;
};

function curve(cells, width) {
  const height = 260, left = 62, right = 10, top = 10, bottom = 26;
  const points = cells.flatMap((cell) => cell.sides.map((side) => mebibytes(cell.size, side.median)));
  const limit = cells.find((cell) => cell.limit)?.limit;
  const xs = cells.map((cell) => cell.size);
  const [xlow, xhigh] = [Math.min(...xs), Math.max(...xs)];
  const [ylow, yhigh] = [Math.min(...points) * .8, Math.max(...points, limit ?? 0) * 1.25];
  const along = (value, low, high) => high > low ? Math.log(value / low) / Math.log(high / low) : .5;
  const x = (bytes) => left + along(bytes, xlow, xhigh) * (width - left - right);
  const y = (value) => height - bottom - along(value, ylow, yhigh) * (height - top - bottom);
  const picture = el("svg", { height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${cells[0].row}: throughput over size` });
  const labels = yhigh / ylow > 200 ? ticks(ylow, yhigh, 10) : ticks(ylow, yhigh, 2);
  for (const tick of labels) picture.append(
    el("line", { class: "grid", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
    el("text", { x: left - 6, y: y(tick) + 4, "text-anchor": "end" }, speed(tick).replace(/\.0+ /, " ").replace("/s", "")));
  const room = Math.max(1, Math.ceil(xs.length * 52 / (width - left - right)));
  cells.forEach((cell, i) => (i % room === 0 || i === cells.length - 1) && picture.append(
    el("text", { x: x(cell.size), y: height - 8, "text-anchor": i === cells.length - 1 ? "end" : i ? "middle" : "start" }, size(cell.size))));
  if (limit) picture.append(el("line", { class: "limit", x1: left, x2: width - right, y1: y(limit), y2: y(limit) }));
  const names = libraries.filter((library) => cells.some((cell) => cell.sides.some((side) => side.library === library)));
  for (const library of [...names].reverse()) {
    const line = cells.flatMap((cell) => {
      const side = cell.sides.find((side) => side.library === library);
      return side ? [[x(cell.size), y(mebibytes(cell.size, side.median))]] : [];
    });
    const wide = library === OURS ? 3 : 1.6;
    picture.append(el("path", { d: "M" + line.map((point) => point.map((value) => value.toFixed(1)).join(" ")).join("L"), fill: "none", "stroke-width": wide, style: `stroke: ${colour(library)}` }),
      ...line.map(([cx, cy]) => el("circle", { cx, cy, r: wide + .6, style: `fill: ${colour(library)}` })));
  }
  const nearest = (event) => {
    const at = (event.clientX - picture.getBoundingClientRect().left) * width / picture.clientWidth;
    return cells.reduce((best, cell) => Math.abs(x(cell.size) - at) < Math.abs(x(best.size) - at) ? cell : best);
  };
  picture.addEventListener("pointermove", (event) => tip(event, nearest(event)));
  picture.addEventListener("pointerleave", () => { $("tip").hidden = true; });
  return picture;
}

function tip(event, cell) {
  const sides = [...cell.sides].sort((a, b) => a.median - b.median);
  const shownSpeed = (side) => cell.size ? speed(mebibytes(cell.size, side.median)) : "";
  $("tip").replaceChildren(el("b", {}, size(cell.size)), el("table", {}, sides.map((side) => el("tr", {},
    el("td", {}, el("span", { style: `color: ${colour(side.library)}` }, "■ "), side.library),
    el("td", {}, duration(side.median)), el("td", {}, shownSpeed(side))))));
  $("tip").hidden = false;
  const box = $("tip").getBoundingClientRect();
  $("tip").style.left = `${Math.max(4, Math.min(event.clientX + 14, innerWidth - box.width - 8))}px`;
  $("tip").style.top = `${Math.max(4, event.clientY - box.height - 10)}px`;
}

const legend = (names) => el("div", { class: "legend" }, libraries.filter((library) => names.has(library))
  .map((library) => el("span", {}, el("i", { style: `background: ${colour(library)}` }), library)));

const drawings = [];
/** A picture that is drawn again when its width changes. */
function drawn(draw) {
  const place = el("div");
  let last = 0;
  const redraw = (force) => {
    const width = Math.max(260, place.clientWidth);
    if (force || width !== last) place.replaceChildren(draw(last = width));
  };
  drawings.push(redraw);
  return { place, redraw };
}

function curves() {
  const sized = data.cells.filter((cell) => cell.size !== null);
  const figures = [...groups(sized, (cell) => cell.algorithm)].flatMap(([algorithm, cells]) => {
    const rows = [...groups(cells, (cell) => cell.row)].filter(([, cells]) => new Set(cells.map((cell) => cell.size)).size > 1);
    if (rows.length === 0) return [];
    for (const [, cells] of rows) cells.sort((a, b) => a.size - b.size);
    let chosen = rows[0][1];
    const names = () => new Set(chosen.flatMap((cell) => cell.sides.map((side) => side.library)));
    const { place, redraw } = drawn((width) => el("div", {}, curve(chosen, width), legend(names())));
    const choice = el("select", { "aria-label": `Operation of ${algorithm}`, onchange: () => { chosen = rows[choice.selectedIndex][1]; redraw(true); } },
      rows.map(([row]) => el("option", {}, row.slice(algorithm.length + 1))));
    return [el("figure", {}, el("figcaption", {}, algorithm, choice), place)];
  });
  $("curve-list").append(el("div", { class: "curves" }, figures));
  return figures.length > 0;
}

/* Bars: operations without a size, and set-up. */

/** Rows of horizontal bars; a part is { value, faint }. */
function bars(entries, width) {
  const step = 24, left = Math.min(110, width * .3);
  const right = 12 + 7 * Math.max(...entries.map((entry) => entry.label.length));
  const most = Math.max(...entries.map((entry) => entry.parts.reduce((sum, part) => sum + part.value, 0)));
  const picture = el("svg", { height: entries.length * step, viewBox: `0 0 ${width} ${entries.length * step}`, role: "img",
    "aria-label": entries.map((entry) => `${entry.library} ${entry.label}`).join(", ") });
  entries.forEach(({ library, parts, label }, i) => {
    picture.append(el("text", { x: left - 8, y: i * step + 16, "text-anchor": "end", class: library === OURS ? "value" : null }, library));
    let from = left;
    for (const { value, faint } of parts) {
      const long = Math.max(1, value / most * (width - left - right));
      picture.append(el("rect", { x: from, y: i * step + 4, width: long, height: step - 8, rx: 2, style: `fill: ${colour(library)}; opacity: ${faint ? .4 : 1}` }));
      from += long;
    }
    picture.append(el("text", { x: from + 6, y: i * step + 16, class: "value" }, label));
  });
  return picture;
}

const barFigure = (caption, entries) => el("figure", {}, el("figcaption", {}, caption), drawn((width) => bars(entries, width)).place);

function operations() {
  const single = data.cells.filter((cell) => cell.size === null);
  const figures = single.map((cell) => barFigure(cell.row, [...cell.sides].sort((a, b) => a.median - b.median)
    .map((side) => ({ library: side.library, parts: [{ value: side.median }], label: duration(side.median) }))));
  $("bar-list").append(el("div", { class: "bars" }, figures));
  return figures.length > 0;
}

function setup() {
  const figures = data.cells.filter((cell) => cell.variant.startsWith("new key")).flatMap((cell) => {
    const steady = data.cells.find((other) => other.algorithm === cell.algorithm && other.operation === cell.operation
      && other.size === cell.size && other.variant === cell.variant.replace("new key", "key reused"));
    if (!steady || cell.size > 4096) return [];
    const entries = cell.sides.flatMap((side) => {
      const kept = steady.sides.find((other) => other.library === side.library);
      if (!kept) return [];
      const added = Math.max(0, side.median - kept.median);
      return [{ library: side.library, sort: side.median, parts: [{ value: kept.median }, { value: added, faint: true }], label: `${duration(kept.median)} + ${three(added)}` }];
    });
    return [barFigure(`${cell.algorithm} ${cell.operation}, ${cell.variant.replace("new key, ", "")}, ${size(cell.size)}`, entries.sort((a, b) => a.sort - b.sort))];
  });
  $("setup-list").append(el("div", { class: "bars" }, figures));
  return figures.length > 0;
}

/* Tables of everything. */

function limits() {
  const number = (value) => shown(value, (value) => value.toFixed(3));
  const columns = [{ title: "row", text: true }, { title: "at" }, { title: "limit" }, { title: "ours" }, { title: "of the limit" }, { title: "best rival" }, { title: "rival", text: true }, { title: "what limits", text: true }];
  const rows = data.limits.map((limit) => [plain(limit.row), shown(limit.size, size), number(limit.limit), number(limit.ours),
    shown(limit.ours && limit.limit / limit.ours, (share) => `${(share * 100).toFixed(0)} %`), number(limit.theirs), plain(limit.rival), { ...plain(limit.reason), class: "text wrap" }]);
  $("limit-table").append(table(columns, rows, { name: "limits", heading: "Cycles per byte" }).node);
  return rows.length > 0;
}

function everything() {
  const columns = [{ title: "row", text: true }, { title: "size" }, { title: "library", text: true }, { title: "median" }, { title: "quartiles" }, { title: "p95" }, { title: "variation" },
    { title: "rounds" }, { title: "cycles" }, { title: "cycles/byte" }, { title: "times ours" }, { title: "agreement", text: true }];
  const rows = data.cells.flatMap((cell) => {
    const ours = cell.sides.find((side) => side.library === OURS);
    return cell.sides.map((side) => [
      plain(cell.row + (cell.noisy ? " ~" : "")), { show: size(cell.size), value: cell.size }, plain(side.library), shown(side.median, duration),
      { show: `${three(side.q1)} – ${three(side.q3)}`, value: side.q3 - side.q1, title: "nanoseconds" }, shown(side.p95, duration), shown(side.variation, percent), plain(side.rounds),
      shown(side.cycles, (value) => value.toFixed(0)), shown(side.cycles_per_byte, (value) => value.toFixed(3)),
      shown(ours && Number((side.median / ours.median).toFixed(4)), (value) => value.toFixed(2)), plain(cell.agreement),
    ]);
  });
  const built = table(columns, rows, { name: "results", heading: `${rows.length} results`, tall: true });
  $("all-table").append(built.node);
  $("search").addEventListener("input", () => {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const { entries, node } of built.rows) {
      const text = `${entries[0].value} ${entries[1].show} ${entries[2].value}`.toLowerCase();
      node.hidden = !words.every((word) => text.includes(word));
    }
  });
}

function environment() {
  const { environment: e, settings: s, noise_floor: n } = data;
  const facts = [["Date", e.date], ["Command", e.command], ["Commit", e.commit], ["Version", e.version], ["Compiler", e.compiler], ["CPU", e.cpu], ["Cores", e.cores],
    ["Core rate", e.core_ghz ? `${e.core_ghz.toFixed(3)} GHz` : "unknown"], ["System", e.system], ["Features", e.features.join(" ")], ["Tier", e.tier], ["Clock", e.clock],
    ["Mode", `${s.mode}, up to ${s.rounds} rounds a cell`], ["Order of rounds", `shuffled, seed ${s.seed}`],
    ["Noise floor", `median ${percent(n.median)}, p95 ${percent(n.p95)}, worst ${percent(n.worst)} in ${n.races} races`]];
  if (s.filter) facts.push(["Filter", s.filter]);
  $("facts").replaceChildren(...facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, String(value))]));
  $("library-table").append(table([{ title: "library", text: true }, { title: "version", text: true }],
    e.libraries.map((library) => [plain(library.name), { ...plain(library.version), class: "text wrap" }]), { name: "libraries", heading: "Libraries" }).node);
  $("kernel-table").append(table([{ title: "primitive", text: true }, { title: "kernel", text: true }, { title: "also runs here", text: true }],
    e.kernels.map((row) => [plain(row.primitive), plain(row.used), { ...plain(row.others.join(", ")), class: "text wrap" }]), { name: "kernels", heading: "Our kernels" }).node);
  $("subtitle").textContent = `${e.cpu}; tier ${e.tier}; ${e.date.slice(0, 10)}; against ${e.libraries.length - 1} libraries`;
}

/* Light and dark: the system's choice until the reader makes one. */

const wished = () => { try { return localStorage.getItem("outpace-theme"); } catch { return null; } };
const system = matchMedia("(prefers-color-scheme: dark)");
const paint = () => { document.documentElement.dataset.theme = wished() ?? (system.matches ? "dark" : "light"); };
system.addEventListener("change", paint);
$("theme").addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  try { localStorage.setItem("outpace-theme", next); } catch { /* a page opened from a file may have no storage */ }
  document.documentElement.dataset.theme = next;
});

paint();
summary();
for (const [id, fill] of Object.entries({ curves, operations, setup, limits })) if (!fill()) $(id).remove();
everything();
environment();
document.querySelector("nav").append(el("ul", {}, [...document.querySelectorAll("section")]
  .map((section) => el("li", {}, el("a", { href: `#${section.id}` }, section.dataset.title)))));
const redrawAll = () => drawings.forEach((redraw) => redraw(false));
redrawAll();
addEventListener("resize", redrawAll);
