import { request } from 'node:http';
import { quote } from '../../../shared/filter-language/print.ts';
import {
  jsonAnswer,
  openUpstream,
  type ScriptedUpstream,
} from '../../kit/net/scripted-upstream.ts';
import { expectNoXss, IMAGE, LINK, MARKDOWN, SCRIPT } from '../../kit/ui/xss-payloads.ts';
import type { Harness } from '../../kit/ui/harness.ts';
import { expect, test } from '../../kit/ui/kit.ts';

const MODEL = `evil/${IMAGE}`;

const MODELS: readonly object[] = [
  { id: MODEL, object: 'model', owned_by: SCRIPT, homepage: LINK, description: MARKDOWN },
  { id: `__proto__/${SCRIPT}`, object: 'model', constructor: { prototype: { hit: 1 } } },
];

/** A service that means harm: in its model list, its error messages, its error codes and its headers. */
async function serveHarm(upstream: ScriptedUpstream): Promise<void> {
  for (;;) {
    const { head, connection } = await upstream.next();
    const answer = head.startsWith('GET /v1/models ')
      ? jsonAnswer(200, { object: 'list', data: MODELS })
      : jsonAnswer(
          400,
          { error: { message: `${IMAGE}${SCRIPT}${MARKDOWN}`, type: SCRIPT, code: IMAGE } },
          [`x-note: ${IMAGE}`, `location-hint: ${LINK}`, `server: ${SCRIPT}`],
        );
    connection.send(answer);
  }
}

/** The harmful texts in each place that a conversation has. */
const HARMFUL_BODY = {
  model: MODEL,
  [IMAGE]: SCRIPT,
  tools: [{ type: 'function', function: { name: IMAGE, description: SCRIPT, parameters: {} } }],
  messages: [
    { role: 'system', content: SCRIPT },
    { role: IMAGE, content: MARKDOWN },
    {
      role: 'user',
      content: [
        { type: 'text', text: IMAGE },
        { type: 'image_url', image_url: { url: LINK } },
        { type: 'image_url', image_url: { url: `data:image/svg+xml,${SCRIPT}` } },
        { type: SCRIPT, text: IMAGE },
      ],
    },
    {
      role: 'assistant',
      reasoning: SCRIPT,
      content: `${IMAGE}${SCRIPT}${MARKDOWN}`,
      tool_calls: [{ id: 'c1', function: { name: SCRIPT, arguments: IMAGE } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: `${IMAGE}${SCRIPT}` },
  ],
};

/** A client that means harm: in its path, its headers and the model it asks for. */
async function askForHarm(harness: Harness, key: string): Promise<string> {
  const answered = await harness.ask({
    localKey: key,
    body: HARMFUL_BODY,
    headers: { 'user-agent': SCRIPT, 'x-note': IMAGE, referer: LINK },
  });
  await requestRaw(
    harness,
    `/v1/${encodeURI('<b onmouseover=window.hit=1>')}/"><script>x</script>`,
    key,
  );
  return answered.exchangeId;
}

/** `fetch` would write these characters differently. */
function requestRaw({ url }: Harness, path: string, key: string): Promise<void> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    request({ hostname, port, path, headers }, (answer) => {
      answer.resume().on('end', () => resolve());
    })
      .on('error', reject)
      .end();
  });
}

test(
  'nothing that a service or a client says becomes more than text, on any screen',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    test.slow();
    await using upstream = await openUpstream();
    void serveHarm(upstream);
    const harness = await startHarness({
      args: ['--upstream', upstream.url],
      environment: { GATEHOUSE_UPSTREAM_KEY: 'a-service-key-of-the-tests' },
    });
    const calls = await harness.calls();
    const { key } = await calls.clients.add({ name: IMAGE });
    const exchange = await askForHarm(harness, key);
    const looks = [
      ['/', 'evil/'],
      ['/models', MODEL],
      [`/models?find=${encodeURIComponent(IMAGE)}`, MODEL],
      ['/history', IMAGE],
      [`/history?exchange=${exchange}`, IMAGE],
      [`/history?filter=${encodeURIComponent(quote(SCRIPT))}`, IMAGE],
      [`/history?filter=${encodeURIComponent(`model:${quote(MODEL)}`)}`, MODEL],
      ['/clients', IMAGE],
      ['/settings', 'Diagnostics'],
    ] as const;
    for (const [path, shown] of looks) {
      await test.step(path, async () => {
        await harness.open(page, path);
        await expect(page.getByText(shown).filter({ visible: true }).first()).toBeVisible();
        await expectNoXss(page);
      });
    }
    await test.step('the request and the response', async () => {
      await harness.open(page, `/history?exchange=${exchange}`);
      const asked = page.getByRole('region', { name: 'Request', exact: true });
      const answered = page.getByRole('region', { name: 'Response', exact: true });
      await expect(asked.getByRole('article', { name: 'Assistant' })).toBeVisible();
      await expect(answered.getByText('Error:')).toBeVisible();
      for (const name of ['System prompt', 'Reasoning', 'Tools']) {
        await asked.getByRole('button', { name }).click();
      }
      await expectNoXss(page);
      for (const section of [asked, answered]) {
        await section.locator('label').getByText('Raw', { exact: true }).click();
        await expect(section.getByRole('tree')).toBeVisible();
      }
      await expectNoXss(page);
    });
    await test.step('the details of a model', async () => {
      await harness.open(page, '/models');
      await page.getByText(MODEL).first().click();
      await expect(page.getByText(MARKDOWN).first()).toBeVisible();
      await expectNoXss(page);
    });
    await test.step('the palette', async () => {
      await page.keyboard.press('Control+k');
      await expect(page.getByRole('textbox', { name: 'Go to' })).toBeFocused();
      await page.keyboard.type('<img');
      await expect(page.getByRole('dialog').getByText('onerror').first()).toBeVisible();
      await expectNoXss(page);
    });
  },
);
