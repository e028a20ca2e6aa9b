import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { runShell } from '../../../kit/process/run-code.ts';
import { openExchange, section, choose } from '../../../kit/ui/steps/bodies.ts';

const TOOL = {
  name: 'read_file',
  description: 'Reads a file.',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
};

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** A request of an agent: a system prompt, a tool with a failed result, an image, and earlier messages. */
const AGENT = {
  model: 'aurora/aurora-large',
  max_tokens: 256,
  temperature: 0.25,
  system: [{ type: 'text', text: 'You are careful.' }],
  tools: [TOOL],
  messages: [
    ...Array.from({ length: 8 }, (_, turn) => ({
      role: turn % 2 === 0 ? 'user' : 'assistant',
      content: `Earlier message ${turn}`,
    })),
    { role: 'user', content: [{ type: 'text', text: '<note>Read it.</note>' }] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'A file is needed.', signature: 'x' },
        { type: 'text', text: 'I **read** it.' },
        { type: 'tool_use', id: 'call-1', name: 'read_file', input: { path: 'a.txt' } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call-1', content: 'No such file.', is_error: true },
        { type: 'text', text: 'Go on.' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
      ],
    },
  ],
};

test('the conversation of an agent has its tool call with the result below', async ({
  page,
  harness,
}) => {
  const { exchangeId } = await harness.ask({ protocol: 'messages', body: AGENT });
  await openExchange(page, harness, exchangeId);
  const request = section(page, 'Request');
  await expect(request).toContainText('temperature 0.25');
  const call = request.getByRole('group', { name: 'Tool call: read_file' });
  await expect(call).toContainText('"path": "a.txt"');
  await expect(call.getByRole('group', { name: 'Result' })).toContainText('Error');
  await expect(call.getByRole('group', { name: 'Result' })).toContainText('No such file.');
  await expect(request.locator('strong', { hasText: 'read' })).toBeVisible();
  await expect(request.getByText('<note>Read it.</note>')).toBeVisible();
  await expect(request.getByRole('img', { name: 'Part of the message' })).toBeVisible();
  await expect(request.getByText('A file is needed.')).toBeHidden();
  await request.getByRole('button', { name: 'Reasoning, 4 words' }).click();
  await expect(request.getByText('A file is needed.')).toBeVisible();
  await request.getByRole('button', { name: 'System prompt' }).click();
  await expect(request.getByText('You are careful.')).toBeVisible();
  await request.getByRole('button', { name: 'Tools (1)' }).click();
  await request.getByRole('button', { name: 'read_file', exact: true }).click();
  await expect(request.getByText('Reads a file.')).toBeVisible();
  await expect(request.getByText('Earlier message 0')).toBeHidden();
  await request.getByRole('button', { name: 'Show 5 earlier messages' }).click();
  await expect(request.getByText('Earlier message 0')).toBeVisible();
  await expectAccessible(page);
});

test('a stream is shown as text, as events with their times, and with a search', async ({
  page,
  harness,
}) => {
  const { exchangeId } = await harness.ask({
    protocol: 'messages',
    stream: true,
    text: 'Stream it',
  });
  await openExchange(page, harness, exchangeId);
  const response = section(page, 'Response');
  await expect(response.getByRole('article', { name: 'Answer' })).toContainText('Stream it');
  await expect(response).toContainText('Finish reason: end_turn.');
  await choose(response, 'Events');
  const events = response.getByRole('list', { name: 'Events' }).getByRole('listitem');
  await expect(events.first()).toContainText('message_start');
  await expect(events.first()).toContainText(/\d (?:ms|s)/u);
  await expect(events.last()).toContainText('message_stop');
  await expect(response).toContainText('The largest gap is');
  await events.first().getByRole('button').click();
  await expect(events.first()).toContainText('"type": "message_start"');
  await expectAccessible(page);
  await choose(response, 'Raw');
  const find = response.getByRole('textbox', { name: 'Find in the response' });
  await find.fill('MESSAGE_STOP');
  await expect(response.getByText('1 of 2', { exact: true })).toBeVisible();
  await find.press('Enter');
  await expect(response.getByText('2 of 2', { exact: true })).toBeVisible();
  await expect(response.locator('mark[data-current]')).toHaveText('message_stop');
  await find.fill('nowhere at all');
  await expect(response.getByText('Not found')).toBeVisible();
  await expectAccessible(page);
});

test('a stream is watched while it arrives', async ({ page, harness, provoked }) => {
  // Its record is not stored yet.
  provoked(/404 .*history\/get/u);
  const answer = await harness.begin({ stream: true, scenario: 'gate=1', text: 'Slowly' });
  const id = answer.headers.get('x-gatehouse-exchange') ?? '';
  await openExchange(page, harness, id);
  const response = section(page, 'Response');
  await expect(response).toContainText('The answer is still arriving.');
  await expect(response.getByRole('article', { name: 'Answer' })).toContainText('Hello');
  await harness.ask({ scenario: 'open-gate=1' });
  await answer.text();
  await expect(response).toContainText('The answer is complete.');
  await expect(page.getByRole('heading', { name: 'Tokens' })).toBeVisible();
});

