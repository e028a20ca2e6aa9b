import { describe, expect } from 'vitest';
import { arrivedAt, latestAt, valuesOf } from '../kit/arrived.ts';
import type { House } from '../kit/house.ts';
import { testsIn } from '../kit/house-test.ts';
import { composeRequest, type RawAnswer, sendRaw } from '../kit/raw.ts';
import { BODIES } from './mistakes/bodies.ts';
import { CREDENTIALS } from './mistakes/credentials.ts';
import { HEADERS } from './mistakes/headers.ts';
import { type Mistake, TEXT_BODY, USUAL_LINES } from './mistakes/mistake.ts';
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
    const before = arrivedAt(house).length;
    const answer = await sendRaw(house.port, sent.bytes);
    expect(answer.status, answer.body).toBe(mistake.status ?? 200);
    expect(codesIn(answer)).toEqual(mistake.repairs);
    expect(arrivedAt(house)).toHaveLength(before + 1);
    await expectArrival(mistake, sent, house);
    const record = await house.recordOf(answer.headers.get('x-gatehouse-exchange'));
    expect(record.repairs.map(({ code }) => code)).toEqual(mistake.repairs);
    for (const { advice } of record.repairs) expect(advice).toMatch(/^[A-Z].+\.$/);
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

/** A request with its placeholders filled in. */
interface Sent {
  readonly bytes: Buffer;
  readonly target: string;
  readonly body: string | Buffer | undefined;
  /** Fills in one more text in the same way. */
  readonly fillIn: (text: string) => string;
}

async function fill(mistake: Mistake, house: House): Promise<Sent> {
  const { localKey, sandbox, port } = house;
  const values: readonly (readonly [name: string, value: string])[] = [
    ['{key}', localKey],
    ['{service}', sandbox.key],
    ['{basic}', Buffer.from(`user:${localKey}`).toString('base64')],
    ['{file}', mistake.body?.includes('{file}') === true ? await upload(house) : ''],
  ];
  const fillIn = (text: string): string =>
    values.reduce((filled, [name, value]) => filled.replaceAll(name, value), text);
  const ask = fillIn(mistake.ask);
  const credential = mistake.credential ?? ['Authorization: Bearer {key}'];
  const lines = [...credential, ...(mistake.lines ?? USUAL_LINES)].map(fillIn);
  const given = mistake.body ?? TEXT_BODY;
  const filled = typeof given === 'string' ? fillIn(given) : given;
  const body = ask.startsWith('GET') ? undefined : filled;
  const target = ask.slice(ask.indexOf(' ') + 1);
  return { bytes: composeRequest({ ask, port, lines, body }), target, body, fillIn };
}

async function upload({ sandbox }: House): Promise<string> {
  const form = new FormData();
  form.append('file', new Blob(['picture']), 'cat.png');
  const headers = { authorization: `Bearer ${sandbox.key}` };
  const answer = await fetch(`${sandbox.url}/v1/files`, { method: 'POST', headers, body: form });
  const { file_url: address }: { file_url?: unknown } = await answer.json();
  return String(address);
}

function codesIn({ headers }: RawAnswer): string[] {
  return headers.get('x-gatehouse-repairs')?.split(', ') ?? [];
}

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
  expect(valuesOf(rawHeaders, 'api-key')).toEqual([]);
  expect(valuesOf(rawHeaders, 'proxy-authorization')).toEqual([]);
  expect(rawHeaders.join('\n')).not.toContain(house.localKey);
  const expected = mistake.arrives?.body ?? sent.body ?? '';
  const bytes = typeof expected === 'string' ? Buffer.from(sent.fillIn(expected)) : expected;
  expect((await body).toString('latin1')).toBe(bytes.toString('latin1'));
}
