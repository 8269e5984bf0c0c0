// Wheel, pointer, touch and keyboard on the timeline. Everything that a pointer can do, the keyboard can, too.

const KEY_PAN = 0.2;
const KEY_ZOOM = 0.6;

// `control` has zoom(factor, clientX | null), pan(part of the window), dragBy(pixels), move({lanes, items}), edge(first),
// hover(event), leave(), choose(event), zoomToActive(), clear(), fit() and follow().
export function listen(element, control) {
  listenToWheel(element, control);
  listenToPointers(element, control);
  element.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = keys(event, control);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function keys(event, control) {
  if (event.shiftKey && event.key === 'ArrowLeft') return () => control.pan(-KEY_PAN);
  if (event.shiftKey && event.key === 'ArrowRight') return () => control.pan(KEY_PAN);
  return {
    '+': () => control.zoom(KEY_ZOOM, null),
    '=': () => control.zoom(KEY_ZOOM, null),
    '-': () => control.zoom(1 / KEY_ZOOM, null),
    0: () => control.fit(),
    l: () => control.follow(),
    ArrowLeft: () => control.move({ lanes: 0, items: -1 }),
    ArrowRight: () => control.move({ lanes: 0, items: 1 }),
    ArrowUp: () => control.move({ lanes: -1, items: 0 }),
    ArrowDown: () => control.move({ lanes: 1, items: 0 }),
    PageUp: () => control.move({ lanes: -10, items: 0 }),
    PageDown: () => control.move({ lanes: 10, items: 0 }),
    Home: () => control.edge(true),
    End: () => control.edge(false),
    Enter: () => control.zoomToActive(),
    Escape: () => control.clear(),
  }[event.key];
}

// Over the pictures the wheel zooms, as in other tools for traces; with Shift, or sideways, it pans. Over the names it
// scrolls the lanes. A pinch on a touch pad arrives as a wheel with Ctrl.
function listenToWheel(element, control) {
  element.addEventListener(
    'wheel',
    (event) => {
      const name = event.target.closest?.('.lane-name, .corner');
      if (name && !event.ctrlKey) return;
      event.preventDefault();
      const lines = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
      const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
      if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) control.dragBy(-sideways * lines);
      else control.zoom(Math.exp(event.deltaY * lines * (event.ctrlKey ? 0.01 : 0.002)), event.clientX);
    },
    { passive: false },
  );
}

// One pointer drags: sideways through time and, with a mouse, up and down through the lanes. Two fingers pinch.
function listenToPointers(element, control) {
  const down = new Map();
  let moved = 0;

  element.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || event.target.closest('.lane-name, .corner')) return;
    down.set(event.pointerId, event);
    moved = 0;
  });

  element.addEventListener('pointermove', (event) => {
    // A button that was released outside of the browser has told nobody.
    if (event.buttons === 0) down.delete(event.pointerId);
    const before = down.get(event.pointerId);
    if (!before) return control.hover(event);
    down.set(event.pointerId, event);
    moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
    // A click shakes a little. From here on the pointer belongs to the chart, even if it leaves it.
    if (moved < 4) return;
    element.setPointerCapture(event.pointerId);
    if (down.size === 2) return pinch(down, event, before, control);
    control.dragBy(event.clientX - before.clientX);
    if (event.pointerType === 'mouse') element.scrollTop -= event.clientY - before.clientY;
  });

  const up = (event) => {
    if (down.delete(event.pointerId) && moved < 4 && event.type === 'pointerup') control.choose(event);
  };
  element.addEventListener('pointerup', up);
  element.addEventListener('pointercancel', up);
  element.addEventListener('pointerleave', () => control.leave());
  element.addEventListener('dblclick', () => control.zoomToActive());
}

function pinch(down, event, before, control) {
  const other = [...down.values()].find((pointer) => pointer.pointerId !== event.pointerId);
  const was = Math.abs(before.clientX - other.clientX);
  const is = Math.abs(event.clientX - other.clientX);
  // Fingers that are above each other have no distance in time.
  if (was < 10 || is < 10) return;
  control.zoom(was / is, (event.clientX + other.clientX) / 2);
}
