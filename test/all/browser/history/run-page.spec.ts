import { pathToFileURL } from 'node:url';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import type { Harness } from '../../../kit/ui/harness.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { openRuns, TASK } from '../../../kit/ui/steps/runs.ts';
import { expectNoXss, IMAGE, LINK, MARKDOWN, SCRIPT } from '../../../kit/ui/xss-payloads.ts';

const HARM = `</pre></style></title></script>${IMAGE}${SCRIPT}${MARKDOWN}<a href="${LINK}">a</a>`;
/** A square of ten pixels. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

/** Works as an agent whose every text is hostile. */
async function actWithHarm(harness: Harness): Promise<void> {
  const tools = [
    { name: `${HARM} tool`, description: HARM, input_schema: { type: 'object', title: HARM } },
  ];
  const ask = async (messages: readonly object[], model = 'aurora/aurora-large') =>
    await harness.ask({
      protocol: 'messages',
      body: { model, max_tokens: 256, system: `Be brief. ${HARM}`, tools, messages },
    });
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: PICTURE },
  };
  const task = {
    role: 'user',
    content: [{ type: 'text', text: `${TASK.content} ${HARM}` }, image],
  };
  await ask([task]);
  const call = { type: 'tool_use', id: 'call-1', name: `${HARM} tool`, input: { path: HARM } };
  const result = { type: 'tool_result', tool_use_id: 'call-1', is_error: true, content: HARM };
  const more = [
    { role: 'assistant', content: [{ type: 'text', text: HARM }, call] },
    { role: 'user', content: [result, { type: 'text', text: 'Mend it.' }] },
  ];
  await ask([task, ...more]);
  await ask([task, ...more, { role: 'user', content: 'And again.' }], HARM);
}

test('a run is saved as one page, in which hostile texts stay texts', async ({
  page,
  harness,
  context,
}, info) => {
  await actWithHarm(harness);
  await openRuns(page, harness);
  const run = page.getByRole('article', { name: TASK.content });
  await expect(run).toContainText('3 steps');
  const download = page.waitForEvent('download');
  await run.getByRole('button', { name: 'Export this run' }).click();
  await page.getByRole('menuitem', { name: 'Page, for any browser' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^gatehouse-run-[\da-f]{16}\.html$/u);
  const path = info.outputPath('run.html');
  await file.saveAs(path);

  const saved = await context.newPage();
  const requests: string[] = [];
  saved.on('request', (request) => requests.push(request.url()));
  await saved.goto(pathToFileURL(path).href);
  await expect(saved.getByRole('heading', { level: 1 })).toContainText(TASK.content);
  await expect(saved.getByRole('article')).toHaveCount(3);
  const steps = saved.getByRole('article');
  await expect(steps.nth(0)).toContainText(HARM.slice(0, 40));
  await expect(steps.nth(1)).toContainText(`Result of ${HARM} tool, an error`);
  await expect(steps.nth(1)).toContainText('2 messages of step 1 are left out.');
  await expect(steps.nth(2)).toContainText('Failed: 404');
  await expect(saved.getByRole('img', { name: 'An image of this message' })).toHaveCount(1);
  for (const fold of await saved.locator('summary').all()) {
    // A definition of a tool is within the fold of all of them, which is opened first.
    await fold.press('Enter');
  }
  expect(await saved.locator('details:not([open])').count()).toBe(0);
  await expectNoXss(saved);
  await expectAccessible(saved);
  await saved.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(saved);
  await saved.setViewportSize({ width: 420, height: 800 });
  expect(await saved.evaluate(() => document.documentElement.scrollWidth)).toBe(420);
  expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(path).href]);
  expect(await saved.locator('script, iframe, object, form, [style*="url"]').count()).toBe(0);
});

test('the contents of a saved page lead to its steps with the keyboard', async ({
  page,
  harness,
  context,
}, info) => {
  await actWithHarm(harness);
  const run = await openRuns(page, harness);
  await expect(run).toHaveCount(0);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export this run' }).click();
  await page.getByRole('menuitem', { name: 'Page, for any browser' }).click();
  const path = info.outputPath('run.html');
  await (await download).saveAs(path);
  const saved = await context.newPage();
  await saved.goto(pathToFileURL(path).href);
  const contents = saved.getByRole('navigation', { name: 'Contents' });
  await contents.getByText('Contents').press('Enter');
  await contents.getByRole('link').nth(1).press('Enter');
  await expect(saved.getByRole('article').nth(1)).toBeInViewport();
  expect(await saved.evaluate(() => document.querySelector(':target')?.tagName)).toBe('ARTICLE');
});
