import {
  chunk,
  LAST_CHUNK,
  openUpstream,
  STREAM_HEAD,
} from '../../../kit/net/scripted-upstream.ts';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import {
  answers,
  beginChat,
  chatPath,
  composer,
  answerChunk,
  listRecords,
  sendMessage,
  useService,
  waitForAnswers,
} from '../../../kit/ui/chat-steps.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { seedConversations } from '../../../kit/ui/seed/conversations.ts';
import { seedLongConversation } from '../../../kit/ui/seed/long-conversation.ts';
import type { ConversationIds } from '../../../kit/ui/seed/sample-conversation.ts';

test('a model is used with the protocol that worked last', async ({ page, harness }) => {
  await harness.ask({ protocol: 'messages', model: 'ember-mini' });
  await beginChat(harness, page, { lanes: [{ model: 'ember-mini', protocol: null }] });
  await sendMessage(page, 'Hello');
  await expect(answers(page, 'ember-mini')).toContainText('You said: “Hello”');
  const [newest] = await listRecords(harness, 2);
  expect(newest).toMatchObject({ route: 'messages', clientName: 'Chat' });
});

test('a stopped answer keeps the received text, and the call ends', async ({ page, harness }) => {
  await beginChat(harness, page);
  await sendMessage(page, 'One two three four five [scenario silent-stream=60000]');
  const answer = answers(page);
  await expect(answer).toContainText('One two three');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(answer).toContainText('Stopped by you');
  await expect(answer).toContainText('One two three');
  await expect(composer(page)).toBeFocused();
  await expect
    .poll(async () => (await listRecords(harness, 1)).map(({ endedBy }) => endedBy))
    .toEqual(['client']);
  await sendMessage(page, 'Go on');
  await expect(answers(page).nth(1)).toContainText('Go on');
});

test(
  'Escape stops an answer unless a closer element handles it; half a double click does not',
  { tag: '@browser' },
  async ({ page, harness }) => {
    const stops: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/chat/stop')) stops.push(request.url());
    });
    await beginChat(harness, page);
    await sendMessage(page, 'One two [scenario reasons-aloud=3] [scenario silent-stream=60000]');
    const stop = page.getByRole('button', { name: 'Stop' });
    await expect(stop).toBeVisible();
    await stop.dispatchEvent('click', { detail: 2 });
    for (const name of [/^Conversation settings/u, /^Model:/u]) {
      await page.getByRole('button', { name }).click();
      await expect(page.locator('input:focus, textarea:focus')).not.toHaveAttribute(
        'data-composer',
      );
      await page.keyboard.press('Escape');
      await expect(page.getByRole('button', { name })).toBeFocused();
    }
    await page.getByRole('button', { name: 'Thinking…' }).click();
    await stop.hover();
    await expect(page.getByRole('tooltip')).toBeVisible();
    expect(stops).toEqual([]);
    await page.keyboard.press('Escape');
    await expect(answers(page)).toContainText('Stopped by you');
    expect(stops).toHaveLength(1);
  },
);

test('a broken answer keeps the received text, names the cause and can be retried', async ({
  page,
  harness,
}) => {
  const id = await beginChat(harness, page);
  for (const [place, scenario] of ['cut-stream=5', 'error-in-stream=5'].entries()) {
    await sendMessage(page, `One two three four five [scenario ${scenario}]`);
    const answer = answers(page).nth(place);
    await expect(
      answer.getByRole('group', { name: 'The service cut off the answer' }),
    ).toBeVisible();
    await expect(answer).toContainText('One two three');
    await expect(answer).not.toContainText('four');
  }
  await sendMessage(page, 'Again [scenario error-500]');
  const third = answers(page).nth(2);
  const refused = third.getByRole('group', { name: 'The service returned an error' });
  await expect(refused).toContainText('500');
  await refused.getByRole('button', { name: 'Try again' }).click();
  await expect(third).toContainText('2/2');
  await expect(refused).toBeVisible();
  await waitForAnswers(harness, id, 3);
  expect((await listRecords(harness, 4)).map(({ status }) => status)).toEqual([500, 500, 200, 200]);
});

test(
  'an answer continues while its page reloads or closes, and two pages show the same',
  { tag: '@browser' },
  async ({ page, harness, context }) => {
    await using service = await openUpstream({ models: ['m'] });
    await useService(harness, service.url);
    const id = await beginChat(harness, page, { lanes: [{ model: 'm', protocol: 'chat' }] });
    await sendMessage(page, 'Tell me');
    const { connection } = await service.next();
    connection.send(`${STREAM_HEAD}${answerChunk('One ')}`);
    await expect(answers(page, 'm')).toContainText('One');
    const other = await context.newPage();
    await other.goto(`${harness.windowUrl}${chatPath(id)}`);
    await page.reload();
    for (const each of [page, other]) {
      await expect(answers(each, 'm')).toContainText('One');
      await expect(each.getByRole('button', { name: 'Stop' })).toBeVisible();
    }
    connection.send(answerChunk('two '));
    for (const each of [page, other]) await expect(answers(each, 'm')).toContainText('One two');
    await page.goto('about:blank');
    await other.close();
    connection.send(
      `${answerChunk('three', 'stop')}${chunk('data: [DONE]\n\n').toString()}${LAST_CHUNK}`,
    );
    expect(await waitForAnswers(harness, id, 1)).toEqual(['One two three']);
    await harness.open(page, chatPath(id));
    await expect(answers(page, 'm').getByText('One two three', { exact: true })).toBeVisible();
    expect(service.arrivals).toHaveLength(1);
  },
);

