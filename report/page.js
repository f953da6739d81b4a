/* SPDX-License-Identifier: Apache-2.0 */
/* What moves in a report: charts over time, columns to sort by. */
(function () {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  Object.assign(WW.words.cause, data.causes);

  /* ---- charts ---- */
  const timed = data.runs.filter((run) => WW.intervals(run) !== null);
  /* All charts go to the end of the longest run: one cycle is in one place. */
  const end = timed.reduce((most, run) => Math.max(most, ...WW.intervals(run).end.slice(-1)), 0);
  for (const place of document.querySelectorAll('[data-chart]')) {
    const runs = place.dataset.run === 'all' ? timed : [data.runs[Number(place.dataset.run)]];
    if (runs.length === 0 || WW.chart(place.dataset.chart, place, runs, end) === null) place.closest('figure').hidden = true;
  }

  /* Where the slots of a chosen time went. */
  WW.onRange(function (range) {
    for (const place of document.querySelectorAll('[data-range]')) {
      place.replaceChildren();
      const t = WW.intervals(data.runs[Number(place.dataset.range)]);
      if (range === null || t === null) continue;
      const inside = (i) => t.end[i] > range[0] && t.from[i] < range[1];
      const parts = WW.slots(t).map((s) => ({ label: s.label, value: s.values.reduce((sum, v, i) => sum + (inside(i) ? v : 0), 0) })).filter((s) => s.value > 0);
      const title = document.createElement('p');
      title.textContent = 'Issue slots from cycle ' + WW.number(range[0]) + ' to ' + WW.number(range[1]) + ' (whole intervals):';
      const bar = document.createElement('div');
      place.append(title, bar);
      if (parts.length > 0) WW.stackBar(bar, parts, 'slots');
      else title.textContent += ' none.';
    }
  });

  /* ---- tables ---- */
  function value(row, i) {
    const cell = row.cells[i];
    return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent.trim();
  }
  function sort(table, i, button) {
    const head = button.parentElement, body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const up = head.getAttribute('aria-sort') === 'descending' || (head.getAttribute('aria-sort') === null && head.classList.contains('left'));
    rows.sort(function (a, b) {
      const x = value(a, i), y = value(b, i);
      const order = typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', { numeric: true });
      return up ? order : -order;
    });
    for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
    head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
    body.append(...rows);
  }
  for (const table of document.querySelectorAll('table.sort')) {
    Array.from(table.tHead.rows[0].cells).forEach(function (head, i) {
      const button = document.createElement('button');
      button.type = 'button';
      button.textContent = head.textContent;
      button.addEventListener('click', () => sort(table, i, button));
      head.replaceChildren(button);
    });
  }
  document.documentElement.dataset.ready = String(document.querySelectorAll('.uplot').length);
})();
