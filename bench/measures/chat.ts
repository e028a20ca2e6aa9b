import type { Page } from '@playwright/test';
import { openBrowserSession } from '../browser.ts';
import { startCommand } from '../command-process.ts';
import { type FramePace, watchFrames, watchGrowth } from '../frames.ts';
import { type Measure, Rows } from '../measure.ts';
import { promptFor, openTextService, splitPieces, type StreamSpeed } from '../text-service.ts';
import { type TextKind, makeText } from '../data/texts.ts';

const ANSWER_MS = 120_000;

/** How a text was shown. */
interface RenderedPace extends FramePace {
  /** The longest time without more of it, in milliseconds. */
  readonly still: number;
}

/** A long answer of each kind as it comes, in the chat of a real browser; beside it the same text as plain text in the same browser. */
export const measureChat: Measure = async ({ scale }) => {
  const telling = scale.chat;
  await using service = await openTextService(telling);
  await using command = await startCommand(service.url);
  await using session = await openBrowserSession(command.link);
  if (session === null) return [];
  const rows = new Rows('chat');
  for (const kind of telling.kinds) {
    const plain = await renderPlain(
      await session.openFreshPage(),
      splitPieces(makeText(kind, telling.bytes), telling),
    );
    const page = await session.openFreshPage();
    await page.goto(new URL('/chat', command.link).href);
    const chat = await renderAnswer(page, kind, telling);
    await page.context().close();
    const what = `${Math.round(telling.bytes / 1000)} kB of ${kind}: longest time without a frame`;
    rows.add([`${kind}.longest`, what], 'ms', {
      values: { direct: plain.longest, gateway: chat.longest },
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
  // What one does not measure: fetching the parts of the page that only answers need.
  await ask(page, promptFor('mixed'));
  await page.getByRole('button', { name: 'New conversation', exact: true }).click();
  await page.getByRole('article').first().waitFor({ state: 'detached' });
  const seen = await watchPace(page, 'article[aria-busy]');
  await ask(page, promptFor(kind));
  const how = await seen();
  const shown = await page.getByRole('article').last().innerText();
  if (shown.length < bytes / 100) throw new Error(`Of ${bytes} bytes ${shown.length} were shown.`);
  await input.waitFor();
  return how;
}

/** Begins to watch how the text of the last element that the selector finds is shown. What it returns tells. */
async function watchPace(page: Page, selector: string): Promise<() => Promise<RenderedPace>> {
  const [pace, still] = [await watchFrames(page), await watchGrowth(page, selector)];
  return async () => ({ ...(await pace()), still: await still() });
}

/** Says something and waits until the answer is whole. */
async function ask(page: Page, text: string): Promise<void> {
  const done = page.getByRole('link', { name: 'In History' });
  const before = await done.count();
  const input = page.getByRole('textbox', { name: 'Message', exact: true });
  await input.fill(text);
  await input.press('Enter');
  await done.nth(before).waitFor({ timeout: ANSWER_MS });
}

/** The same pieces at the same pace behind each other in one element, whose end is kept in sight. */
async function renderPlain(page: Page, pieces: readonly string[]): Promise<RenderedPace> {
  await page.setContent('<pre style="white-space: pre-wrap"></pre>');
  const seen = await watchPace(page, 'pre');
  await page.locator('pre').evaluate(async (element, all) => {
    for (const piece of all) {
      element.append(piece);
      element.scrollIntoView({ block: 'end' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }, pieces);
  const how = await seen();
  await page.context().close();
  return how;
}
