import type { Locator, Page } from '@playwright/test';
import type { ChatSettings, ConversationId, LaneModel } from '../../../../shared/chat/chat.ts';
import { PLAIN_SETTINGS } from '../../../kit/ui/seed/conversations.ts';
import { seedLongConversation } from '../../../kit/ui/seed/long-conversation.ts';
import type { Harness } from '../../../kit/ui/harness.ts';
import { expect, test } from '../../../kit/ui/kit.ts';

const ECHO: LaneModel = { model: 'sandbox/echo', protocol: 'chat' };

interface StartOptions {
  readonly lanes?: readonly LaneModel[];
  readonly settings?: Partial<ChatSettings>;
}

/** Shows a conversation in which nothing has been sent. */
async function begin(
  { harness, page }: { readonly harness: Harness; readonly page: Page },
  { lanes = [ECHO], settings }: StartOptions = {},
): Promise<ConversationId> {
  const calls = await harness.calls();
  const { id } = await calls.chat.add({
    settings: { ...PLAIN_SETTINGS, ...settings },
    lanes: [...lanes],
  });
  await harness.open(page, `/chat?c=${id}`);
  return id;
}

function composer(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Message' });
}

async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press('Enter');
}

function thread(page: Page): Locator {
  return page.getByRole('log', { name: 'Conversation' });
}

function findUserMessages(page: Page): Locator {
  return thread(page).getByRole('article', { name: 'You' });
}

function findAnswers(page: Page, model = ECHO.model): Locator {
  return thread(page).getByRole('article', { name: model });
}

/** Reads the scroll position of the thread and its maximum. */
async function readScroll(page: Page): Promise<{ readonly top: number; readonly most: number }> {
  return await thread(page).evaluate((log) => ({
    top: log.scrollTop,
    most: log.scrollHeight - log.clientHeight,
  }));
}

test('an edited message and a retried answer keep every version', async ({ page, harness }) => {
  const id = await begin({ harness, page });
  await say(page, 'The first wording');
  await expect(findAnswers(page)).toContainText('The first wording');
  await expect(findAnswers(page)).toContainText('In History');
  await expect(composer(page)).toBeFocused();
  // The message stays in it until the engine has confirmed it, which may be after the answer.
  await expect(composer(page)).toHaveValue('');
  await composer(page).press('ArrowUp');
  const editor = page.getByRole('textbox', { name: 'Edited message' });
  await expect(editor).toBeFocused();
  await editor.press('Escape');
  await expect(editor).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
  await composer(page).press('ArrowUp');
  await editor.fill('The second wording');
  await editor.press('Enter');
  await expect(findAnswers(page)).toContainText('The second wording');
  await expect(findUserMessages(page)).toHaveCount(1);
  await expect(findUserMessages(page)).toContainText('2/2');
  await findAnswers(page).getByRole('button', { name: 'Retry', exact: true }).dblclick();
  await expect(findAnswers(page)).toContainText('2/2');
  await findUserMessages(page).getByRole('button', { name: 'Earlier version' }).click();
  await expect(findUserMessages(page)).toContainText('The first wording');
  await expect(findAnswers(page)).toContainText('The first wording');
  await expect(findAnswers(page)).not.toContainText('2/2');
  await page.reload();
  await expect(findUserMessages(page)).toContainText('The first wording');
  await findUserMessages(page).getByRole('button', { name: 'Later version' }).click();
  await expect(findAnswers(page)).toContainText('2/2');
  const { paths } = await (await harness.calls()).chat.open({ id });
  expect(paths[0]).toHaveLength(2);
});

test('the thread follows the answer at the end and stays in place when scrolled up', async ({
  page,
  harness,
}) => {
  await begin({ harness, page });
  const long = Array.from({ length: 400 }, (_, n) => `Line ${n}\n`).join('\n');
  await say(page, `${long}[scenario slow-stream=40]`);
  await expect(findAnswers(page)).toContainText('Line 4');
  await expect
    .poll(async () => {
      const { top, most } = await readScroll(page);
      return most - top;
    })
    .toBeLessThan(10);
  const newest = page.getByRole('button', { name: /^Newest/u });
  await expect(newest).toHaveCount(0);
  await thread(page).hover();
  await page.mouse.wheel(0, -120);
  await expect(newest).toContainText('an answer is in progress');
  const before = await readScroll(page);
  await expect
    .poll(async () => (await readScroll(page)).most, { message: 'the answer grows below' })
    .toBeGreaterThan(before.most + 200);
  expect((await readScroll(page)).top).toBe(before.top);
  await newest.click();
  await expect(newest).toHaveCount(0);
  const growing = await readScroll(page);
  await expect
    .poll(async () => (await readScroll(page)).top, { message: 'it is followed again' })
    .toBeGreaterThan(growing.top + 100);
  await page.keyboard.press('Escape');
  await expect(findAnswers(page)).toContainText('Stopped by you');
  await expect(thread(page)).toHaveAttribute('aria-busy', 'false');
});

