/* SPDX-License-Identifier: Apache-2.0 */
/* What moves in a report of runs: charts over time. */
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

  document.documentElement.dataset.ready = String(document.querySelectorAll('.uplot').length);
})();
