const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 } as const;

/** A time of a person. `day`: it names a whole day, of which `at` is the beginning. Unix milliseconds. */
export interface PersonTime {
  readonly at: number;
  readonly day: boolean;
}

/** Parses a length of time such as `30m`, `2h`, `3d` or `1w`. Returns milliseconds; `null` when it is none. */
export function parseSpan(text: string): number | null {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/u.exec(text.toLowerCase()) ?? [];
  return count !== undefined && isUnit(unit) ? Number(count) * UNITS_MS[unit] : null;
}

function isUnit(unit: string | undefined): unit is keyof typeof UNITS_MS {
  return unit !== undefined && Object.hasOwn(UNITS_MS, unit);
}

/** Parses a local date such as `2026-11-21` or a time such as `2026-11-21T09:30`; `null` for anything else. */
export function parseTime(text: string): PersonTime | null {
  const at = parseIsoTime(text);
  return at === null ? null : { at, day: text.length === DATE_LENGTH };
}

/** Returns the beginning of the local day so many days after a time. Days may have 23 or 25 hours. */
export function startOfDay(at: number, days: number): number {
  const day = new Date(at);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + days).getTime();
}

/** Length of a date such as `2026-12-01`. */
const DATE_LENGTH = 10;

const ISO =
  /^(\d{4}-\d{2}-(\d{2}))(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?)(Z|[+-]\d{2}:\d{2})?)?$/iu;

/** A date alone is its beginning here, where JavaScript takes it for one in UTC. */
function parseIsoTime(text: string): number | null {
  const [, date, day, time = '00:00', zone = ''] = ISO.exec(text) ?? [];
  if (date === undefined) return null;
  const at = Date.parse(`${date}T${time}${zone.toUpperCase()}`);
  // JavaScript takes 30 February for a day in March.
  const exists = new Date(`${date}T00:00`).getDate() === Number(day);
  return Number.isNaN(at) || !exists ? null : at;
}
