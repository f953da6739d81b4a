/* SPDX-License-Identifier: Apache-2.0 */
/* One chart each from results: WW.chart(KIND, ELEMENT, RESULTS). See README.md. */
(function () {
  'use strict';
  const HEIGHT = 220, LEVELS = 9;
  const all = new Set(); /* charts that are drawn */
  const ranges = [];     /* who wants to know of a range that was chosen */
  let range = null, busy = false, printing = false;

  /* ---- colours: from the style, so that light, dark and paper have theirs ---------------------------------------- */

  function variable(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  function colour(label, i) {
    return variable('--c-' + label) || variable('--s' + (i || 0) % 8);
  }

  /* ---- a chart along cycles --------------------------------------------------------------------------------------- */

  function axis(values, size) {
    return {
      stroke: () => variable('--quiet'), grid: { stroke: () => variable('--line'), width: 1 }, ticks: { stroke: () => variable('--line'), width: 1 },
      font: '11px system-ui, sans-serif', size: size, values: (u, at) => WW.ticks(at, values),
    };
  }

  /* Steps: what was counted from one x to the next, up to cycle `end` where a longer run beside it ends. */
  function steps(t, end) {
    const x = t.from.concat([t.end[t.n - 1]]);
    return end > x[t.n] ? x.concat([end]) : x;
  }
  /* Their values. The last one once more, where it ends; behind it is nothing. */
  function last(values, x) {
    return values.concat(x.length > values.length + 1 ? [null, null] : [values[values.length - 1]]);
  }

  /* Several runs on one axis: every x of any of them, and of each run what it counted there; null before it, behind it, and where it has none. */
  function join(runs, until) {
    const x = [...new Set(runs.flatMap((run) => steps(run.t, until)))].sort((a, b) => a - b), end = x.length - 1;
    return [x].concat(runs.map(function (run) {
      const t = run.t, values = [];
      let k = 0;
      for (const at of x) {
        while (k < t.n && t.end[k] <= at) k++;
        values.push(k < t.n && t.from[k] <= at ? run.values[k] : null);
      }
      if (t.end[t.n - 1] === x[end]) values[end] = run.values[t.n - 1];
      return values;
    }));
  }

  /* Draws them: each value goes to the next x, also where nothing follows it. uPlot's own steps end with the last value's beginning. */
  function stepped(u, series) {
    const x = u.data[0], y = u.data[series], stroke = new Path2D(), fill = u.series[series].fill ? new Path2D() : null;
    const across = (v) => Math.round(u.valToPos(v, 'x', true)), up = (v) => u.valToPos(v, 'y', true), ground = up(0);
    let begin = -1;
    for (let i = 0; i + 1 < x.length; i++) {
      if (y[i] === null) continue;
      const left = across(x[i]), right = across(x[i + 1]), at = up(y[i]), first = i === 0 || y[i - 1] === null;
      if (first) {
        stroke.moveTo(left, at);
        begin = left;
      } else {
        stroke.lineTo(left, at);
      }
      stroke.lineTo(right, at);
      if (fill === null) continue;
      if (first) fill.moveTo(left, ground);
      fill.lineTo(left, at);
      fill.lineTo(right, at);
      if (i + 2 === x.length || y[i + 1] === null) {
        fill.lineTo(right, ground);
        fill.lineTo(begin, ground);
      }
    }
    return { stroke: stroke, fill: fill };
  }

  function setRange(from, to, origin) {
    if (busy) return;
    busy = true;
    range = from === null ? null : [from, to];
    for (const chart of all) {
      if (chart.plot !== null && chart.plot !== origin) {
        const x = chart.plot.data[0];
        chart.plot.setScale('x', range === null ? { min: x[0], max: x[x.length - 1] } : { min: from, max: to });
      }
    }
    busy = false;
    ranges.forEach((tell) => tell(range));
  }

  function options(chart, width, series, more) {
    return Object.assign({
      width: width, height: chart.height || HEIGHT, series: series,
      scales: Object.assign({ x: { time: false } }, more.scales), axes: [axis(WW.short, 34), axis(more.tick || WW.short, 52)],
      cursor: { sync: { key: 'ww', setSeries: false }, drag: { x: true, y: false }, points: { show: false } },
      legend: { show: more.legend !== false, live: true },
      hooks: Object.assign({
        setScale: [function (u, key) {
          if (key !== 'x' || busy || u.status !== 1) return;
          const x = u.data[0], s = u.scales.x;
          const whole = s.min <= x[0] && s.max >= x[x.length - 1];
          setRange(whole ? null : s.min, s.max, u);
        }],
      }, more.hooks),
    }, {});
  }

  function xSeries() {
    return { label: 'cycle', value: (u, v) => (v === null || v === undefined ? '-' : WW.number(v)) };
  }

  function lines(chart, width, runs, spec) {
    const named = runs.length > 1;
    const series = [xSeries()].concat(runs.map((run, i) => ({
      label: named ? run.name : spec.label, stroke: () => variable('--s' + i % 8), width: 1.5, dash: i === 0 ? [] : [[6, 3], [2, 2], [8, 3, 2, 3]][(i - 1) % 3],
      points: { show: false }, paths: stepped,
      value: (u, v) => (v === null || v === undefined ? '-' : WW.number(v, spec.digits) + spec.unit),
    })));
    const most = spec.most;
    return { data: join(runs, chart.end), options: options(chart, width, series, {
      tick: (v) => WW.short(v) + (spec.unit === ' %' ? ' %' : ''), scales: { y: { range: (u, lo, hi) => [0, most || (hi > 0 ? hi * 1.05 : 1)] } } }) };
  }

  /* Shares that add up to 100 %, drawn as areas one upon the other. The highest is drawn first, lower ones over it. */
  function areas(chart, width, t, parts) {
    const sum = t.end.map((_, i) => parts.reduce((s, p) => s + p.values[i], 0));
    const below = t.end.map(() => 0);
    const tops = parts.map((p) => p.values.map((v, i) => (sum[i] > 0 ? (below[i] += 100 * v / sum[i]) : null)));
    const x = steps(t, chart.end), series = [xSeries()], data = [x];
    for (let k = parts.length - 1; k >= 0; k--) {
      const p = parts[k], share = last(p.values.map((v, i) => (sum[i] > 0 ? 100 * v / sum[i] : null)), x), count = last(p.values, x);
      data.push(last(tops[k], x));
      series.push({ label: WW.causeText(p.label), stroke: () => variable('--ground'), fill: () => colour(p.label, k), width: 0.5, points: { show: false },
        paths: stepped,
        value: (u, v, s, i) => (i === null || i === undefined || share[i] === null ? '-' : WW.number(share[i], 1) + ' % (' + WW.number(count[i]) + ' slots)') });
    }
    return { data: data, options: options(chart, width, series, { tick: (v) => v + ' %', scales: { y: { range: [0, 100] } } }) };
  }

  /* What the colours of a map say: from nothing to the most there is. */
  function scale(most, unit) {
    const key = document.createElement('div');
    key.className = 'scale';
    key.append('0');
    for (let i = 0; i < LEVELS; i++) key.append(document.createElement('i'));
    key.querySelectorAll('i').forEach((i, level) => i.style.setProperty('background', 'var(--h' + level + ')'));
    key.append(WW.number(most, 3) + ' ' + unit);
    return key;
  }

  /* Rows x time: a cell's colour is its value, nine steps from nothing to the most there is. */
  function heat(chart, width, t, rows, unit) {
    const n = rows.length, most = rows.reduce((m, r) => r.values.reduce((a, v) => Math.max(a, v || 0), m), 0);
    const x = steps(t, chart.end);
    chart.height = Math.min(560, Math.max(140, n * (n > 40 ? 5 : 9) + 40));
    function draw(u) {
      const shades = [];
      for (let i = 0; i < LEVELS; i++) shades.push(variable('--h' + i));
      const c = u.ctx, box = u.bbox;
      c.save();
      c.beginPath();
      c.rect(box.left, box.top, box.width, box.height);
      c.clip();
      for (let i = 0; i < t.n; i++) {
        const left = Math.floor(u.valToPos(x[i], 'x', true)), right = Math.floor(u.valToPos(x[i + 1], 'x', true));
        if (right < box.left || left > box.left + box.width) continue;
        for (let r = 0; r < n; r++) {
          const top = Math.floor(box.top + box.height * r / n), bottom = Math.floor(box.top + box.height * (r + 1) / n);
          const v = rows[r].values[i];
          c.fillStyle = shades[!v || most === 0 ? 0 : 1 + Math.min(LEVELS - 2, Math.floor((LEVELS - 1) * v / most))];
          c.fillRect(left, top, Math.max(1, right - left), bottom - top);
        }
      }
      c.restore();
    }
    const row = (u) => (u.cursor.top === null || u.cursor.top < 0 ? -1 : Math.min(n - 1, Math.floor(n * u.cursor.top / u.over.clientHeight)));
    const series = [xSeries(), {
      label: 'SM', stroke: 'transparent', paths: () => null, points: { show: false },
      value: function (u, v, s, i) {
        const r = row(u);
        return i === null || i === undefined || r < 0 || (i >= t.n && x.length > t.n + 1) ? '-' : rows[r].label + ': ' + WW.number(rows[r].values[Math.min(i, t.n - 1)], 3) + ' ' + unit;
      } }];
    const o = options(chart, width, series, { scales: { y: { range: [0, n], dir: -1 } }, hooks: { ready: [(u) => u.root.append(scale(most, unit))], draw: [draw] } });
    o.axes[1] = axis(String, 52);
    o.axes[1].values = (u, at) => at.map((v) => (Number.isInteger(v) && v < n ? String(v) : ''));
    o.axes[1].grid = { show: false };
    return { data: [x, x.map(() => 0)], options: o };
  }

  /* ---- kinds ------------------------------------------------------------------------------------------------------ */

  /* Of each kind: its title, its unit, and what it draws of `runs` = [{name, t, result}], or null when they lack what it needs. */
  function over(pick, spec) {
    return function (chart, width, runs) {
      const there = runs.map((r) => ({ name: r.name, t: r.t, values: r.t === null ? null : pick(r.t) })).filter((r) => r.values !== null);
      return there.length === 0 ? null : width === 0 ? {} : lines(chart, width, there, spec);
    };
  }
  const kinds = {
    ipc: { title: 'Instructions per cycle', unit: 'thread instructions per cycle, all SMs', make: over(WW.ipc, { label: 'IPC', unit: '', digits: 2 }) },
    occupancy: { title: 'Occupancy', unit: '% of the hardware warps of SMs that hold a CTA', make: over(WW.occupancy, { label: 'occupancy', unit: ' %', digits: 1, most: 100 }) },
    l1: { title: 'L1D hits', unit: '% of accesses', make: over((t) => WW.hits(t, 'cache.l1'), { label: 'L1D hits', unit: ' %', digits: 1, most: 100 }) },
    l2: { title: 'L2 hits', unit: '% of accesses', make: over((t) => WW.hits(t, 'cache.l2'), { label: 'L2 hits', unit: ' %', digits: 1, most: 100 }) },
    dram: { title: 'DRAM', unit: 'column commands per core cycle, all channels', make: over(WW.dram, { label: 'column commands per cycle', unit: '', digits: 3 }) },
    slots: { title: 'Issue slots by cause', unit: '% of issue slots', make: function (chart, width, runs) {
      const parts = runs[0].t === null ? [] : WW.slots(runs[0].t);
      return parts.length === 0 ? null : width === 0 ? {} : areas(chart, width, runs[0].t, parts);
    } },
    sms: { title: 'SM by SM', unit: 'warp instructions per cycle', make: function (chart, width, runs) {
      const rows = runs[0].t === null ? [] : WW.sms(runs[0].t);
      return rows.length === 0 ? null : width === 0 ? {} : heat(chart, width, runs[0].t, rows, 'warp instr./cycle');
    } },
  };

  function prepare(results) {
    const list = Array.isArray(results) ? results : [results];
    return list.map((r, i) => ({ name: r.label || String.fromCharCode(65 + i), result: r, t: WW.intervals(r) }));
  }

  function draw(chart) {
    const width = Math.max(200, printing ? 680 : chart.element.clientWidth);
    const made = kinds[chart.kind].make(chart, width, chart.runs);
    if (chart.plot !== null) {
      chart.plot.destroy();
      chart.plot = null;
    }
    if (made === null) return;
    busy = true;
    chart.plot = new uPlot(made.options, made.data, chart.element);
    if (range !== null) chart.plot.setScale('x', { min: range[0], max: range[1] });
    busy = false;
  }

  /* Arrows move the cursor, + and - zoom, Escape shows everything. */
  function keys(chart, event) {
    const u = chart.plot;
    if (u === null) return;
    const x = u.data[0], i = u.cursor.idx === null || u.cursor.idx === undefined ? -1 : u.cursor.idx;
    const step = event.shiftKey ? 10 : 1;
    const at = { ArrowRight: i + step, ArrowLeft: i - step, Home: 0, End: x.length - 1 }[event.key];
    if (at !== undefined) {
      const to = Math.min(x.length - 1, Math.max(0, at));
      u.setCursor({ left: u.valToPos(x[to], 'x') + 0.01, top: u.over.clientHeight / 2 });
    } else if (event.key === '+' || event.key === '-') {
      const s = u.scales.x, middle = i < 0 ? (s.min + s.max) / 2 : x[i], half = (s.max - s.min) * (event.key === '+' ? 0.25 : 1);
      setRange(Math.max(x[0], middle - half), Math.min(x[x.length - 1], middle + half), null);
    } else if (event.key === 'Escape') {
      setRange(null, null, null);
    } else {
      return;
    }
    event.preventDefault();
  }

  /*
   * Draws chart KIND of results (one, or several to lay over one another) into an element. Null when they lack what it shows;
   * WW.can(KIND, RESULTS) asks only that. The answer: update(results) draws new numbers, destroy() ends it. With a cycle END the chart goes on to there.
   */
  function chart(kind, element, results, end) {
    const c = { kind: kind, element: element, runs: prepare(results), end: end || 0, plot: null };
    if (kinds[kind].make(c, 0, c.runs) === null) return null;
    element.classList.add('chart');
    element.tabIndex = 0;
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', kinds[kind].title + ', ' + kinds[kind].unit + '. Arrow keys read values, plus and minus zoom, Escape shows everything.');
    const onKey = (event) => keys(c, event);
    element.addEventListener('keydown', onKey);
    let width = element.clientWidth;
    const observer = new ResizeObserver(function () {
      if (element.clientWidth !== width && element.clientWidth > 0 && c.plot !== null && !printing) {
        width = element.clientWidth;
        c.plot.setSize({ width: Math.max(200, width), height: c.plot.height });
      }
    });
    observer.observe(element);
    all.add(c);
    draw(c);
    return {
      update: function (next) { c.runs = prepare(next); draw(c); },
      destroy: function () {
        observer.disconnect();
        element.removeEventListener('keydown', onKey);
        if (c.plot !== null) c.plot.destroy();
        all.delete(c);
      },
    };
  }

  function can(kind, results) {
    return kinds[kind].make({}, 0, prepare(results)) !== null;
  }

  /* ---- a bar of parts --------------------------------------------------------------------------------------------- */

  function svg(name, attributes, parent) {
    const e = document.createElementNS('http://www.w3.org/2000/svg', name);
    for (const key of Object.keys(attributes)) e.setAttribute(key, attributes[key]);
    if (parent) parent.appendChild(e);
    return e;
  }

  /* One bar, as long as its element: parts = [{label, value}] by their share; under it what each is. */
  function stack(element, parts, unit) {
    const sum = parts.reduce((s, p) => s + p.value, 0);
    const picture = svg('svg', { class: 'stack', viewBox: '0 0 1000 26', preserveAspectRatio: 'none', role: 'img',
      'aria-label': parts.map((p) => WW.causeText(p.label) + ' ' + WW.number(100 * p.value / (sum || 1), 1) + ' %').join(', ') });
    const legend = document.createElement('ul');
    legend.className = 'legend';
    let x = 0;
    parts.forEach(function (p, i) {
      const w = 1000 * p.value / (sum || 1), fill = variable('--c-' + p.label) ? 'c-' + p.label : 's' + i % 8;
      const text = WW.causeText(p.label) + ': ' + WW.number(100 * p.value / (sum || 1), 1) + ' %, ' + WW.number(p.value) + ' ' + unit;
      const r = svg('rect', { class: 'seg ' + fill, x: x, y: 0, width: w, height: 26 }, picture);
      svg('title', {}, r).textContent = text;
      const item = document.createElement('li');
      svg('rect', { class: fill, width: 12, height: 12 }, svg('svg', { class: 'key', viewBox: '0 0 12 12', 'aria-hidden': 'true' }, item));
      item.appendChild(document.createTextNode(text));
      legend.appendChild(item);
      x += w;
    });
    element.replaceChildren(picture, legend);
  }

  /* ---- light, dark, paper ------------------------------------------------------------------------------------------ */

  function again() {
    all.forEach(draw);
  }
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
  matchMedia('print').addEventListener('change', function (event) {
    printing = event.matches;
    again();
  });

  WW.kinds = kinds;
  WW.chart = chart;
  WW.can = can;
  WW.stackBar = stack;
  WW.onRange = (tell) => ranges.push(tell);
  WW.setRange = (from, to) => setRange(from, to, null);
})();
