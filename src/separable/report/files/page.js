"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const make = (tag, attributes = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const state = {
    section: 0, at: null, methods: new Set(data.methods.map((m) => m.name)), functions: new Set(),
    measure: "mean", scale: "linear", range: false, dark: matchMedia("(prefers-color-scheme: dark)").matches,
  };
  const section = () => data.sections[state.section];
  const shownMethods = () => data.methods.filter((m) => state.methods.has(m.name));
  const shownFunctions = () => section().cases.filter((name) => state.functions.has(name));
  const enter = (index) => {
    state.section = index;
    state.functions = new Set(section().cases);
    state.at = section().checkpoints.at(-1) ?? null;
  };

  // ---- the plots

  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const axis = (more) => ({ gridcolor: css("--line"), zerolinecolor: css("--line"), linecolor: css("--line"), automargin: true, ...more });
  const layout = (more) => ({
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { color: css("--ink"), size: 12 },
    margin: { l: 56, r: 12, t: 30, b: 40 }, legend: { orientation: "h", y: -0.2 }, hovermode: "closest",
    hoverlabel: { namelength: -1 }, modebar: { bgcolor: "rgba(0,0,0,0)", color: css("--faint"), activecolor: css("--ink") }, ...more,
  });
  const config = { responsive: true, displaylogo: false };
  const buttons = [["toImage", "zoom2d", "pan2d", "resetScale2d"]];
  const plot = (node, traces, more, bar = true) =>
    Plotly.react(node, traces, layout(more), { ...config, ...(bar ? { modeBarButtons: buttons } : { displayModeBar: false }) });

  const traces = (name) => shownMethods().flatMap((method) => {
    const curve = section().curves[name][method.name];
    if (!curve) return [];
    const line = { color: method.colour, width: 2, dash: method.dash };
    const shared = { x: curve.at, mode: "lines", legendgroup: method.name };
    const found = [{ ...shared, y: curve[state.measure], name: `${method.name} (${curve.runs} runs)`, line, showlegend: shownFunctions().length === 1 }];
    if (state.range) {
      const edge = { ...shared, line: { width: 0 }, showlegend: false, hoverinfo: "skip" };
      found.unshift({ ...edge, y: curve.low }, { ...edge, y: curve.high, fill: "tonexty", fillcolor: method.colour + "33" });
    }
    if (curve.decomposed > 0 && curve.decomposed <= state.at) {
      const k = curve.at.findIndex((at) => at >= curve.decomposed);
      found.push({ x: [curve.decomposed], y: [curve[state.measure][k]], mode: "markers", marker: { color: method.colour, size: 8 },
        showlegend: false, name: `${method.name}: decomposed` });
    }
    return found;
  });

  const drawCurve = (node) => {
    const name = node.dataset.function;
    const curves = Object.values(section().curves[name]).filter(Boolean);
    const positive = curves.every((curve) => curve[state.measure].every((value) => value === null || value > 0));
    const range = state.scale === "log" ? [0, Math.log10(state.at)] : [0, state.at];
    plot(node, traces(name), {
      title: { text: name, font: { size: 14 } }, showlegend: shownFunctions().length === 1,
      xaxis: axis({ type: state.scale, range, title: { text: "evaluations" }, exponentformat: "power" }),
      yaxis: axis({ type: positive ? "log" : "linear", autorange: true, exponentformat: "power", nticks: 6 }),
    }, shownFunctions().length === 1);
  };
  const watcher = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { watcher.unobserve(entry.target); drawCurve(entry.target); }
  }, { rootMargin: "300px" });

  const drawCurves = () => {
    const grid = byId("curves");
    const names = shownFunctions();
    for (const node of [...grid.children]) if (!names.includes(node.dataset.function) || node.dataset.section !== section().key) { watcher.unobserve(node); Plotly.purge(node); node.remove(); }
    grid.classList.toggle("single", names.length === 1);
    names.forEach((name, k) => {
      let node = [...grid.children].find((one) => one.dataset.function === name);
      if (!node) {
        node = make("div", { "data-function": name, "data-section": section().key });
        grid.insertBefore(node, grid.children[k] ?? null);
      }
      if (node.classList.contains("js-plotly-plot")) drawCurve(node);
      else watcher.observe(node);
    });
    byId("curves-hint").textContent = `The ${state.measure} over the runs of the best value so far; a dot where the decomposition ends` +
      (state.range ? "; shaded: from the best to the worst run." : ".");
  };

  const drawEcdf = () => {
    const { at, cases, shares } = section().ecdf;
    const places = cases.map((name, k) => [name, k]).filter(([name]) => state.functions.has(name)).map(([, k]) => k);
    const lines = places.length === 0 ? [] : shownMethods().map((method) => ({
      x: at, y: at.map((_, i) => places.reduce((sum, k) => sum + shares[method.name][k][i], 0) / places.length),
      name: method.name, mode: "lines", line: { color: method.colour, width: 2, dash: method.dash, shape: "hv" },
    }));
    plot(byId("ecdf"), lines, {
      xaxis: axis({ type: "log", title: { text: "evaluations" }, exponentformat: "power" }),
      yaxis: axis({ range: [0, 1.02], title: { text: "share of targets reached" } }),
    });
    byId("ecdf-hint").textContent = `Over ${places.length} function${places.length === 1 ? "" : "s"}, each with ${data.targets} targets between where runs start and the best value ` +
      "that any run found. Histories are thinned, so a target may seem to be reached a few per cent late.";
  };

  const drawRanks = () => {
    const { checkpoints, ranks } = section();
    byId("ranks-section").classList.toggle("hidden", data.methods.length < 2);
    if (data.methods.length < 2) return;
    const names = checkpoints.map((at) => at.toLocaleString("en"));
    const dots = shownMethods().map((method) => ({
      x: ranks.map((one) => one.ranks[data.methods.indexOf(method)] ?? null), y: names, mode: "markers", name: method.name,
      marker: { color: method.colour, size: 14 },
    }));
    const bars = ranks.map((one, k) => [one, names[k]]).filter(([one]) => one.difference !== null).map(([one, name]) => {
      const best = Math.min(...one.ranks);
      return { x: [best, best + one.difference], y: [name, name], mode: "lines", line: { color: css("--faint"), width: 4 }, opacity: 0.5,
        showlegend: false, hoverinfo: "skip" };
    });
    plot(byId("ranks"), [...bars, ...dots], {
      xaxis: axis({ title: { text: "average rank" }, range: [0.8, data.methods.length + 0.2] }),
      yaxis: axis({ type: "category", autorange: "reversed", title: { text: "after evaluations" } }),
    });
    byId("ranks-hint").textContent = "Friedman's average ranks of the medians over all functions and methods, whatever is filtered; 1 is the best. " +
      "Bars: the critical difference from the best (Nemenyi, 0.05). " + ranks.filter((one) => one.why).map((one) => one.why + ".").join(" ");
  };

  const drawDecomposition = () => {
    const names = shownFunctions();
    const costs = shownMethods().map((method) => ({
      type: "bar", name: method.name, x: names, y: names.map((name) => section().curves[name][method.name]?.decomposed ?? null), marker: { color: method.colour },
    }));
    const paid = costs.flatMap((one) => one.y).filter((cost) => cost > 0);
    const range = paid.length ? [Math.floor(Math.log10(Math.min(...paid))), Math.log10(Math.max(...paid)) + 0.1] : [0, 1];
    plot(byId("costs"), costs, { barmode: "group", xaxis: axis({ type: "category" }), yaxis: axis({ type: "log", range, dtick: 1, title: { text: "evaluations" }, exponentformat: "power" }) });
    const pairs = names.flatMap((name) => shownMethods().map((method) => [name, method.name]));
    const found = data.kinds.map((kind, k) => ({
      type: "bar", name: kind.name, marker: { color: kind.colour }, x: [pairs.map((pair) => pair[0]), pairs.map((pair) => pair[1])],
      y: pairs.map(([name, method]) => section().structure[name][method]?.[k] ?? null),
    }));
    plot(byId("structure"), found, { barmode: "stack", xaxis: axis({ type: "multicategory" }), yaxis: axis({ title: { text: "variables" } }), legend: { orientation: "h", y: -0.35 } });
  };

  // ---- the tables

  const methodOf = (column) => data.methods.find((m) => column.group === m.name || column.group === `against ${m.name}`)?.name;
  const compare = (a, b) => typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  const sortRows = (body, k, down) => { // numbers before words before nothing, whichever way
    const kind = (value) => ["number", "string"].indexOf(typeof value) >>> 0;
    const rows = [...body.rows].sort((one, other) => {
      const [a, b] = [one, other].map((row) => row.cells[k].sorted);
      if (kind(a) !== kind(b)) return kind(a) - kind(b);
      return a === null ? 0 : down ? compare(b, a) : compare(a, b);
    });
    body.append(...rows);
  };
  const cell = (one, k, columns) => {
    const node = make("td", { class: one.bold ? "bold" : "" }, one.text);
    node.sorted = one.value;
    node.method = methodOf(columns[k]);
    return node;
  };
  const heads = (table, body) => {
    const groups = make("tr");
    for (let k = 0; k < table.columns.length;) {
      const { group } = table.columns[k];
      let end = k;
      while (end < table.columns.length && table.columns[end].group === group) end += 1;
      const node = make("th", { colspan: end - k, class: "group" }, group);
      node.method = methodOf(table.columns[k]);
      groups.append(node);
      k = end;
    }
    const names = make("tr");
    table.columns.forEach((column, k) => {
      const button = make("button", { type: "button" }, column.name);
      const node = make("th", {}, button);
      node.method = methodOf(column);
      button.addEventListener("click", () => {
        const down = node.getAttribute("aria-sort") === "ascending";
        for (const other of names.cells) other.removeAttribute("aria-sort");
        node.setAttribute("aria-sort", down ? "descending" : "ascending");
        sortRows(body, k, down);
      });
      names.append(node);
    });
    return table.columns.some((column) => column.group) ? [groups, names] : [names];
  };
  const element = (table) => {
    const body = make("tbody");
    for (const row of table.rows) {
      const node = make("tr", {}, ...row.map((one, k) => cell(one, k, table.columns)));
      node.hides = table.columns.flatMap(({ name }, k) => name === "function" ? [["functions", row[k].text]] :
        name === "method" || name === "other" ? [["methods", row[k].text]] : []);
      body.append(node);
    }
    const whole = make("table", { id: table.key }, make("thead", {}, ...heads(table, body)), body);
    if (table.foot) whole.append(make("tfoot", {}, make("tr", {}, ...table.foot.map((one, k) => cell(one, k, table.columns)))));
    const parts = [make("div", { class: "scroll", tabindex: "0" }, whole), ...table.notes.map((note) => make("p", { class: "hint" }, note))];
    if (!table.long) return make("div", {}, make("h3", {}, table.title), ...parts);
    return make("details", table.at === null ? { open: "" } : {}, make("summary", {}, table.title), ...parts);
  };
  const drawTables = () => {
    const shown = [...section().tables.filter((table) => table.at === null || table.at === state.at), ...data.tables];
    byId("tables").replaceChildren(...shown.map(element));
    filterTables();
  };
  const filterTables = () => {
    for (const node of document.querySelectorAll("#tables th, #tables td")) node.classList.toggle("hidden", node.method !== undefined && !state.methods.has(node.method));
    for (const row of document.querySelectorAll("#tables tbody tr")) {
      row.classList.toggle("hidden", row.hides.some(([kind, name]) => kind === "functions" ? section().cases.includes(name) && !state.functions.has(name) :
        data.methods.some((m) => m.name === name) && !state.methods.has(name)));
    }
  };

  // ---- the controls

  const drawAll = () => { drawCurves(); drawEcdf(); drawRanks(); drawDecomposition(); };
  const filtered = () => { drawAll(); filterTables(); };
  const group = (name, ...children) => make("fieldset", {}, make("legend", {}, name), ...children);
  const toggle = (text, set, key, dot) => {
    const button = make("button", { type: "button", "aria-pressed": String(set.has(key)) }, ...(dot ? [dot] : []), text);
    button.addEventListener("click", () => {
      if (!set.delete(key)) set.add(key);
      button.setAttribute("aria-pressed", String(set.has(key)));
      filtered();
    });
    return button;
  };
  const all = (text, fill) => {
    const button = make("button", { type: "button" }, text);
    button.addEventListener("click", () => { fill(); drawControls(); filtered(); });
    return button;
  };
  const choice = (label, options, value, chosen) => {
    const select = make("select", { "aria-label": label }, ...options.map(([key, text]) => make("option", { value: key }, text)));
    select.value = value;
    select.addEventListener("change", () => chosen(select.value));
    return select;
  };
  const drawControls = () => {
    const methods = data.methods.map((m) => toggle(m.name, state.methods, m.name, make("span", { class: "dot", style: `background:${m.colour}` })));
    const functions = section().cases.map((name) => toggle(name, state.functions, name));
    const views = [];
    if (data.sections.length > 1) {
      views.push(choice("problems", data.sections.map((one, k) => [String(k), one.name]), String(state.section), (k) => { enter(Number(k)); start(); }));
    }
    if (section().checkpoints.length > 1) {
      const ends = section().checkpoints.map((at) => [String(at), `to ${at.toLocaleString("en")} evaluations`]);
      views.push(choice("evaluations", ends, String(state.at), (at) => { state.at = Number(at); drawAll(); drawTables(); }));
    }
    views.push(
      choice("measure", [["mean", "mean"], ["median", "median"]], state.measure, (value) => { state.measure = value; drawCurves(); }),
      choice("scale", [["linear", "linear"], ["log", "logarithmic"]], state.scale, (value) => { state.scale = value; drawCurves(); }),
      choice("range", [["", "no range"], ["1", "range of runs"]], state.range ? "1" : "", (value) => { state.range = Boolean(value); drawCurves(); }),
    );
    byId("controls").replaceChildren(
      group("view", ...views), group("methods", ...methods),
      group("functions", all("all", () => section().cases.forEach((name) => state.functions.add(name))), all("none", () => state.functions.clear()), ...functions),
    );
  };
  const paint = () => document.documentElement.classList.toggle("dark", state.dark);
  const start = () => { drawControls(); drawAll(); drawTables(); };
  byId("theme").addEventListener("click", () => { state.dark = !state.dark; paint(); drawAll(); });
  paint();
  enter(0);
  start();
})();
