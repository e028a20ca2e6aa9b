const whole = new Intl.NumberFormat('en');
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const exactTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** `12,345`. */
export function formatCount(count: number): string {
  return whole.format(Math.round(count));
}

/** `12,345` up to 9,999, then `12.3K`, `4.5M`. */
export function formatShortCount(count: number): string {
  return Math.abs(count) < 10_000 ? formatCount(count) : short.format(count);
}

/** `1 request`, `2 requests`. */
export function pluralize(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** `340 ms`, `2.4 s`, `3 min 5 s`, `2 h 10 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1) return '< 1 ms';
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `812 B`, `3.4 KiB`, `1.2 GiB`; 1,024 of one are one of the next, as in the settings and on the command line. */
export function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const amount = bytes / 1_024 ** step;
  return `${step === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[step] ?? ''}`;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `now`, `12 s ago`, `5 min ago`, `3 h ago`, `2 d ago`. Times ahead of the clock count as now. */
export function formatRelativeTime(at: number, now: number): string {
  const age = now - at;
  if (age < 2 * SECOND) return 'now';
  if (age < MINUTE) return `${Math.floor(age / SECOND)} s ago`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`;
  return `${formatCount(Math.floor(age / DAY))} d ago`;
}

/** Date and time in the manner of the person's place. */
export function formatTimestamp(at: number): string {
  return exactTime.format(at);
}
