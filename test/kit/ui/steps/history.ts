import { readFile } from 'node:fs/promises';
import type { Download, Locator, Page } from '@playwright/test';

export function findList(page: Page): Locator {
  return page.getByRole('grid', { name: 'Exchanges' });
}

/** The rows on the page, without the head. */
export function findRows(page: Page): Locator {
  return findList(page).locator('[role="row"]:not(:has([role="columnheader"]))');
}

export async function readText(download: Download): Promise<string> {
  return await readFile(await download.path(), 'utf8');
}
