import { expect, test } from 'vitest';
import { question, sendRequest } from '../../kit/gateway/request.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';

const PAGE = '<!doctype html><title>Sign in to this network</title>';
const HTML = `HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: ${PAGE.length}\r\n\r\n${PAGE}`;
const PORTAL =
  'HTTP/1.1 302 Found\r\nlocation: http://portal.example/\r\ncontent-length: 0\r\n\r\n';
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
  ['a page', HTML],
  ['a redirect', PORTAL],
  ['JSON of another kind', jsonAnswer(200, { state: 'fine' })],
])('%s in place of the model list does not show that the key is accepted', async (_, answer) => {
  await using refused = await startRefused();
  const { harness, service } = refused;
  const fetched = harness.gateway.models.refresh();
  (await service.next()).connection.send(answer);
  await expect(fetched).rejects.toThrow();
  expect((await harness.gateway.status()).keyRefusedAt).toBeTypeOf('number');
});

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
