import type { Page } from '@playwright/test';
import { z } from 'zod';
import {
  measureFirstPaint,
  measureFirstPanel,
  openBrowserSession,
  measureCompressedSize,
  type BrowserSession,
} from '../browser.ts';
import { startCommand } from '../command-process.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import { watchFrames } from '../frames.ts';
import { fillHistory, openHistoryFolder } from '../data/full-history.ts';
import { openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

/** Ten rows per frame are 600 per second: fast scrolling with a wheel. */
const ROWS_PER_FRAME = 10;
const ROW_PX = 32;

/** Measures the window in a real browser: its first screen, and the history list while very many exchanges are recorded. */
export const measureWindow: Measure = async ({ scale }) => {
  const { rows: count, loads, perSecond, seconds } = scale.window;
  await using testBed = await openTestBed({
    service: 'instant',
    targets: ['direct'],
    profileDir: null,
  });
  await using command = await startCommand(
    testBed.targets[0]?.url ?? '',
    async (folder) => await fillFolder(folder, count),
  );
  await using session = await openBrowserSession(command.link);
  if (session === null) return [];
  const home = new URL('/', command.link).href;
  const rows = new Rows('window');
  const visits = await measureVisits(session, home, loads);
  rows.add(['paint', 'the window: first contentful paint, median'], 'ms', {
    values: { gateway: median(visits.map(({ paint }) => paint)) },
    goal: { atMost: 500 },
  });
  rows.add(['panels', 'panels of the first screen, median'], 'ms', {
    values: { gateway: median(visits.map(({ panel }) => panel)) },
  });
  rows.add(['size', 'scripts and styles of the first screen, gzip'], 'kB', {
    values: { gateway: (await measureCompressedSize(await session.openFreshPage(), home)) / 1000 },
    goal: { atMost: 250 },
  });
  const page = await session.openFreshPage();
  await page.goto(new URL('/history', home).href);
  await page.getByRole('main').waitFor();
  const pace = await watchFrames(page);
  const plan = {
    target: command.target,
    body: REQUEST_BODY,
    expected: ANSWER_BODY,
    perSecond,
    seconds,
  };
  await testBed.caller.call('paced', plan, z.number());
  rows.add(
    ['burst', `${perSecond} exchanges/s for ${seconds} s: longest time without a frame`],
    'ms',
    { values: { gateway: (await pace()).longest }, goal: { atMost: 300 } },
  );
  rows.add(['blank', `scrolling through ${count} exchanges: frames with a blank row`], '%', {
    values: { gateway: 100 * (await blankFrames(page, scale.window.frames)) },
    goal: { atMost: 0 },
  });
  return rows.rows;
};

async function fillFolder(folder: string, count: number): Promise<void> {
  const now = Date.now();
  const { history, close } = await openHistoryFolder(folder, now);
  await fillHistory(history, { count, end: now });
  await close();
}

/** Scrolls the list down, `ROWS_PER_FRAME` at a time, and returns the share of frames in which a visible row was not loaded yet. */
async function blankFrames(page: Page, frames: number): Promise<number> {
  return await page.getByRole('grid').evaluate(
    async (grid, plan) => {
      let blank = 0;
      for (let frame = 0; frame < plan.frames; frame += 1) {
        grid.scrollTop += plan.pixels;
        await new Promise(requestAnimationFrame);
        const { top, bottom } = grid.getBoundingClientRect();
        const isBlank = [...grid.querySelectorAll('[data-absent]')].some((row) => {
          const box = row.getBoundingClientRect();
          return box.bottom > top && box.top < bottom;
        });
        if (isBlank) blank += 1;
      }
      return blank / plan.frames;
    },
    { frames, pixels: ROWS_PER_FRAME * ROW_PX },
  );
}

/** Times from the start of a navigation, in milliseconds. */
interface Visit {
  readonly paint: number;
  readonly panel: number;
}

async function measureVisits(
  session: BrowserSession,
  url: string,
  loads: number,
): Promise<readonly Visit[]> {
  const visits: Visit[] = [];
  for (let load = 0; load < loads; load += 1) {
    const page = await session.openFreshPage();
    await page.goto(url);
    visits.push({ panel: await measureFirstPanel(page), paint: await measureFirstPaint(page) });
    await page.context().close();
  }
  return visits;
}
