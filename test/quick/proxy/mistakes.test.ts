import { describe, expect } from 'vitest';
import { requestsAt, latestRequest, headerValues } from '../../kit/gateway/sandbox-requests.ts';
import type { Harness } from '../../kit/gateway/harness.ts';
import { testsIn } from '../../kit/gateway/harness-test.ts';
import { sendRaw } from '../../kit/net/raw-http.ts';
import { BODIES } from './mistakes/bodies.ts';
import { CREDENTIALS } from './mistakes/credentials.ts';
import { repairCodes, fillRequest, type Sent } from './mistakes/fill.ts';
import { HEADERS } from './mistakes/headers.ts';
import type { Mistake } from './mistakes/mistake.ts';
import { PATHS } from './mistakes/paths.ts';

const test = testsIn();

describe.for([
  ['path', PATHS],
  ['credential', CREDENTIALS],
  ['header', HEADERS],
  ['body', BODIES],
] as const)('a mistake in the %s', ([, mistakes]) => {
  test.for(mistakes)('$name', async (mistake, { harness }) => {
    const sent = await fillRequest(mistake, harness);
    const earlier = requestsAt(harness).length;
    const answer = await sendRaw(harness.port, sent.bytes);
    expect(answer.status, answer.body).toBe(mistake.status ?? 200);
    expect(repairCodes(answer)).toEqual(mistake.repairs);
    expect(requestsAt(harness)).toHaveLength(earlier + 1);
    await expectArrival(mistake, sent, harness);
    const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
    expect(record.repairs.map(({ code }) => code)).toEqual(mistake.repairs);
    for (const { code, before, after, advice } of record.repairs) {
      expect(advice).toMatch(/^[A-Z].+\.$/);
      expect(before).not.toBe(after);
      if (code === 'model-id')
        expect([record.modelAsked, record.modelSent]).toEqual([before, after]);
    }
    expect(record).toMatchObject({
      clientName: 'Test',
      status: answer.status,
      pathSent: latestRequest(harness).url,
      endedBy: 'service',
      attempts: 1,
    });
    expect(JSON.stringify(record)).not.toContain(harness.localKey);
    expect(JSON.stringify(record)).not.toContain(harness.sandbox.key);
  });
});

/** Expects that the service received the right target, headers and body, its own key as in spec section 5, and no other key. */
async function expectArrival(mistake: Mistake, sent: Sent, harness: Harness): Promise<void> {
  const { key } = harness.sandbox;
  const { url, rawHeaders, body } = latestRequest(harness);
  expect(url).toBe(mistake.arrives?.target ?? sent.target);
  for (const [name, values] of Object.entries(mistake.arrives?.headers ?? {})) {
    expect(headerValues(rawHeaders, name), name).toEqual(values);
  }
  const onMessages = url.startsWith('/v1/messages');
  expect(headerValues(rawHeaders, 'authorization')).toEqual([`Bearer ${key}`]);
  expect(headerValues(rawHeaders, 'x-api-key')).toEqual(onMessages ? [key] : []);
  for (const name of ['api-key', 'apikey', 'x-goog-api-key', 'x-authorization']) {
    expect(headerValues(rawHeaders, name), name).toEqual([]);
  }
  expect(headerValues(rawHeaders, 'proxy-authorization')).toEqual([]);
  expect(rawHeaders.join('\n')).not.toContain(harness.localKey);
  const expected = mistake.arrives?.body ?? sent.body ?? '';
  const arrived = (await body).toString('latin1');
  if (expected instanceof RegExp) {
    expect(arrived).toMatch(expected);
    return;
  }
  const bytes = typeof expected === 'string' ? Buffer.from(sent.fillIn(expected)) : expected;
  expect(arrived).toBe(bytes.toString('latin1'));
}
