/* SPDX-License-Identifier: Apache-2.0 */
/* Columns to sort by. */
(function () {
  'use strict';
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
  document.documentElement.dataset.ready = '0'; /* charts */
})();
