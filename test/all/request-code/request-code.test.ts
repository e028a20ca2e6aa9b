import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StoredBody } from '../../../shared/exchange/body.ts';
import { type SnippetLanguage, TextProtocol } from '../../../shared/chat/chat.ts';
import type { CodeRequest } from '../../../shared/request-code/code-request.ts';
import { toExchangeRequest } from '../../../shared/request-code/exchange-request.ts';
import { formatRequestCode } from '../../../shared/request-code/request-code.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { NASTY } from '../../kit/nasty-text.ts';
import { question, type RawRequest, sendRequest } from '../../kit/gateway/request.ts';
import { runPython, runShell, runTypescript, SHELL } from '../../kit/process/run-code.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness[Symbol.asyncDispose]());

/** Sends a request as a client, and returns its code and what the service got. */
async function sendAndFormat(raw: RawRequest, language: SnippetLanguage) {
  const { headers } = await sendRequest(harness, raw);
  const { id } = await harness.recordOf(headers.get('x-gatehouse-exchange'));
  const detail = await harness.gateway.history.get(id);
  if (detail === null) throw new Error('It was not recorded.');
  const bodies = await harness.gateway.readBodies(id);
  const made = toExchangeRequest(detail, bodies, harness.url);
  if (made.request === null) throw new Error(made.reason);
  return { code: formatRequestCode(made.request, language), got: await readLatest() };
}

/** Returns the latest request as the service got it. */
async function readLatest() {
  const latest = harness.sandbox.requests.at(-1);
  if (latest === undefined) throw new Error('Nothing was sent.');
  const { method, url, rawHeaders, body } = latest;
  const place = rawHeaders.findIndex((text) => text.toLowerCase() === 'anthropic-beta');
  const beta = place === -1 ? null : rawHeaders[place + 1];
  return { method, url, beta, body: String(await body) };
}

const parse = (body: string): unknown => JSON.parse(body);
const CASES = TextProtocol.options.flatMap((protocol) =>
  [true, false].map((stream) => ({ protocol, stream })),
);

describe.each(CASES)('a request over $protocol, streamed: $stream', ({ protocol, stream }) => {
  const asked = question(protocol, { stream });

  test.runIf(SHELL)('is made again by its command', async () => {
    const { code, got } = await sendAndFormat(asked, 'curl');
    expect(code).not.toContain(harness.localKey);
    expect(await runShell(code, harness.localKey)).not.toBe('');
    const { body, ...rest } = await readLatest();
    expect({ ...rest, body: body.trimEnd() }).toEqual(got);
  });

  test('is made again by its program with the official client', async () => {
    const { code, got } = await sendAndFormat(asked, 'typescript');
    expect(code).not.toContain(harness.localKey);
    expect(await runTypescript(code, harness.localKey)).not.toBe('');
    const { body, ...rest } = await readLatest();
    expect({ ...rest, body: parse(body) }).toEqual({ ...got, body: parse(got.body) });
  });
});

test.runIf(SHELL)(
  'a wrong path and model are right in the code, and beta and query stay',
  async () => {
    const raw = {
      path: '/v1/v1/messages?beta=true',
      headers: [
        'content-type: application/json',
        'anthropic-version: 2023-06-01',
        'anthropic-beta: a-1',
      ],
      body: '{"model": "aurora-small", "max_tokens": 9, "seed": 12345678901234567890, "messages": [{"role": "user", "content": "It\'s me"}]}',
    };
    const { code, got } = await sendAndFormat(raw, 'curl');
    expect(got.url).toMatch(/^\/v1\/messages\?beta=true$/u);
    await runShell(code, harness.localKey);
    const again = await readLatest();
    expect({ ...again, body: again.body.trimEnd() }).toEqual(got);
    expect(again.body).toContain('12345678901234567890');
    const record = (await harness.recorded(1))[0];
    expect(record?.repairs).toEqual([]);
    const program = await sendAndFormat(
      { ...raw, body: raw.body.replace(/"seed": \d+, /u, '') },
      'typescript',
    );
    await runTypescript(program.code, harness.localKey);
    const third = await readLatest();
    expect(third.beta).toBe('a-1');
    expect(third.url).toBe('/v1/messages?beta=true');
    expect(parse(third.body)).toEqual(parse(program.got.body));
  },
);

test.runIf(SHELL)('a request of another route is made again, without a body', async () => {
  const list: RawRequest = { path: '/v1/models?limit=[1]' };
  for (const language of ['curl', 'typescript'] as const) {
    const { code, got } = await sendAndFormat(list, language);
    const output = await (language === 'curl' ? runShell : runTypescript)(code, harness.localKey);
    expect(output).toContain('aurora');
    expect(await readLatest()).toMatchObject({ ...got, method: 'GET' });
  }
});

const TEXT = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(NASTY, 'JSON', '\nJSON\n'));

function aRequest(fields: object, protocol: TextProtocol | null = 'chat'): CodeRequest {
  return {
    protocol,
    method: 'POST',
    origin: 'http://127.0.0.1:6417',
    path: '/v1/chat/completions',
    headers: [['content-type', 'application/json']],
    body: JSON.stringify(fields, null, 2),
  };
}

