/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a result (warpwright-results-1) as charts want them. Nothing here touches the page. */
var WW = (function () {
  'use strict';

  /* Names in words; the program that writes the page may add its own: WW.words.cause[LABEL] = TEXT. */
  const words = {
    cause: {
      issued: 'issued', no_warp: 'no warp', barrier: 'waiting at a CTA barrier', membar: 'waiting at a memory barrier',
      async_copy: 'waiting for asynchronous copies', atomic: 'waiting for atomics', fetch: 'waiting for instructions',
      policy: 'held back by the policy', scoreboard_long: 'data from memory', scoreboard: 'data from arithmetic',
      unit_sp: 'SP unit taken', unit_dp: 'DP unit taken', unit_int: 'INT unit taken', unit_sfu: 'SFU taken',
      unit_mem: 'memory unit taken', unit_tensor: 'tensor unit taken', unit_spec: 'specialised unit taken',
      scoreboard_short: 'a dependence counter', stall_count: 'the compiler\'s stall count', yield: 'the compiler\'s yield',
      constant: 'a constant operand', result: 'no room for a result', next_stage: 'register ports taken', issue_port: 'issue closed behind an IMAD',
    },
  };

  function has(object, key) {
    return object !== null && typeof object === 'object' && Object.prototype.hasOwnProperty.call(object, key);
  }

  /* 1234567.891 as 1,234,567.891: at most `digits` behind the point. */
  function number(v, digits) {
    if (v === null || v === undefined || !isFinite(v)) return '-';
    return v.toLocaleString('en-US', { maximumFractionDigits: digits === undefined ? 0 : digits });
  }

  /* In few characters, for axes: 12k, 1.5M. */
  function short(v) {
    const a = Math.abs(v);
    for (const [size, letter] of [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']]) {
      if (a >= size) return number(v / size, a / size < 10 ? 2 : 1) + letter;
    }
    return number(v, a < 1 ? 3 : a < 10 ? 2 : 1);
  }

  /* Texts of an axis: in few characters, or in full where two would read alike (17k of 16,990 and 17,003). */
  function ticks(values, text) {
    const few = values.map(text);
    return new Set(few).size === few.length ? few : values.map((v) => number(v, 6));
  }

  /*
   * What was counted over time. `intervals` is the member of a result; null where it is none. Rows of other lengths, and what is no
   * number, count as nothing.
   */
  function intervals(result) {
    const all = has(result, 'intervals') ? result.intervals : null;
    if (all === null || !Array.isArray(all.statistics) || !Array.isArray(all.rows) || all.rows.length === 0) return null;
    const rows = all.rows.filter((row) => Array.isArray(row) && row.length === all.statistics.length + 1);
    if (rows.length === 0) return null;
    const end = rows.map((row) => Number(row[0]) || 0);
    const first = has(all, 'from') ? Number(all.from) || 0 : Math.max(0, end[0] - (Number(all.every) || end[0]));
    const from = [first].concat(end.slice(0, -1));
    const column = new Map(all.statistics.map((name, i) => [String(name), i + 1]));
    const cached = new Map();
    return {
      n: rows.length, from: from, end: end, length: end.map((v, i) => Math.max(1, v - from[i])), names: all.statistics.map(String),
      has: (name) => column.has(name),
      /* The values of one statistic, an interval each; null when it was not taken. */
      at: function (name) {
        if (!column.has(name)) return null;
        if (!cached.has(name)) cached.set(name, rows.map((row) => Number(row[column.get(name)]) || 0));
        return cached.get(name);
      },
    };
  }

  function add(arrays) {
    const there = arrays.filter((a) => a !== null);
    return there.length === 0 ? null : there[0].map((_, i) => there.reduce((sum, a) => sum + a[i], 0));
  }

  function less(all, part) {
    return part === null ? all : all.map((v, i) => Math.max(0, v - part[i]));
  }

  function divide(part, all, by) {
    return part === null || all === null ? null : part.map((v, i) => (all[i] > 0 ? (by || 1) * v / all[i] : null));
  }

  function ipc(t) {
    return divide(t.at('warp_pool.thread_insns'), t.length) || divide(t.at('warp_pool.warp_insns'), t.length);
  }

  function occupancy(t) {
    return divide(t.at('cta_slots.warp_cycles'), t.at('cta_slots.slot_cycles'), 100);
  }

  /* Issue slots by cause: [{label, values}], the used ones first, those that never were left out. */
  function slots(t) {
    const used = add([t.at('warp_scheduler.single_issue'), t.at('warp_scheduler.dual_issue'), t.at('issue_stage.single_issue')]);
    const all = used === null ? [] : [{ label: 'issued', values: used }];
    for (const name of t.names) {
      const cause = /^(warp_scheduler|issue_stage)\.cause\.(.*)$/.exec(name);
      if (!cause) continue;
      const other = all.find((s) => s.label === cause[2]);
      if (other) other.values = add([other.values, t.at(name)]);
      else all.push({ label: cause[2], values: t.at(name) });
    }
    return all.filter((s) => s.values.some((v) => v > 0));
  }

  /* Hits of a cache type in percent: accesses that found their data, of those that were taken. First-level caches of instructions and constants are of the L1D's type. */
  function hits(t, type) {
    const other = (name) => type === 'cache.l1' && /\.(INST|CONST)_ACC_R\./.test(name);
    const of = function (outcome, others) {
      const names = t.names.filter((n) => n.startsWith(type + '.outcomes.') && n.endsWith('.' + outcome) && other(n) === others);
      return add(names.map((n) => t.at(n)));
    };
    const taken = (others) => ['HIT', 'HIT_RESERVED', 'MISS', 'SECTOR_MISS'].map((outcome) => of(outcome, others));
    const data = taken(false);
    if (data[0] !== null) return divide(data[0], add(data), 100);
    const all = t.at(type + '.accesses'), misses = add([t.at(type + '.misses'), t.at(type + '.pending_hits')]);
    if (all === null || misses === null) return null;
    const apart = taken(true), ours = less(all, add(apart));
    return divide(less(ours, less(misses, add(apart.slice(1)))), ours, 100);
  }

  /* Column commands a core cycle: what DRAM moved then. Reads and writes are counted when they come, a burst of them beyond what it can serve. */
  function dram(t) {
    return divide(t.at('dram.frfcfs.column_commands') || add([t.at('dram.frfcfs.reads'), t.at('dram.frfcfs.writes')]), t.length);
  }

  /* Warp instructions a cycle of each SM: [{label, values}] in order of the machine. */
  function sms(t) {
    const found = [];
    for (const name of t.names) {
      const match = /^(.*\bsm\[\d+\])[^:]*:warp_insns$/.exec(name);
      if (match) found.push({ path: match[1], label: match[1].replace(/^gpu\./, ''), values: divide(t.at(name), t.length) });
    }
    const key = (path) => path.replace(/\d+/g, (d) => d.padStart(8, '0'));
    return found.sort((a, b) => (key(a.path) < key(b.path) ? -1 : 1));
  }

  /* Issue slots by cause of counters (a kernel's or total): [{label, value}]. */
  function stack(counters) {
    const value = (name) => (has(counters, name) ? Number(counters[name]) || 0 : 0);
    const used = value('warp_scheduler.single_issue') + value('warp_scheduler.dual_issue') + value('issue_stage.single_issue');
    const all = used > 0 ? [{ label: 'issued', value: used }] : [];
    for (const type of ['warp_scheduler', 'issue_stage']) {
      const causes = has(counters, type + '.cause') ? counters[type + '.cause'] : {};
      for (const label of Object.keys(causes || {})) {
        const other = all.find((s) => s.label === label);
        if (!(Number(causes[label]) > 0)) continue;
        if (other) other.value += Number(causes[label]);
        else all.push({ label: label, value: Number(causes[label]) });
      }
    }
    return all;
  }

  function causeText(label) {
    return has(words.cause, label) ? words.cause[label] : label;
  }

  return { words: words, number: number, short: short, ticks: ticks, intervals: intervals, ipc: ipc, occupancy: occupancy, slots: slots, hits: hits,
    dram: dram, sms: sms, stack: stack, causeText: causeText };
})();
