import { expect, test } from 'vitest';
import { question, sendRequest } from '../../kit/gateway/request.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';

const PAGE = '<!doctype html><title>Sign in to this network</title>';
const HTML = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${PAGE.length}\r\n\r\n${PAGE}`;
const PORTAL =
  'HTTP/1.1 302 Found\r\nlocation: http://portal.example/\r\ncontent-length: 0\r\n\r\n';
const EXPLAINED =
  'The service answered with text/html instead of JSON. Likely causes: a sign-in page of this network, a wrong base address of the service, or a maintenance page.';
const NEVER = new AbortController().signal;

/** Starts a gateway whose service has just refused the key. */
async function startRefused() {
  const closing = new AsyncDisposableStack();
  const service = closing.use(await openUpstream());
  const harness = closing.use(await startHarness({ baseUrl: service.url }));
  const refused = harness.gateway.models.refresh().catch(() => undefined);
  (await service.next()).connection.send(jsonAnswer(401, { error: { message: 'No.' } }));
  await refused;
  expect((await harness.gateway.status()).keyRefusedAt).toBeTypeOf('number');
  return { service, harness, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test.each([
  ['a page', HTML],
  ['a redirect', PORTAL],
])('%s in answer to a client does not show that the key is accepted', async (_, answer) => {
  await using refused = await startRefused();
  const { harness, service } = refused;
  const asked = sendRequest(harness, question('chat'));
  (await service.next()).connection.send(answer);
  const { headers } = await asked;
  await harness.recordOf(headers.get('x-gatehouse-exchange'));
  expect((await harness.gateway.status()).keyRefusedAt).toBeTypeOf('number');
});

test.each([
  ['a page', HTML, 'doubtful'],
  ['a redirect', PORTAL, 'doubtful'],
  ['JSON of another kind', jsonAnswer(200, { state: 'fine' }), 'reachable'],
])(
  '%s in place of the model list does not show that the key is accepted',
  async (_, answer, state) => {
    await using refused = await startRefused();
    const { harness, service } = refused;
    const fetched = harness.gateway.models.refresh();
    (await service.next()).connection.send(answer);
    await expect(fetched).rejects.toThrow();
    const { keyRefusedAt, reach } = await harness.gateway.status();
    expect([keyRefusedAt, reach.state]).toEqual([expect.any(Number), state]);
  },
);

test.each([
  ['a page', HTML],
  ['a redirect', PORTAL],
])('%s in answer to a test does not show that the key is accepted', async (_, answer) => {
  await using refused = await startRefused();
  const { harness, service } = refused;
  const testing = harness.gateway.testUpstream(upstreamFormFor(service.url), null, NEVER);
  (await service.next()).connection.send(answer);
  expect((await testing).works).toBe(false);
  expect((await harness.gateway.status()).keyRefusedAt).toBeTypeOf('number');
});

test('a model list shows that the key is accepted', async () => {
  await using refused = await startRefused();
  const { harness, service } = refused;
  const fetched = harness.gateway.models.refresh();
  (await service.next()).connection.send(jsonAnswer(200, { data: [{ id: 'm' }] }));
  await fetched;
  expect((await harness.gateway.status()).keyRefusedAt).toBeNull();
});

test('a page is explained alike to a client, in a test and in place of the model list', async () => {
  await using service = await openUpstream();
  await using harness = await startHarness({ baseUrl: service.url });
  const { gateway } = harness;
  expect((await gateway.status()).reach.state).toBe('unknown');
  const fetched = expect(gateway.models.refresh()).rejects.toThrow(EXPLAINED);
  (await service.next()).connection.send(HTML);
  await fetched;
  expect(gateway.models.problem()).toBe(EXPLAINED);
  expect((await gateway.status()).reach).toMatchObject({ state: 'doubtful', sentence: EXPLAINED });
  const testing = gateway.testUpstream(upstreamFormFor(service.url), null, NEVER);
  (await service.next()).connection.send(HTML);
  expect(await testing).toMatchObject({ works: false, sentence: EXPLAINED });
  const asked = sendRequest(harness, question('chat'));
  (await service.next()).connection.send(HTML);
  const record = await harness.recordOf((await asked).headers.get('x-gatehouse-exchange'));
  expect(record.errorMessage).toBe(EXPLAINED);
});

test('a list is taken whatever its type, and only a page of one does not make the service doubtful', async () => {
  await using service = await openUpstream();
  await using harness = await startHarness({ baseUrl: service.url });
  const { gateway } = harness;
  const pages = { data: [{ id: 'm' }], has_more: true };
  const refused = expect(gateway.models.refresh()).rejects.toThrow('only a page of its model list');
  (await service.next()).connection.send(jsonAnswer(200, pages));
  await refused;
  expect((await gateway.status()).reach.state).toBe('reachable');
  const fetched = gateway.models.refresh();
  const list = jsonAnswer(200, { data: [{ id: 'm' }] }).replace('application/json', 'text/html');
  (await service.next()).connection.send(list);
  expect(await fetched).toHaveLength(1);
});