describe('any text', () => {
  const bodies = fc.sample(TEXT, 60).map((text) => ({
    model: text,
    messages: [{ role: 'user', content: text }],
    [text]: [1, text],
  }));

  test.runIf(SHELL)('reaches curl unchanged, through a real shell', async () => {
    const commands = bodies.map((body) => formatRequestCode(aRequest(body), 'curl'));
    const script = ['curl() { cat; printf "\\036"; }', ...commands].join('\n');
    const got = (await runShell(script, 'none')).split('\u001e').slice(0, -1);
    expect(got.map(parse)).toEqual(bodies.map((body) => parse(JSON.stringify(body))));
  });

  test.runIf(SHELL)('that is no JSON does, too, to the last byte', async () => {
    const texts = fc.sample(TEXT, 60).map((text) => `=${text.replaceAll('\0', '').toWellFormed()}`);
    const commands = texts.map((body) =>
      formatRequestCode({ ...aRequest({}), protocol: null, body, path: "/v1/it's?{a}" }, 'curl'),
    );
    const script = ['curl() { cat; printf "\\036"; }', ...commands].join('\n');
    const got = (await runShell(script, 'none')).split('\u001e').slice(0, -1);
    expect(got).toEqual(texts);
  });

  test.runIf(SHELL)('is a valid literal in Python, with unknown fields in extra_body', async () => {
    const programs = bodies.map((body) => formatRequestCode(aRequest(body), 'python'));
    const read = `
import ast, json, sys
def given(source):
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    create = next(call for call in calls if getattr(call.func, "attr", "") == "create")
    fields = {one.arg: ast.literal_eval(one.value) for one in create.keywords}
    return {**fields, **fields.pop("extra_body", {})}
print(json.dumps([given(source) for source in json.load(sys.stdin)]))`;
    const got = parse(await runPython(read, JSON.stringify(programs)));
    const wanted = bodies.map((body) => parse(JSON.stringify(body)));
    expect(got).toEqual(wanted.map((body) => expect.objectContaining(Object(body))));
  });

  test('is a valid literal in TypeScript, also as the name of a field', async () => {
    const named = [...bodies, { ['__proto__']: { a: 1 } }].map((body) =>
      formatRequestCode(aRequest(body), 'typescript'),
    );
    const literals = named.map((code) =>
      code.slice(code.indexOf('create(') + 'create('.length, code.indexOf(');\nconsole')),
    );
    const source = `console.log(JSON.stringify([${literals.join(',\n')}]))`;
    const got = parse(await runTypescript(source, 'none'));
    expect(got).toEqual(
      [...bodies, parse('{"__proto__":{"a":1}}')].map((body) => parse(JSON.stringify(body))),
    );
  });

  test.runIf(SHELL)('of another route is a valid program in Python', async () => {
    const programs = bodies.map((body) => formatRequestCode(aRequest(body, null), 'python'));
    const read = `
import ast, json, sys
for source in json.load(sys.stdin):
    ast.parse(source)
print("valid")`;
    expect(await runPython(read, JSON.stringify(programs))).toBe('valid\n');
  });
});

test('programs with the official clients and with fetch have no type errors', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-types-'));
  const modules = join(import.meta.dirname, '..', '..', '..', 'node_modules');
  try {
    await symlink(modules, join(folder, 'node_modules'), 'junction');
    for (const { protocol, stream } of CASES) {
      const { body } = question(protocol, { stream });
      const request = { ...aRequest({}, protocol), path: '/v1/x?beta=1', body: String(body) };
      const code = formatRequestCode(request, 'typescript');
      await writeFile(join(folder, `${protocol}-${stream}.mts`), code);
    }
    await writeFile(join(folder, 'fetch.mts'), formatRequestCode(aRequest({}, null), 'typescript'));
    const config = {
      compilerOptions: {
        module: 'nodenext',
        target: 'es2024',
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        types: ['node'],
      },
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(modules, '.bin/tsc');
    await promisify(execFile)(process.execPath, [tsc, '-p', folder]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Returns the reason why the request of an exchange has no code; `null` when it has. */
function reasonOf(sent: StoredBody | null, fields = {}): string | null {
  const detail = { exchange: anExchange('a', fields), headers: null, mark: null };
  const made = toExchangeRequest(
    detail,
    { state: 'kept', received: null, sent, returned: null },
    'http://127.0.0.1:1',
  );
  return made.request === null ? made.reason : null;
}

test('a request that is not stored as it was sent has no code, and the reason', () => {
  const body: StoredBody = {
    text: '{}',
    binary: false,
    bytes: 2,
    contentType: null,
    omitted: null,
    masked: 0,
    eventTimes: null,
  };
  expect(reasonOf(body)).toBeNull();
  expect(reasonOf(null)).toContain('not stored');
  expect(reasonOf({ ...body, omitted: { at: 1, bytes: 5 } })).toContain('middle');
  expect(reasonOf({ ...body, text: '', binary: true })).toContain('not text');
  expect(reasonOf(body, { route: 'other', pathReceived: '' })).toContain('path');
  expect(reasonOf(null, { route: 'models', pathReceived: '/v1/models', bytesIn: 0 })).toBeNull();
});
