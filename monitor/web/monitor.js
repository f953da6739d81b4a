/* SPDX-License-Identifier: Apache-2.0 */
/* The live page of a run: what is asked when, the controls, charts and tables. */
(function () {
  'use strict';
  const id = MON.id, make = MON.make;
  const CHARTS = ['ipc', 'slots', 'occupancy', 'l1', 'l2', 'dram', 'sms'];
  const KINDS = ['access', 'activate', 'arrive', 'barrier', 'collect', 'column', 'cta', 'decode', 'dispatch', 'exec', 'fetch', 'fill', 'flush', 'issue',
    'kernel', 'l1d', 'miss', 'precharge', 'put', 'request', 'response', 'retire', 'take', 'writeback'];
  const FAST = 250, SLOW = 1000, LEASE = 3000;
  let run = null, gone = false, speed = null;
  const charts = new Map();
  const counted = { generation: -1, from: 0, statistics: null, rows: [] };

  /* ---- how it stands ---------------------------------------------------------------------------------------------- */

  const REASONS = { start: 'Waiting to start.', user: 'Paused by a client.', step: 'Steps done.', cycle: 'Cycle reached.',
    kernel: 'A kernel has ended.', condition: 'Condition met.', breakpoint: 'Breakpoint.' };

  function why(state) {
    if (state.paused) return (REASONS[state.paused.kind] || '') + (state.paused.text ? ' ' + state.paused.text : '');
    if (state.over && state.why) return state.why;
    const u = state.until;
    if (u.cycle !== undefined) return 'Runs until cycle ' + WW.number(u.cycle) + '.';
    if (u.kernel !== undefined) return 'Runs until ' + u.kernel + (u.kernel === 1 ? ' kernel has' : ' kernels have') + ' ended.';
    if (u.statistic !== undefined) return 'Runs until ' + u.statistic + ' ' + u.op + ' ' + WW.number(u.value) + '; ' + WW.number(u.last) + ' so far.';
    return '';
  }

  function tile(name, value) {
    return make('li', '', make('b', '', value), make('span', '', name));
  }

  function rate(state) {
    const now = performance.now();
    if (speed === null || state.paused || state.over) speed = { at: now, cycle: state.cycle, value: 0 };
    else if (now - speed.at > 1000) speed = { at: now, cycle: state.cycle, value: 1000 * (state.cycle - speed.cycle) / (now - speed.at) };
    return speed.value;
  }

  /* How many kernels have ended: of many the last are told, and the one that a limit stopped is among them. */
  function ended(kernels) {
    const last = kernels[kernels.length - 1];
    return last === undefined ? 0 : last.number - (last.partial ? 1 : 0);
  }

  function show(state) {
    const k = state.kernel, busy = !state.over;
    const name = state.over ? { done: 'done', limit: 'limit reached' }[state.state] || state.state : state.state;
    id('state').textContent = name;
    id('state').className = 'state ' + state.state;
    document.title = name + ' - cycle ' + WW.number(state.cycle) + ' - warpwright';
    id('title').textContent = (state.trace || state.platform).replace(/\/+$/, '').split('/').pop();
    id('what').textContent = [state.trace, state.platform && 'platform ' + state.platform, state.configs.length ? 'config ' + state.configs.join(', ') : '',
      WW.number(state.components) + ' components', 'warpwright ' + state.version].filter((t) => t).join(' \u00b7 ');
    id('toggle').textContent = state.paused ? 'Continue' : 'Pause';
    for (const e of document.querySelectorAll('#toggle, #step, #until button, #add-break button')) e.disabled = !busy;
    id('release').hidden = busy || !state.held;
    id('why').textContent = why(state);
    id('why').hidden = why(state) === '';
    const v = rate(state);
    id('tiles').replaceChildren(...[tile('core cycle', WW.number(state.cycle)),
      k.of ? tile(state.over ? (k.of === 1 ? 'kernel' : 'kernels') : k.name || 'kernel', state.over ? WW.number(ended(state.kernels)) + ' done' : WW.number(k.number) + ' of ' + WW.number(k.of)) : null,
      k.ctas_total ? tile('CTAs done, ' + WW.number(k.ctas_running) + ' running', WW.number(k.ctas_done) + ' of ' + WW.number(k.ctas_total)) : null,
      busy && k.of ? tile('IPC of this kernel', WW.number(state.ipc, 1)) : null,
      v > 0 ? tile('cycles per second', WW.short(v)) : null].filter((e) => e !== null));
    MON.table(id('kernels'), [['', ''], ['kernel', 'left wrap'], ['cycles'], ['ended in cycle']],
      state.kernels.slice().reverse().map((r) => [WW.number(r.number), r.name + (r.partial ? ' (so far)' : ''), WW.number(r.cycles), WW.number(r.end)]),
      'No kernel has ended yet.');
  }

  /* ---- charts ----------------------------------------------------------------------------------------------------- */

  async function samples() {
    const words = counted.statistics === null ? {} : { since: counted.rows.length ? counted.rows[counted.rows.length - 1][0] : 0, generation: counted.generation };
    const got = await MON.ask(MON.query('/api/samples', words));
    if (got.all) {
      counted.statistics = got.statistics;
      counted.rows = [];
    }
    counted.generation = got.generation;
    counted.from = got.from;
    counted.rows = counted.rows.concat(got.rows);
    if (got.rows.length > 0 || got.all) drawCharts();
  }

  function soFar() {
    const counters = { 'warp_scheduler.cause': {}, 'issue_stage.cause': {} };
    counted.statistics.forEach(function (name, i) {
      if (!/^(warp_scheduler|issue_stage)\./.test(name)) return;
      const sum = counted.rows.reduce((s, row) => s + row[i + 1], 0), cause = /^(warp_scheduler|issue_stage)\.cause\.(.*)$/.exec(name);
      if (cause) counters[cause[1] + '.cause'][cause[2]] = sum;
      else counters[name] = sum;
    });
    return WW.stack(counters).sort((a, b) => b.value - a.value);
  }

  function drawCharts() {
    if (counted.rows.length === 0) return;
    const result = { label: 'run', intervals: { from: counted.from, every: 1, statistics: counted.statistics, rows: counted.rows } };
    for (const kind of CHARTS) {
      if (charts.has(kind)) {
        charts.get(kind).update(result);
      } else if (WW.can(kind, result)) {
        const place = make('div', '');
        const figure = make('figure', '', make('figcaption', '', WW.kinds[kind].title + ' ', make('span', 'quiet', WW.kinds[kind].unit)), place);
        figure.id = 'chart-' + kind;
        const later = [...id('chart-list').children].find((f) => CHARTS.indexOf(f.id.slice(6)) > CHARTS.indexOf(kind));
        id('chart-list').insertBefore(figure, later || null);
        charts.set(kind, WW.chart(kind, place, result));
      }
    }
    const parts = soFar();
    if (parts.length > 0) WW.stackBar(id('slots-now'), parts, 'issue slots so far');
    id('no-charts').textContent = 'This machine has no statistics for a chart.';
    id('no-charts').hidden = charts.size > 0;
  }

  /* ---- tables ----------------------------------------------------------------------------------------------------- */

  async function waits() {
    const got = await MON.ask('/api/waits?limit=200');
    const drawn = MON.graph.draw(id('graph'), got.waits, got.hang);
    id('waits-text').textContent = !drawn ? 'No component reports a wait.'
      : got.hang ? 'The run hangs. Each waits for the next; where the red arrows form a ring, nothing can proceed.'
        : 'In cycle ' + WW.number(got.cycle) + ': ' + WW.number(got.all) + ' waits. A machine that runs has some, too.';
    id('other-waits').hidden = !drawn;
    if (id('other-waits').open) {
      MON.table(id('waits-table'), [['who', 'left wrap'], ['waits for', 'left wrap'], ['why', 'left wrap']],
        got.waits.map((w) => [make('span', 'code', w.who), make('span', 'code', w.on || '-'), MON.graph.reason(w)]));
    }
  }

  function bar(c) {
    const part = c.capacity ? Math.min(1, c.used / c.capacity) : c.used ? 0.5 : 0;
    const inner = make('span', c.capacity && c.used >= c.capacity ? 'full' : '');
    inner.style.width = 100 * part + '%';
    return make('span', 'fill', inner);
  }

  function few(paths) {
    return paths.slice(0, 2).join(', ') + (paths.length > 2 ? ' and ' + (paths.length - 2) + ' more' : '');
  }

  async function channels() {
    const words = { limit: 200, least: id('empty').checked ? 0 : 1 };
    if (id('under').value.trim()) words.under = id('under').value.trim();
    try {
      const got = await MON.ask(MON.query('/api/channels', words));
      id('channels-text').textContent = WW.number(got.used) + ' of ' + WW.number(got.all) + ' hold something'
        + (got.channels.length === 200 ? '; the first 200 are shown' : '');
      MON.table(id('channels'), [['channel', 'left'], ['', 'left'], ['taken'], ['of'], ['carries', 'left'], ['from', 'left wrap'], ['to', 'left wrap']],
        got.channels.map((c) => [make('span', 'code', c.path), bar(c), WW.number(c.used), c.capacity ? WW.number(c.capacity) : 'any', c.carries,
          few(c.writers), few(c.readers)]), 'No channel holds anything.');
    } catch (e) {
      if (e.status !== 404) throw e;
      id('channels-text').textContent = e.message;
    }
  }

  async function breaks() {
    const got = await MON.ask('/api/breakpoints');
    MON.table(id('breaks'), [['', 'left'], ['path', 'left'], ['kind', 'left'], ['unit'], ['hits'], ['', 'left']], got.breakpoints.map(function (b) {
      const remove = make('button', '', 'Remove');
      remove.addEventListener('click', () => MON.act('/api/breakpoints/remove', { id: b.id }).then(() => look()));
      return [String(b.id), make('span', 'code', b.path), make('span', 'code', b.kind === null ? 'any' : b.kind), b.unit === null ? 'any' : String(b.unit),
        WW.number(b.hits), remove];
    }), 'None.');
  }

  /* ---- when ------------------------------------------------------------------------------------------------------- */

  let looked = null, slowAt = -SLOW, leaseAt = -LEASE, busy = false;

  async function look() {
    const state = await MON.ask('/api/run');
    id('enter').hidden = true;
    if (gone) MON.message('');
    gone = false;
    const moved = looked === null || looked.cycle !== state.cycle || looked.state !== state.state || looked.breakpoints !== state.breakpoints;
    run = state;
    show(state);
    const now = performance.now();
    if (id('hold').checked && now - leaseAt > LEASE) {
      leaseAt = now;
      await MON.ask('/api/hold', { seconds: 10 });
    }
    if (moved) await samples();
    if ((moved && (state.paused || state.over)) || (now - slowAt > SLOW && moved)) {
      slowAt = now;
      await waits();
      await MON.tree.refresh();
      await channels();
      await breaks();
    }
    looked = state;
  }

  async function turn() {
    if (!busy) {
      busy = true;
      try {
        await look();
      } catch (e) {
        failed(e);
      }
      busy = false;
    }
    setTimeout(turn, document.hidden || gone ? SLOW : FAST);
  }

  function failed(e) {
    if (e.status === 401) {
      id('enter').hidden = false;
      return;
    }
    MON.message(e.message);
    if (e.status === 0) {
      gone = true;
      id('state').textContent = 'gone';
      id('state').className = 'state gone';
      for (const button of document.querySelectorAll('nav button, #add-break button')) button.disabled = true;
    }
  }

  /* ---- controls --------------------------------------------------------------------------------------------------- */

  function on(name, event, act) {
    id(name).addEventListener(event, function (e) {
      e.preventDefault();
      act();
    });
  }

  function amount(name) {
    return Math.max(0, Math.floor(Number(id(name).value) || 0));
  }

  on('toggle', 'click', () => MON.act(run && run.paused ? '/api/continue' : '/api/pause', {}));
  on('step', 'click', () => MON.act('/api/step', { cycles: Math.max(1, amount('cycles')) }));
  on('until', 'submit', function () {
    const what = id('what-until').value;
    MON.act('/api/until', what === 'statistic' ? { statistic: id('statistic').value, op: id('op').value, value: amount('value') } : { [what]: amount('value') });
  });
  id('what-until').addEventListener('change', function () {
    const statistic = id('what-until').value === 'statistic';
    id('statistic').hidden = id('op').hidden = !statistic;
    id('statistic').required = statistic;
  });
  on('release', 'click', () => MON.act('/api/release', {}));
  id('hold').addEventListener('change', () => MON.act('/api/hold', { seconds: id('hold').checked ? 10 : 0 }));
  on('enter', 'submit', function () {
    MON.setToken(id('token').value);
    id('token').value = '';
  });
  on('add-break', 'submit', async function () {
    const body = { path: id('break-path').value };
    if (id('break-kind').value) body.kind = id('break-kind').value;
    if (id('break-unit').value) body.unit = amount('break-unit');
    if (await MON.act('/api/breakpoints', body) !== null) await breaks();
  });
  for (const name of ['under', 'empty']) id(name).addEventListener('change', () => channels().catch(failed));
  id('other-waits').addEventListener('toggle', () => waits().catch(failed));
  id('kinds').append(...KINDS.map(function (k) {
    const o = make('option', '');
    o.value = k;
    return o;
  }));
  MON.tree.legend();
  turn();
})();
