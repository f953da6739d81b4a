/* SPDX-License-Identifier: Apache-2.0 */
/* The live page of a run: asking its API, and making elements. Everything that comes from a run is text, never markup. */
const MON = (function () {
  'use strict';
  let token = '';
  try {
    token = sessionStorage.getItem('ww-token') || '';
  } catch (e) { /* no storage: asked for again */ }
  const found = /^#token=(.+)$/.exec(location.hash);
  if (found) {
    setToken(decodeURIComponent(found[1]));
    history.replaceState(null, '', location.pathname);
  }

  function setToken(text) {
    token = text;
    try {
      sessionStorage.setItem('ww-token', text);
    } catch (e) { /* this page only */ }
  }

  /* The answer as an object; an Error with .status (0: nobody answers) and the API's words otherwise. */
  async function ask(path, body) {
    const headers = token ? { Authorization: 'Bearer ' + token } : {};
    const how = { headers: headers, cache: 'no-store', credentials: 'omit', redirect: 'error' };
    if (body !== undefined) {
      how.method = 'POST';
      how.body = JSON.stringify(body);
      headers['X-Warpwright'] = '1';
      headers['Content-Type'] = 'application/json';
    }
    let status = 0, value;
    try {
      const reply = await fetch(path, how);
      status = reply.status;
      value = await reply.json();
    } catch (e) {
      value = { error: 'no answer: the run has ended, or its machine cannot be reached' };
    }
    if (status !== 200) {
      const error = new Error(String(value.error || 'status ' + status));
      error.status = status;
      throw error;
    }
    return value;
  }

  function query(path, words) {
    return path + '?' + Object.keys(words).map((k) => k + '=' + encodeURIComponent(words[k])).join('&');
  }

  function id(name) {
    return document.getElementById(name);
  }

  /* make('td', 'left', 'text', child, ...) */
  function make(tag, cls, ...children) {
    const e = document.createElement(tag);
    if (cls) e.className = cls;
    e.append(...children.filter((c) => c !== null && c !== undefined));
    return e;
  }

  /* Rows of a table: heads [[text, class]], rows of cells (text or element). */
  function table(element, heads, rows, none) {
    if (rows.length === 0) {
      element.replaceChildren(make('caption', '', none || 'none'));
      return;
    }
    const head = make('tr', '', ...heads.map((h) => make('th', h[1] || '', h[0])));
    const body = rows.map((cells) => make('tr', '', ...cells.map((c, i) => make('td', heads[i][1] || '', c))));
    element.replaceChildren(make('thead', '', head), make('tbody', '', ...body));
  }

  function message(text) {
    id('message').hidden = !text;
    id('message').textContent = text || '';
  }

  /* Does it, and says what was wrong. */
  async function act(path, body) {
    try {
      const value = await ask(path, body);
      message('');
      return value;
    } catch (e) {
      message(e.message);
      return null;
    }
  }

  return { ask: ask, query: query, id: id, make: make, table: table, message: message, act: act, setToken: setToken };
})();
