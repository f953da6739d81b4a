/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who waits for whom, as a picture: the way to the cause from top to bottom, what waits for something on it at the left. Where the way comes back to
 * where it was, an arrow at the right closes the knot.
 */
(function () {
  'use strict';
  const NS = 'http://www.w3.org/2000/svg', LINE = 15, WIDTH = 330, SIDE = 250, GAP = 40, PAD = 8, TURN = 46;

  function svg(name, attributes, parent, text) {
    const e = document.createElementNS(NS, name);
    for (const key of Object.keys(attributes)) e.setAttribute(key, attributes[key]);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.appendChild(e);
    return e;
  }

  /* Lines of at most n characters; long words are cut. */
  function wrap(text, n, most) {
    const lines = [''];
    for (let word of text.split(' ')) {
      while (word.length > n) {
        if (lines[lines.length - 1] !== '') lines.push('');
        lines[lines.length - 1] = word.slice(0, n);
        word = word.slice(n);
        lines.push('');
      }
      const last = lines[lines.length - 1];
      if (last !== '' && last.length + 1 + word.length > n) lines.push(word);
      else lines[lines.length - 1] = last === '' ? word : last + ' ' + word;
    }
    if (lines.length > most) {
      lines.length = most;
      lines[most - 1] = lines[most - 1].slice(0, n - 3) + '...';
    }
    return lines.filter((l) => l !== '');
  }

  function reason(w) {
    return w.text + (w.holds ? '; it holds ' + w.holds : w.guessed ? '; nobody reports holding it, and this one, on its path, reports nothing' : '');
  }

  function box(parent, x, y, width, name, type, quiet, cls) {
    const names = wrap(name, Math.floor((width - 2 * PAD) / 7.4), 3), texts = quiet ? wrap(quiet, Math.floor((width - 2 * PAD) / 6.8), 5) : [];
    const lines = names.length + 1 + texts.length;
    const g = svg('g', { class: cls || '' }, parent);
    const height = lines * LINE + 2 * PAD - 2;
    svg('rect', { class: 'box', x: x, y: y, width: width, height: height, rx: 5 }, g);
    let at = y + PAD + 11;
    names.forEach((line) => { svg('text', { class: 'name', x: x + PAD, y: at }, g, line); at += LINE; });
    svg('text', { class: 'quiet', x: x + PAD, y: at }, g, type || '');
    at += LINE;
    texts.forEach((line) => { svg('text', { x: x + PAD, y: at }, g, line); at += LINE; });
    return { y: y, height: height };
  }

  function marker(defs, name, cls) {
    const m = svg('marker', { id: name, class: cls, viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: 'auto-start-reverse' }, defs);
    svg('path', { d: 'M0,0 L10,5 L0,10 z' }, m);
  }

  /* Who stands on the way: each with what it waits for; the last one may wait for nobody. */
  function stations(waits) {
    const trail = waits.filter((w) => w.trail !== null).sort((a, b) => a.trail - b.trail);
    const start = trail.findIndex((w) => w.knot);
    const list = trail.map((w, i) => ({ path: w.who, type: w.type, wait: w, cls: start >= 0 && i >= start ? 'knot' : '' }));
    const last = trail[trail.length - 1];
    if (last && start < 0) list.push({ path: last.on || 'something it cannot name', type: last.on_type, channel: last.on_channel, wait: null, cls: 'cause' });
    return { list: list, start: start };
  }

  /* What is said of a part that waits for nobody. A channel at the end of the way is empty: it does nothing by itself. */
  function atTheEnd(s, hang) {
    if (!hang) return 'waits for nobody';
    return s.channel ? 'is empty: the cause is at one of its ends' : 'waits for nobody: the cause is here';
  }

  function draw(element, waits, hang) {
    const { list, start } = stations(waits);
    const room = element.clientWidth || 800, wide = room >= SIDE + GAP + WIDTH + TURN;
    const width = Math.min(WIDTH, room - TURN - 10); /* of the boxes on the way */
    element.replaceChildren();
    if (list.length === 0) return false;
    const paths = new Set(list.map((s) => s.path));
    const beside = new Map();
    for (const w of waits) {
      if (w.trail === null && w.on !== null && paths.has(w.on) && !paths.has(w.who)) {
        if (!beside.has(w.on)) beside.set(w.on, new Map());
        const of = beside.get(w.on);
        if (of.has(w.who)) of.get(w.who).n++;
        else of.set(w.who, { w: w, n: 1 });
      }
    }
    const left = wide && beside.size > 0 ? SIDE + GAP : 4;
    const picture = svg('svg', { role: 'img', 'aria-label': 'Who waits for whom: ' + list.map((s) => s.path).join(', then ') });
    const defs = svg('defs', {}, picture);
    marker(defs, 'arrow', '');
    marker(defs, 'arrow-knot', 'knot');
    let y = 6;
    const places = [];
    for (const s of list) {
      const place = box(picture, left, y, width, s.path, s.type, s.wait ? 'waits: ' + reason(s.wait) : atTheEnd(s, hang), s.wait || hang ? s.cls : '');
      const others = [...(beside.get(s.path) || new Map()).values()];
      let side = y;
      const shown = wide ? 2 : 0;
      others.slice(0, shown).forEach(function (o) {
        const b = box(picture, 4, side, SIDE, o.w.who, o.w.type, 'waits: ' + o.w.text + (o.n > 1 ? ' (and ' + (o.n - 1) + ' more)' : ''), '');
        const to = Math.min(side + 20, place.y + place.height - 8);
        svg('path', { d: 'M' + (4 + SIDE) + ',' + (side + 20) + ' L' + (left - 2) + ',' + to, 'marker-end': 'url(#arrow)' }, picture);
        side += b.height + 8;
      });
      if (others.length > shown) {
        const n = others.length - shown, text = (shown ? 'and ' : '') + n + (shown ? ' more' : '') + (n === 1 ? ' waits for it' : ' wait for it');
        svg('text', { class: 'quiet', x: wide ? 8 : left + width / 2 + 12, y: wide ? side + 8 : place.y + place.height + 19 }, picture, text);
        side += wide ? 20 : 0;
      }
      places.push(place);
      y = Math.max(y + place.height, side - 8) + 30;
    }
    for (let i = 0; i + 1 < places.length; i++) {
      const knot = list[i].cls === 'knot', from = places[i].y + places[i].height;
      svg('path', { class: knot ? 'knot' : '', d: 'M' + (left + width / 2) + ',' + from + ' L' + (left + width / 2) + ',' + (places[i + 1].y - 2),
        'marker-end': knot ? 'url(#arrow-knot)' : 'url(#arrow)' }, picture);
    }
    if (start >= 0) {
      const a = places[places.length - 1], b = places[start], x = left + width, y1 = a.y + a.height / 2, y2 = b.y + b.height / 2;
      svg('path', { class: 'knot', d: 'M' + x + ',' + y1 + ' C' + (x + TURN) + ',' + y1 + ' ' + (x + TURN) + ',' + y2 + ' ' + (x + 2) + ',' + y2,
        'marker-end': 'url(#arrow-knot)' }, picture);
    }
    const all = left + width + TURN + 4;
    picture.setAttribute('viewBox', '0 0 ' + all + ' ' + (y - 22));
    picture.setAttribute('width', all);
    picture.setAttribute('height', y - 22);
    element.append(picture);
    picture.querySelectorAll('g text').forEach(function (t) { /* lines are cut by letters of a usual width; one of wide ones is drawn closer */
      const most = Number(t.parentNode.querySelector('.box').getAttribute('width')) - 2 * PAD;
      if (t.getComputedTextLength() <= most) return;
      t.setAttribute('textLength', most);
      t.setAttribute('lengthAdjust', 'spacingAndGlyphs');
    });
    return true;
  }

  MON.graph = { draw: draw, reason: reason };
})();