test('a refused parameter is named, omitted on request, and then permanently', async ({
  page,
  harness,
}) => {
  const model = 'sandbox/rejects-tuning';
  await beginChat(harness, page, {
    lanes: [{ model, protocol: 'chat' }],
    settings: { temperature: 0.3 },
  });
  await sendMessage(page, 'Hello');
  const first = answers(page, model).first();
  await expect(first).toContainText('The likely cause is temperature');
  await first.getByRole('button', { name: 'Retry without extra settings' }).click();
  await expect(first).toContainText('You said: “Hello”');
  await expect(first).toContainText('sent without extra settings');
  await first.getByRole('button', { name: 'Omit temperature from now on' }).click();
  await sendMessage(page, 'And now');
  await expect(answers(page, model).nth(1)).toContainText('You said: “And now”');
});

test('ten thousand messages open at their end, and a search opens one of them', async ({
  page,
  startHarness,
}) => {
  let path = '';
  const harness = await startHarness({
    seed: {
      more: async (repositories) => {
        path = chatPath(await seedLongConversation(repositories));
      },
    },
  });
  await harness.open(page, path);
  await expect(page.getByRole('log').getByText('Answer 10000:')).toBeInViewport();
  await page.getByRole('searchbox', { name: 'Find conversations' }).fill('number4711');
  await page.getByText('number4711').first().click();
  await expect(page.getByRole('log').getByText('Question 4711:')).toBeInViewport();
});

test('the keyboard alone sends, stops, edits, searches and starts a new conversation', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/chat');
  await expect(composer(page)).toBeFocused();
  await expect(page.getByRole('button', { name: 'Model: aurora/aurora-large' })).toBeVisible();
  await page.keyboard.type('First line');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second [scenario silent-stream=60000]');
  await expect(composer(page)).toHaveValue('First line\nsecond [scenario silent-stream=60000]');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article', { name: 'You' })).toContainText('First line');
  await expect(page.getByRole('button', { name: 'Stop' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByText('Stopped by you')).toBeVisible();
  await page.keyboard.press('ArrowUp');
  const wording = page.getByRole('textbox', { name: 'Edited message' });
  await expect(wording).toBeFocused();
  await wording.fill('Other words');
  await page.keyboard.press('Enter');
  const answer = answers(page, 'aurora/aurora-large');
  await expect(answer).toContainText('You said: “Other words”');
  await expect(page.getByRole('article', { name: 'You' })).toContainText('2/2');
  await expect(composer(page)).toBeFocused();
  await page.keyboard.press('Escape');
  await composer(page).blur();
  await page.keyboard.press('/');
  await expect(page.getByRole('searchbox', { name: 'Find conversations' })).toBeFocused();
  await composer(page).focus();
  await page.keyboard.press('Control+n');
  await expect(answer).toHaveCount(0);
  await expect(composer(page)).toBeFocused();
});

/** Colours are checked in the light and the dark theme. */
const STATES = [
  ['main', 'light', 'dark'],
  ['broken', 'light', 'dark'],
  ['refused', 'light'],
  ['compare', 'light'],
  ['math', 'light'],
  ['branches', 'dark'],
] as const;

test('every state of a conversation passes the accessibility checks, light and dark, wide and narrow', async ({
  page,
  startHarness,
}) => {
  test.slow();
  let ids: ConversationIds = new Map();
  const more = async (repositories: Parameters<typeof seedConversations>[0]) => {
    ids = await seedConversations(repositories);
  };
  const harness = await startHarness({ seed: { more } });
  for (const [key, ...schemes] of STATES) {
    await test.step(key, async () => {
      await harness.open(page, chatPath(ids.get(key)));
      await expect(page.getByRole('article').last()).toBeVisible();
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
      }
    });
  }
  await page.setViewportSize({ width: 420, height: 800 });
  await harness.open(page, chatPath(ids.get('main')));
  await expect(page.getByRole('article').last()).toBeVisible();
  await test.step('narrow', async () => await expectAccessible(page));
});

test(
  'a message sent before any model is known goes out as soon as one is',
  { tag: '@browser' },
  async ({ page, harness }) => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    await page.route('**/rpc/models/list', async (route) => {
      await released;
      await route.continue();
    });
    await harness.open(page, '/chat');
    await sendMessage(page, 'Hello so early');
    await expect(composer(page)).not.toBeEditable();
    resolve();
    await expect(page.getByRole('article').last()).toContainText('Hello so early');
    expect(await listRecords(harness, 1)).toHaveLength(1);
  },
);
