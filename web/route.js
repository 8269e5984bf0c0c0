// What is shown, as text behind the # of the address, so that a view can be shared: #sessions?q=shop&sort=latency. Pure.

export const VIEWS = ['overview', 'sessions', 'locks', 'elections', 'timeline', 'events'];

// Anybody can write anything into a link: what is unknown is ignored.
export function parseRoute(hash) {
  const text = hash.startsWith('#') ? hash.slice(1) : hash;
  const mark = text.indexOf('?');
  const name = mark < 0 ? text : text.slice(0, mark);
  const parameters = Object.fromEntries(new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1)));
  return { view: VIEWS.includes(name) ? name : 'overview', parameters };
}

export function formatRoute({ view, parameters }) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== null && value !== '');
  return given.length === 0 ? `#${view}` : `#${view}?${new URLSearchParams(given)}`;
}

// The page, counted from 1, that a route asks for.
export function pageOf(parameters) {
  const page = Number(parameters.page);
  return Number.isSafeInteger(page) && page >= 1 && page <= 1_000_000 ? page : 1;
}
