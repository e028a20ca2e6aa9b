import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MODULE = fileURLToPath(new URL('../../../gateway/spend-limits/period.ts', import.meta.url));

/** Prints the lengths of the days and of the month around a moment, in hours, in a time zone. */
async function lengthsAt(zone: string, moment: string): Promise<number[]> {
  const code = `
    const { calendarPeriod } = await import(${JSON.stringify(MODULE)});
    const at = new Date(${JSON.stringify(moment)}).getTime();
    const hours = ['day', 'week', 'month'].map((period) => {
      const { from, to } = calendarPeriod(period, at);
      for (let one = from; one < to; one += 900_000) {
        const found = calendarPeriod(period, one);
        if (found.from !== from || found.to !== to) throw new Error(period + ' ' + one);
      }
      return (to - from) / 3_600_000;
    });
    console.log(JSON.stringify(hours));`;
  const args = ['--input-type=module', '--eval', code];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env: { ...process.env, TZ: zone },
  });
  return JSON.parse(stdout);
}

test.each([
  // Clocks go forward, back, at midnight, by half an hour; and a day that does not exist.
  ['Europe/Berlin', '2026-03-29T12:00:00Z', [23, 167, 743]],
  ['Europe/Berlin', '2026-10-25T12:00:00Z', [25, 169, 745]],
  ['America/Sao_Paulo', '2018-11-04T12:00:00Z', [23, 167, 719]],
  ['Australia/Lord_Howe', '2026-04-05T04:00:00Z', [24.5, 168.5, 720.5]],
  ['Asia/Kolkata', '2026-02-10T12:00:00Z', [24, 168, 672]],
  ['UTC', '2024-02-10T12:00:00Z', [24, 168, 696]],
])('in %s at %s the day, the week and the month have %j hours', async (zone, moment, hours) => {
  expect(await lengthsAt(zone, moment)).toEqual(hours);
});
