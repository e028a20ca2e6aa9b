import { join } from 'node:path';
import { expect, type Locator, type Page, test } from '@playwright/test';

const FOLDER = join(import.meta.dirname, '..', '..', '..', 'docs', 'screens');

/** A heading or control in an accessibility snapshot of Playwright: `- button "Copy"`. */
const CONTROL =
  /^\s*- '?((?:button|checkbox|columnheader|combobox|heading|link|menuitem|radio|region|searchbox|switch|tab|term|textbox)(?: "(?:[^"\\]|\\.)*")?)/u;

/** Saves a screenshot as `docs/screens/FILE` when snapshots are updated (`npm run screens`). Otherwise nothing is written. */
export async function savePicture(page: Page, file: string): Promise<void> {
  if (test.info().config.updateSnapshots !== 'all') return;
  await page.screenshot({ path: join(FOLDER, file), animations: 'disabled' });
}

/**
 * Compares the headings and controls of a part of a page with those that its screenshot was taken with, without numbers and months. A
 * difference means that the screenshot is out of date; the test goes on, so that all such screenshots are named.
 */
export async function expectCurrentPicture(part: Locator, name: string): Promise<void> {
  const text = listControls(await part.ariaSnapshot());
  expect
    .soft(text, `The screenshots “${name}” are out of date: run npm run screens.`)
    .toMatchSnapshot(`${name}.txt`);
}

/**
 * Lists each control once: how many rows are loaded depends on the moment, and so does whether a sum of today contains an
 * estimate.
 */
function listControls(snapshot: string): string {
  const controls = snapshot.split('\n').flatMap((line) => CONTROL.exec(line)?.[1] ?? []);
  const names = controls.map((control) =>
    control
      .replaceAll(/~?\$[\d.,]*\d/gu, '$$#')
      .replaceAll(/[\d.,]*\d/gu, '#')
      .replaceAll(/# (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/gu, '# Month')
      .replaceAll(/(?<! for) now(?="|$)/gu, ' # s ago'),
  );
  return `${[...new Set(names)].toSorted().join('\n')}\n`;
}
