// Times, durations and counts as text. Pure.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const counts = new Intl.NumberFormat('en');

export const count = (number) => counts.format(number);

export const plural = (number, noun, nouns = `${noun}s`) => `${count(number)} ${number === 1 ? noun : nouns}`;

const two = (number) => String(number).padStart(2, '0');
const three = (number) => String(number).padStart(3, '0');

// A length of time with about three digits: what is short is exact, what is long is readable.
export function duration(ms) {
  if (ms < 0) return `−${duration(-ms)}`;
  // The limits are where rounding would reach the next unit: 59,999 ms are "1 min 00 s", not "60.0 s".
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 9_995) return `${(ms / SECOND).toFixed(2)} s`;
  if (ms < 59_950) return `${(ms / SECOND).toFixed(1)} s`;
  const seconds = Math.round(ms / SECOND);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`;
  const minutes = Math.round(ms / MINUTE);
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  const hours = Math.round(ms / HOUR);
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

// A length of time to the millisecond, for the details of the timeline.
export function exactDuration(ms) {
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < MINUTE) return `${(ms / SECOND).toFixed(3)} s`;
  const days = Math.floor(ms / DAY);
  const hours = Math.floor((ms % DAY) / HOUR);
  const minutes = Math.floor((ms % HOUR) / MINUTE);
  const seconds = ((ms % MINUTE) / SECOND).toFixed(3);
  return [days && `${days} d`, (days || hours) && `${hours} h`, `${minutes} min`, `${seconds} s`].filter(Boolean).join(' ');
}

// What is left until something happens. One decimal, and always the same one, so that the figures do not jump about.
export function countdown(ms) {
  if (ms <= 0) return '0.0 s';
  return ms < MINUTE ? `${(Math.floor(ms / 100) / 10).toFixed(1)} s` : duration(ms);
}

// How long ago something was, in the coarsest unit that still tells.
export function ago(ms) {
  if (ms < SECOND) return 'just now';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s ago`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ago`;
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h ago`;
  return `${Math.floor(ms / DAY)} d ago`;
}

export function timeOfDay(at) {
  const date = new Date(at);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${three(date.getMilliseconds())}`;
}

export function dateOf(at) {
  const date = new Date(at);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

// With the date only where the day is not today's.
export function moment(at, now) {
  return dateOf(at) === dateOf(now) ? timeOfDay(at) : `${dateOf(at)} ${timeOfDay(at)}`;
}

// Three digits of a latency are enough: "0.8 ms" and "842 ms" both fit into the same column.
export function latency(ms) {
  if (ms >= SECOND) return `${(ms / SECOND).toFixed(ms < 10 * SECOND ? 2 : 1)} s`;
  return Number.isInteger(ms) || ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
}
