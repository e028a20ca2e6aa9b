import type { Page } from '@playwright/test';
import { openBrowserSession } from '../browser.ts';
import { startCommand } from '../command-process.ts';
import { type FramePace, watchFrames, watchGrowth } from '../frames.ts';
import { type Measure, Rows } from '../measure.ts';
import { promptFor, openTextService, splitIntoChunks, type StreamSpeed } from '../text-service.ts';
import { type TextKind, makeText } from '../data/texts.ts';

/** Longest time without a frame in which typing still feels immediate, in milliseconds. */
const LONGEST_MS = 50;
const ANSWER_MS = 120_000;
const LOOK_MS = 100;
/** The answers that have ended. */
const ENDED = 'article[aria-busy="false"]';

/** Timing of a text's rendering. */
interface RenderedPace extends FramePace {
  /** The longest time without more of the text, in milliseconds. */
  readonly still: number;
}

/** Measures the rendering of a long streamed answer of each kind in the chat of a real browser, compared with plain text in the same browser. */
export const measureChat: Measure = async ({ scale }) => {
  const speed = scale.chat;
  await using service = await openTextService(speed);
  await using command = await startCommand(service.url);
  await using session = await openBrowserSession(command.link);
  if (session === null) return [];
  const rows = new Rows('chat');
  for (const kind of speed.kinds) {
    const plain = await renderPlain(
      await session.openFreshPage(),
      splitIntoChunks(makeText(kind, speed.bytes), speed),
    );
    const page = await session.openFreshPage();
    await page.goto(new URL('/chat', command.link).href);
    const chat = await renderAnswer(page, kind, speed);
    await page.context().close();
    const what = `${Math.round(speed.bytes / 1000)} kB of ${kind}: longest time without a frame`;
    rows.add([`${kind}.longest`, what], 'ms', {
      values: { direct: plain.longest, gateway: chat.longest },
      ...(kind === 'mixed' ? { goal: { atMost: LONGEST_MS } } : {}),
    });
    rows.add([`${kind}.late`, 'time in gaps of more than 50 ms'], '%', {
      values: { direct: 100 * plain.late, gateway: 100 * chat.late },
    });
    rows.add([`${kind}.still`, 'longest time without more of the text'], 'ms', {
      values: { direct: plain.still, gateway: chat.still },
    });
  }
  return rows.rows;
};

async function renderAnswer(
  page: Page,
  kind: TextKind,
  { bytes }: StreamSpeed,
): Promise<RenderedPace> {
  const input = page.getByRole('textbox', { name: 'Message', exact: true });
  // Loads the parts of the page that only answers need, which is not measured.
  await ask(page, promptFor('mixed'));
  await page.getByRole('button', { name: 'New conversation', exact: true }).click();
  await page.getByRole('article').first().waitFor({ state: 'detached' });
  const readPace = await watchPace(page, 'article[aria-busy]');
  await ask(page, promptFor(kind));
  await waitForText(page, bytes / 100);
  const how = await readPace();
  await input.waitFor();
  return how;
}

/** Starts to record the rendering of the last element that the selector finds. Returns a function that reads the timing. */
async function watchPace(page: Page, selector: string): Promise<() => Promise<RenderedPace>> {
  const [pace, still] = [await watchFrames(page), await watchGrowth(page, selector)];
  return async () => ({ ...(await pace()), still: await still() });
}

/** Sends a message and waits for the complete answer. */
async function ask(page: Page, text: string): Promise<void> {
  const before = await page.locator(ENDED).count();
  const input = page.getByRole('textbox', { name: 'Message', exact: true });
  await input.fill(text);
  await input.press('Enter');
  await waitForEnd(page, before);
}

/**
 * Waits until more than `before` answers have ended. It looks by a selector: Playwright's search by role takes up to 0.3 s in
 * a long answer, in which the page draws no frame.
 */
async function waitForEnd(page: Page, before: number): Promise<void> {
  await page.waitForFunction(
    ({ ended, count }) => document.querySelectorAll(ended).length > count,
    { ended: ENDED, count: before },
    { polling: LOOK_MS, timeout: ANSWER_MS },
  );
}

/** Waits until the last answer shows that many characters: rows of a table may be drawn after its end. */
async function waitForText(page: Page, length: number): Promise<void> {
  await page.waitForFunction(
    ({ ended, atLeast }) =>
      ([...document.querySelectorAll(ended)].at(-1)?.textContent.length ?? 0) >= atLeast,
    { ended: ENDED, atLeast: length },
    { polling: LOOK_MS, timeout: ANSWER_MS },
  );
}

/** Appends the same chunks at the same pace to one plain-text element, and scrolls to its end. */
async function renderPlain(page: Page, chunks: readonly string[]): Promise<RenderedPace> {
  await page.setContent('<pre style="white-space: pre-wrap"></pre>');
  const readPace = await watchPace(page, 'pre');
  await page.locator('pre').evaluate(async (element, all) => {
    for (const chunk of all) {
      element.append(chunk);
      element.scrollIntoView({ block: 'end' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }, chunks);
  const how = await readPace();
  await page.context().close();
  return how;
}
