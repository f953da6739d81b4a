/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of parts, and one part in full. Groups are asked for when they are opened, and again while they are open. */
(function () {
  'use strict';
  const make = MON.make;
  const STATES = { due: 'runs in the next cycle', rests: 'wakes by itself later', asleep: 'sleeps until woken', gated: 'not clocked',
    waits: 'reports a wait' };
  const open = new Map(); /* path -> list element of its children */
  let chosen = null, before = null;

  function legend() {
    MON.id('states-legend').replaceChildren(...Object.keys(STATES).map((s) => make('span', '', make('i', 'dot ' + s), STATES[s])));
  }

  function label(child, parent) {
    const rest = parent && child.path.startsWith(parent + '.') ? child.path.slice(parent.length + 1) : child.path;
    return rest;
  }

  function dot(child) {
    const s = child.state !== undefined && child.children === 0 ? child.state
      : ['due', 'rests', 'asleep', 'gated'].find((k) => child.states && child.states[k]) || 'passive';
    const d = make('i', 'dot ' + (child.waits && (s === 'asleep' || s === 'passive' || s === 'channel') ? 'waits' : s));
    d.title = STATES[s] || s;
    return d;
  }

  function facts(child) {
    if (child.used !== undefined) return child.used + (child.capacity ? ' of ' + child.capacity : '');
    if (child.states && child.children) {
      const n = (child.states.due || 0) + (child.states.rests || 0);
      return n ? n + ' active' : '';
    }
    return child.type || '';
  }

  function fill(row, child, parent) {
    const fold = make('span', 'fold', child.children ? (open.has(child.path) ? '\u25be' : '\u25b8') : '');
    const why = (child.why || []).slice(0, 2);
    row.replaceChildren(...[fold, dot(child), make('span', 'code', label(child, parent)), make('span', 'quiet', facts(child)),
      child.waits ? make('span', 'quiet', child.waits + (child.waits === 1 ? ' wait' : ' waits')) : null].filter((e) => e !== null),
    ...why.map((text) => make('span', 'why', text)));
  }

  function addItem(list, child, parent) {
    const item = make('li', '');
    item.setAttribute('role', 'treeitem');
    item.dataset.path = child.path;
    item.row = make('div', 'row');
    item.row.tabIndex = 0;
    item.append(item.row);
    item.child = child;
    const press = function () {
      if (item.child.children) toggle(item);
      if (item.child.type) choose(item);
    };
    item.row.addEventListener('click', press);
    item.row.addEventListener('keydown', function (event) {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        press();
      }
    });
    list.append(item);
    fill(item.row, child, parent);
    return item;
  }

  function update(list, children, parent) {
    const there = new Map([...list.children].map((i) => [i.dataset.path, i]));
    for (const child of children) {
      const item = there.get(child.path) || addItem(list, child, parent);
      item.child = child;
      fill(item.row, child, parent);
      if (child.children) item.setAttribute('aria-expanded', String(open.has(child.path)));
    }
  }

  async function load(path, list) {
    const tree = await MON.ask(MON.query('/api/tree', { path: path }));
    update(list, tree.children, path);
  }

  async function toggle(item) {
    const path = item.dataset.path;
    if (open.has(path)) {
      for (const key of [...open.keys()]) {
        if (key === path || key.startsWith(path + '.')) open.delete(key);
      }
      item.querySelector(':scope > ul').remove();
    } else {
      const list = make('ul', '');
      list.setAttribute('role', 'group');
      item.append(list);
      open.set(path, list);
      await load(path, list).catch((e) => MON.message(e.message));
    }
    if (item.child.children) item.setAttribute('aria-expanded', String(open.has(path)));
    fill(item.row, item.child, item.parentElement.closest('li') ? item.parentElement.closest('li').dataset.path : '');
  }

  /* ---- one part ------------------------------------------------------------------------------------------------ */

  function choose(item) {
    for (const other of document.querySelectorAll('.tree [aria-selected=true]')) other.removeAttribute('aria-selected');
    item.setAttribute('aria-selected', 'true');
    chosen = item.dataset.path;
    before = null;
    MON.id('break-path').value = chosen;
    showPart().catch((e) => MON.message(e.message));
  }

  function statRows(part) {
    const rows = [];
    const old = new Map(before && before.path === part.path ? before.statistics.map((s) => [s.name, s.values]) : []);
    for (const s of part.statistics) {
      const was = old.get(s.name);
      const cell = function (i, name) {
        const d = was ? s.values[i] - was[i] : 0;
        const n = make('span', 'code', name);
        n.title = s.doc;
        rows.push([n, WW.number(s.values[i]), d > 0 ? make('span', 'delta', '+' + WW.number(d)) : '', s.unit]);
      };
      if (s.values.length === 1) {
        cell(0, s.name);
        continue;
      }
      const used = s.values.map((v, i) => i).filter((i) => s.values[i] !== 0);
      if (used.length === 0) rows.push([make('span', 'code', s.name), '0', '', s.unit]);
      used.slice(0, 40).forEach((i) => cell(i, s.name + '.' + (s.labels ? s.labels[i] : i)));
    }
    return rows;
  }

  function entryText(e) {
    if (e.domain === null) return e.name + ': nobody calls it';
    const what = e.gated ? 'not clocked' : e.due ? 'has its turn next' : e.wakes_at !== null ? 'wakes at cycle ' + WW.number(e.wakes_at)
      : 'sleeps until woken';
    return e.name + ' (' + e.domain + ' cycle ' + WW.number(e.cycle) + '): ' + what;
  }

  function waitText(w, path) {
    const rest = w.text + (w.holds ? '; it holds ' + w.holds : '');
    return w.who === path ? 'waits for ' + (w.on || 'something it cannot name') + ': ' + rest : w.who + ' waits for it: ' + rest;
  }

  function list(title, texts) {
    return texts.length === 0 ? null : make('div', '', make('h3', '', title), make('ul', '', ...texts.map((t) => make('li', 'left', t))));
  }

  async function showPart() {
    if (chosen === null) return;
    const part = await MON.ask(MON.query('/api/component', { path: chosen }));
    const stats = make('table', ''), params = make('table', '');
    MON.table(stats, [['statistic', 'left'], ['value'], ['since'], ['unit', 'left']], statRows(part), 'It has no statistics.');
    MON.table(params, [['parameter', 'left'], ['value', 'left wrap'], ['unit', 'left']], part.parameters.map((p) => [make('span', 'code', p.name), p.value, p.unit]),
      'It has no parameters.');
    const more = part.waits.length > 12 ? ['and ' + (part.waits.length - 12) + ' more'] : [];
    const wired = part.wires.slice(0, 24).map((w) => (w.out ? '\u2192 ' : '\u2190 ') + (w.port || 'channel') + ': ' + w.peer);
    const top = MON.id('part').scrollTop;
    MON.id('part').replaceChildren(...[make('h3', 'code', part.path), make('p', 'quiet', part.type + ': ' + part.doc),
      part.fill ? make('p', '', 'Places taken: ' + part.fill.used + (part.fill.capacity ? ' of ' + part.fill.capacity : '')) : null,
      list('Turns', part.entries.map(entryText)), list('Waits', part.waits.slice(0, 12).map((w) => waitText(w, part.path)).concat(more)),
      make('h3', '', 'Statistics, and their change since the last look'), make('div', 'scroll', stats), list('Wires', wired),
      make('h3', '', 'Parameters'), make('div', 'scroll', params)].filter((e) => e !== null));
    MON.id('part').scrollTop = top;
    if (before === null || before.path !== part.path || before.cycle !== part.cycle) before = part;
  }

  /* Everything that is open, as it is now. */
  async function refresh() {
    await load('', MON.id('tree'));
    for (const [path, element] of open) await load(path, element);
    await showPart();
  }

  async function openPath(path) {
    const parts = path.split('.');
    for (let i = 1; i <= parts.length; i++) {
      const item = [...document.querySelectorAll('.tree li')].find((e) => e.dataset.path === parts.slice(0, i).join('.'));
      if (item && item.child.children && !open.has(item.dataset.path)) await toggle(item);
      if (item && i === parts.length && item.child.type) choose(item);
    }
  }

  MON.tree = { legend: legend, refresh: refresh, open: openPath };
})();
