import type { Page } from '@playwright/test';
import { openVisitor } from '../browser.ts';
import { startCommand } from '../command.ts';
import { type Pace, watchFrames } from '../frames.ts';
import { type Measure, Rows } from '../measure.ts';
import { askingFor, openTextService, piecesOf, type Telling } from '../text-service.ts';
import { type TextKind, textOf } from '../texts.ts';

const ANSWER_MS = 120_000;

/** A long answer of each kind as it comes, in the chat of a real browser; beside it the same text as plain text in the same browser. */
export const measureChat: Measure = async ({ scale }) => {
  const telling = scale.chat;
  await using service = await openTextService(telling);
  await using command = await startCommand(service.url);
  await using visitor = await openVisitor(command.link);
  if (visitor === null) return [];
  const rows = new Rows('chat');
  for (const kind of telling.kinds) {
    const plain = await showPlain(
      await visitor.newcomer(),
      piecesOf(textOf(kind, telling.bytes), telling),
    );
    const page = await visitor.newcomer();
    await page.goto(new URL('/chat', command.link).href);
    const chat = await showAnswer(page, kind, telling);
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

async function showAnswer(page: Page, kind: TextKind, { bytes }: Telling): Promise<Pace> {
  const input = page.getByRole('textbox', { name: 'Message', exact: true });
  // What one does not measure: fetching the parts of the page that only answers need.
  await ask(page, askingFor('mixed'));
  await page.getByRole('button', { name: 'New conversation' }).click();
  await page.getByRole('article').first().waitFor({ state: 'detached' });
  const pace = await watchFrames(page.getByRole('main'));
  await ask(page, askingFor(kind));
  const seen = await pace();
  const shown = await page.getByRole('article').last().innerText();
  if (shown.length < bytes / 100) throw new Error(`Of ${bytes} bytes ${shown.length} were shown.`);
  await input.waitFor();
  return seen;
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
async function showPlain(page: Page, pieces: readonly string[]): Promise<Pace> {
  await page.setContent('<pre style="white-space: pre-wrap"></pre>');
  const plain = page.locator('pre');
  const pace = await watchFrames(plain);
  await plain.evaluate(async (element, all) => {
    for (const piece of all) {
      element.append(piece);
      element.scrollIntoView({ block: 'end' });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }, pieces);
  const seen = await pace();
  await page.context().close();
  return seen;
}
