import type { Page } from '@playwright/test';
import { z } from 'zod';
import { firstPaint, openVisitor, packedSize, type Visitor } from '../browser.ts';
import { startCommand } from '../command.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../exchange.ts';
import { openLineup } from '../lineup.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

/** The window in a real browser: its first screen, and the list of the history while very many exchanges come in. */
export const measureWindow: Measure = async ({ scale }) => {
  const { loads, perSecond, seconds } = scale.window;
  await using lineup = await openLineup({
    service: 'instant',
    doors: ['direct'],
    profileDir: null,
  });
  await using command = await startCommand(lineup.doors[0]?.url ?? '');
  await using visitor = await openVisitor(command.link);
  if (visitor === null) return [];
  const home = new URL('/', command.link).href;
  const rows = new Rows('window');
  rows.add(['paint', 'the window: first thing seen, median'], 'ms', {
    values: { gateway: median(await paints(visitor, home, loads)) },
    goal: { atMost: 1000 },
  });
  rows.add(['size', 'scripts and styles of the first screen, gzip'], 'kB', {
    values: { gateway: (await packedSize(await visitor.newcomer(), home)) / 1000 },
    goal: { atMost: 350 },
  });
  const page = await visitor.newcomer();
  await page.goto(new URL('/history', home).href);
  await page.getByRole('main').waitFor();
  const pace = await watchFrames(page);
  const plan = {
    door: command.door,
    body: REQUEST_BODY,
    expected: ANSWER_BODY,
    perSecond,
    seconds,
  };
  await lineup.caller.ask('paced', plan, z.number());
  rows.add(
    ['burst', `${perSecond} exchanges/s for ${seconds} s: longest time without a frame`],
    'ms',
    { values: { gateway: await pace() }, goal: { atMost: 300 } },
  );
  return rows.rows;
};

async function paints(visitor: Visitor, url: string, loads: number): Promise<number[]> {
  const times: number[] = [];
  for (let load = 0; load < loads; load += 1) {
    const page = await visitor.newcomer();
    await page.goto(url);
    times.push(await firstPaint(page));
    await page.context().close();
  }
  return times;
}

/** Begins to watch a page's frames. What it returns tells the longest time between two of them, in milliseconds. */
async function watchFrames(page: Page): Promise<() => Promise<number>> {
  const watch = await page.evaluateHandle(() => {
    const pace = { longest: 0, last: performance.now() };
    const look = (now: number): void => {
      pace.longest = Math.max(pace.longest, now - pace.last);
      pace.last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return pace;
  });
  return async () => await watch.evaluate(({ longest }) => longest);
}