test('a request that Gatehouse changed is shown as received, with the change', async ({
  page,
  harness,
}) => {
  const { exchangeId } = await harness.ask({ model: 'aurora-large' });
  await openExchange(page, harness, exchangeId);
  const request = section(page, 'Request');
  await choose(request, 'As received');
  const changes = request.getByRole('list', { name: 'Changes' });
  await expect(changes).toContainText('model');
  await expect(changes.getByRole('deletion')).toContainText('"aurora-large"');
  await expect(changes.getByRole('insertion')).toContainText('"aurora/aurora-large"');
  await expectAccessible(page);
});

test('the request is shown larger in a dialog, which Escape closes without the pane', async ({
  page,
  harness,
}) => {
  const { exchangeId } = await harness.ask({ text: 'Larger' });
  await openExchange(page, harness, exchangeId);
  await page.getByRole('button', { name: 'Show the request larger' }).click();
  const dialog = page.getByRole('dialog', { name: 'Request' });
  await expect(dialog.getByRole('article', { name: 'User' })).toContainText('Larger');
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('heading', { name: 'Request', exact: true })).toBeVisible();
});

test('bodies are readable on a narrow page, in both appearances', async ({ page, harness }) => {
  const { exchangeId } = await harness.ask({ protocol: 'messages', body: AGENT });
  await page.setViewportSize({ width: 420, height: 800 });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await openExchange(page, harness, exchangeId);
    await expect(page.getByRole('group', { name: 'Tool call: read_file' })).toBeVisible();
    await expectAccessible(page);
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(width).toBeLessThanOrEqual(420);
  }
});

test('a value of a JSON body is found by its name or content, and its path is copied', async ({
  page,
  harness,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { exchangeId } = await harness.ask({ protocol: 'messages', body: AGENT });
  await page.setViewportSize({ width: 420, height: 800 });
  await openExchange(page, harness, exchangeId);
  const request = section(page, 'Request');
  await choose(request, 'Raw');
  const find = request.getByRole('textbox', { name: 'Find in the JSON of the request' });
  await find.fill('A.TXT');
  const match = request.getByRole('listitem');
  await expect(match).toContainText('.messages[9].content[2].input.patha.txt');
  await expectAccessible(page);
  await match.getByRole('button', { name: /^Copy the path/u }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    '.messages[9].content[2].input.path',
  );
  await find.fill('nowhere at all');
  await expect(request.getByRole('status')).toHaveText('Not found');
  await find.fill('');
  await expect(request.getByRole('button', { name: 'Fold' }).first()).toBeVisible();
});

test('all requests and responses are deleted in Settings', async ({ page, harness }) => {
  const { exchangeId } = await harness.ask({ text: 'To be deleted' });
  await openExchange(page, harness, exchangeId);
  await harness.open(page, '/settings');
  await expect(page.getByText(/1 exchange, .* on disk, .* as sent/u)).toBeVisible();
  await page.getByRole('button', { name: 'Delete all requests and responses' }).click();
  await page.getByRole('button', { name: 'Delete all', exact: true }).click();
  await expect(page.getByText('None are stored now.')).toBeVisible();
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await expect(page.getByRole('heading', { name: 'Request and response' })).toBeVisible();
  await expectAccessible(page);
  const details = page.getByRole('complementary');
  await details.getByRole('link', { name: 'Settings' }).first().click();
  await expect(page.getByLabel('Days to keep requests and responses')).toBeFocused();
});

test('storing requests and responses is switched off in the first steps', async ({
  page,
  startHarness,
}) => {
  const harness = await startHarness({ setUp: false });
  await harness.open(page, '/welcome');
  await page.getByRole('button', { name: 'Request' }).click();
  const keep = page.getByRole('switch', { name: 'Keep requests and responses' });
  await expect(keep).toBeChecked();
  await keep.click();
  await expect(keep).not.toBeChecked();
  const calls = await harness.calls();
  expect((await calls.settings.get()).settings.keepBodiesDays).toBe(0);
  const { exchangeId } = await harness.ask({ text: 'Not stored' });
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await expect(page.getByText('They are not stored')).toBeVisible();
});

test('a request is copied as a command that makes it again, without a key', async ({
  page,
  harness,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const { exchangeId } = await harness.ask({ model: 'aurora-large', text: "It's me" });
  await openExchange(page, harness, exchangeId);
  const menu = page.getByRole('button', { name: 'Copy as' });
  await expect(menu).toBeEnabled();
  await menu.press('Enter');
  await page.getByRole('menuitem', { name: 'curl' }).press('Enter');
  await expect(page.getByText('Copied as curl.')).toContainText('GATEHOUSE_API_KEY');
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toContain('"authorization: Bearer $GATEHOUSE_API_KEY"');
  const again = await runShell(command, harness.localKey);
  expect(again).toContain("It's me");
  await expect(menu).toBeFocused();
  await menu.click();
  await page.getByRole('menuitem', { name: 'Python' }).click();
  await expect(page.getByText('Copied as Python.')).toBeVisible();
  const program = await page.evaluate(() => navigator.clipboard.readText());
  expect(program).toContain('model="aurora/aurora-large"');
});
