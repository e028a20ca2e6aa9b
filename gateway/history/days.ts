/** Number of days that a window shows. */
const DAYS = 30;

/** Lists the last 30 local calendar days up to the one of `now` (Unix milliseconds), oldest first, as `2026-11-21`. */
export function listLastDays(now: number): string[] {
  const today = new Date(now);
  return Array.from({ length: DAYS }, (_, index) => {
    const ago = DAYS - 1 - index;
    // Noon exists on every day, even where the clock moves forward at midnight.
    return toDay(
      new Date(today.getFullYear(), today.getMonth(), today.getDate() - ago, 12).getTime(),
    );
  });
}

/** Returns the local calendar day of a Unix time in milliseconds. */
export function toDay(time: number): string {
  const date = new Date(time);
  return `${date.getFullYear()}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`;
}

/** Returns the first moment of a local calendar day, in Unix milliseconds. */
export function startOfDay(day: string): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date).getTime();
}

function padTwo(part: number): string {
  return String(part).padStart(2, '0');
}