test('a cut-off answer stays with its cause; suspected parameters can be omitted', async ({
  page,
  harness,
}) => {
  const id = await begin({ harness, page }, { settings: { temperature: 0.5 } });
  await say(page, 'One two three four five six seven eight nine ten [scenario cut-stream=4]');
  await expect(findAnswers(page)).toContainText('One two');
  const broken = findAnswers(page).getByRole('group', { name: 'The service cut off the answer' });
  await expect(broken.getByRole('button', { name: 'Try again' })).toBeVisible();
  await expect(
    page.getByRole('status').filter({ hasText: 'The service cut off the answer' }),
  ).toBeAttached();
  await say(page, 'What now? [scenario rejects-tuning]');
  const refused = findAnswers(page).last();
  await expect(refused).toContainText('The likely cause is temperature.');
  await refused.getByRole('button', { name: 'Retry without extra settings' }).click();
  await expect(refused).toContainText('sent without extra settings');
  await expect(refused).toContainText('2/2');
  await refused.getByRole('button', { name: 'Omit temperature from now on' }).click();
  await expect(refused).not.toContainText('It worked without temperature.');
  const { settings } = (await (await harness.calls()).chat.open({ id })).conversation;
  expect(settings.temperature).toBeNull();
});

test('two models answer side by side until one of them is continued', async ({ page, harness }) => {
  const small: LaneModel = { model: 'aurora/aurora-small', protocol: 'messages' };
  await begin({ harness, page }, { lanes: [ECHO, small] });
  for (const text of ['The same to both', 'And once more']) {
    await say(page, text);
    const [left, right] = [findAnswers(page).last(), findAnswers(page, small.model).last()];
    await expect(left).toContainText(text);
    await expect(right).toContainText(text);
    await expect(right).toContainText('In History');
    // The thread may scroll between the two questions.
    await expect
      .poll(async () => {
        const [a, b] = [await left.boundingBox(), await right.boundingBox()];
        return a !== null && b !== null && { down: b.y - a.y, beside: b.x > a.x + a.width - 1 };
      })
      .toEqual({ down: 0, beside: true });
  }
  await expect(findUserMessages(page)).toHaveCount(2);
  await expect(findAnswers(page)).not.toContainText(['1/2', '1/2']);
  const last = findAnswers(page, small.model).last();
  await last.getByRole('button', { name: 'Continue with this answer' }).click();
  await expect(findAnswers(page)).toHaveCount(0);
  await expect(findAnswers(page, small.model)).toHaveCount(2);
  await expect(findAnswers(page, small.model).first()).toContainText('2/2');
});

test.describe('ten thousand messages', () => {
  let id: ConversationId;
  test.use({
    harnessOptions: {
      seed: {
        more: async (repositories) => {
          id = await seedLongConversation(repositories);
        },
      },
    },
  });

  test('open at their end, scroll both ways without a jump, and open at an address', async ({
    page,
    harness,
  }) => {
    await harness.open(page, `/chat?c=${id}`);
    await expect(thread(page).getByText('number10000')).toBeInViewport();
    const atEnd = await readScroll(page);
    expect(atEnd.most - atEnd.top).toBeLessThan(2);
    await thread(page).hover();
    // Heights above are guesses until they are seen: what is read must move by what the wheel says, and by nothing else.
    for (const turns of [-8, -8, 8, -8]) {
      const row = await inSight(page, turns);
      const before = await readTop(row);
      for (let turn = 0; turn < Math.abs(turns); turn += 1) {
        await page.mouse.wheel(0, 50 * Math.sign(turns));
      }
      // Rounding to whole pixels aside.
      await expect
        .poll(async () => Math.abs((await readTop(row)) - before + 50 * turns))
        .toBeLessThan(3);
    }
    const { paths } = await (await harness.calls()).chat.open({ id });
    await harness.open(page, `/chat?c=${id}&at=${paths[0]?.[4320]?.id}`);
    await expect(thread(page).getByText('what comes after number4321')).toBeInViewport();
    await page.keyboard.press('Escape');
    await composer(page).blur();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const focused = thread(page).locator('[data-index]:focus');
    await expect(focused).toHaveAttribute('data-index', '4321');
    await expect(focused).toContainText('number4322');
    const newest = page.getByRole('button', { name: 'Newest' });
    await newest.click();
    await expect(thread(page).getByText('number10000')).toBeInViewport();

    await composer(page).press('ArrowUp');
    const editor = page.getByRole('textbox', { name: 'Edited message' });
    await editor.fill('Half a');
    await thread(page).evaluate((log) => {
      log.scrollTop = 0;
    });
    await expect(editor).toHaveCount(0);
    await composer(page).focus();
    await newest.click();
    await expect(editor).toHaveValue('Half a');
    await expect(editor).not.toBeFocused();
  });
});

/** The first question, or when it goes down the last, that is in sight as a whole. */
async function inSight(page: Page, turns: number): Promise<Locator> {
  const texts = await thread(page).evaluate((log) => {
    const { top, bottom } = log.getBoundingClientRect();
    return [...log.querySelectorAll<HTMLElement>('[data-by="person"]')]
      .filter((row) => {
        const box = row.getBoundingClientRect();
        return box.top >= top && box.bottom <= bottom;
      })
      .map((row) => row.dataset['index']);
  });
  return thread(page).locator(`[data-index="${texts.at(turns < 0 ? 0 : -1)}"]`);
}

/** A row's distance from the top of the page. */
async function readTop(row: Locator): Promise<number> {
  return Math.round((await row.boundingBox())?.y ?? Number.NaN);
}
