import { expect, type Page } from '@playwright/test';

/** Texts that would run if any of them became markup, script or a link. */
export const IMAGE = '<img src=x onerror="window.hit=1">';
export const SCRIPT = '"><script>window.hit=1</script>';
export const LINK = 'javascript:window.hit=1';
export const MARKDOWN = '[press](javascript:window.hit=1) ${window.hit=1} {{hit=1}}';

/** Fails when any of it became more than text. */
export async function expectNoXss(page: Page): Promise<void> {
  const found = await page.evaluate(() => ({
    hit: Reflect.get(globalThis, 'hit') ?? null,
    images: document.querySelectorAll('img[src="x"]').length,
    links: [...document.querySelectorAll('a')].filter(
      ({ protocol, origin }) => protocol === 'javascript:' || origin !== location.origin,
    ).length,
    handlers: document.querySelectorAll('[onerror], [onmouseover]').length,
  }));
  expect(found).toEqual({ hit: null, images: 0, links: 0, handlers: 0 });
}
