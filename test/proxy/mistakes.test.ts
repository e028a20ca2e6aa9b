import { describe, expect } from 'vitest';
import { arrivedAt, latestAt, valuesOf } from '../kit/arrived.ts';
import type { House } from '../kit/house.ts';
import { testsIn } from '../kit/house-test.ts';
import { sendRaw } from '../kit/raw.ts';
import { BODIES } from './mistakes/bodies.ts';
import { CREDENTIALS } from './mistakes/credentials.ts';
import { codesIn, fill, type Sent } from './mistakes/fill.ts';
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
  test.for(mistakes)('$name', async (mistake, { house }) => {
    const sent = await fill(mistake, house);
    const earlier = arrivedAt(house).length;
    const answer = await sendRaw(house.port, sent.bytes);
    expect(answer.status, answer.body).toBe(mistake.status ?? 200);
    expect(codesIn(answer)).toEqual(mistake.repairs);
    expect(arrivedAt(house)).toHaveLength(earlier + 1);
    await expectArrival(mistake, sent, house);
    const record = await house.recordOf(answer.headers.get('x-gatehouse-exchange'));
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
      pathSent: latestAt(house).url,
      endedBy: 'service',
      attempts: 1,
    });
    expect(JSON.stringify(record)).not.toContain(house.localKey);
    expect(JSON.stringify(record)).not.toContain(house.sandbox.key);
  });
});

/** The service saw the target, headers and body it should, its own key as section 5 of the spec asks, and no other key. */
async function expectArrival(mistake: Mistake, sent: Sent, house: House): Promise<void> {
  const { key } = house.sandbox;
  const { url, rawHeaders, body } = latestAt(house);
  expect(url).toBe(mistake.arrives?.target ?? sent.target);
  for (const [name, values] of Object.entries(mistake.arrives?.headers ?? {})) {
    expect(valuesOf(rawHeaders, name), name).toEqual(values);
  }
  const onMessages = url.startsWith('/v1/messages');
  expect(valuesOf(rawHeaders, 'authorization')).toEqual([`Bearer ${key}`]);
  expect(valuesOf(rawHeaders, 'x-api-key')).toEqual(onMessages ? [key] : []);
  for (const name of ['api-key', 'apikey', 'x-goog-api-key', 'x-authorization']) {
    expect(valuesOf(rawHeaders, name), name).toEqual([]);
  }
  expect(valuesOf(rawHeaders, 'proxy-authorization')).toEqual([]);
  expect(rawHeaders.join('\n')).not.toContain(house.localKey);
  const expected = mistake.arrives?.body ?? sent.body ?? '';
  const arrived = (await body).toString('latin1');
  if (expected instanceof RegExp) {
    expect(arrived).toMatch(expected);
    return;
  }
  const bytes = typeof expected === 'string' ? Buffer.from(sent.fillIn(expected)) : expected;
  expect(arrived).toBe(bytes.toString('latin1'));
}
