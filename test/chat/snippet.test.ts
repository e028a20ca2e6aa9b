import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TextProtocol } from '../../shared/chat.ts';
import { buildRequest } from '../../gateway/chat/turn/build-request.ts';
import { formatSnippet } from '../../gateway/chat/export/snippet.ts';
import { type Harness, startHarness } from '../kit/harness.ts';
import { type ChatClient, createChatClient, lane } from './chat-client.ts';

const run = promisify(execFile);
/** All characters that have a special meaning in some language. */
const NASTY =
  'It\'s "so" \\n \\ $HOME `id` ${1} %s {{x}} #{y} \u2028 \u0000 \ud800 🦊\nJSON\n\'\'\'"""';
const SHELL = process.platform !== 'win32';

let harness: Harness;
let chatClient: ChatClient;
beforeAll(async () => {
  harness = await startHarness();
  chatClient = createChatClient(harness);
});
afterAll(() => harness[Symbol.asyncDispose]());

function bodyFor(protocol: TextProtocol, text: string) {
  return buildRequest({
    protocol,
    model: text,
    settings: { system: text, temperature: 0.5, maxTokens: null },
    path: [{ text, files: [], answer: null }],
    plain: false,
    base64Of: () => '',
  });
}

const TEXT = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(NASTY, 'JSON', '\nJSON\n'));

describe.each(TextProtocol.options)('over %s', (protocol) => {
  const asking = { protocol, port: 4141, vendor: 'anthropic' };

  test.runIf(SHELL)('any text reaches curl unchanged, through a real shell', async () => {
    const requests = fc.sample(TEXT, 20).map((text) => bodyFor(protocol, text));
    const commands = requests.map((request) =>
      formatSnippet(request, { ...asking, language: 'curl' }),
    );
    const script = ['curl() { cat; printf "\\036"; }', ...commands].join('\n');
    const { stdout } = await run('sh', ['-c', script]);
    const got = stdout.split('\u001e').slice(0, -1);
    expect(got.map((json): unknown => JSON.parse(json))).toEqual(
      requests.map(({ body }) => JSON.parse(JSON.stringify(body)) as unknown),
    );
  });

  test.runIf(SHELL)('any text is a valid literal in Python', async () => {
    const requests = fc.sample(TEXT, 20).map((text) => bodyFor(protocol, text));
    const programs = requests.map((request) =>
      formatSnippet(request, { ...asking, language: 'python' }),
    );
    const read = `
import ast, json, sys
def given(source):
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    create = next(call for call in calls if getattr(call.func, "attr", "") == "create")
    return {one.arg: ast.literal_eval(one.value) for one in create.keywords}
print(json.dumps([given(source) for source in json.load(sys.stdin)]))`;
    const child = run('python3', ['-c', read], { maxBuffer: 16 * 1024 * 1024 });
    child.child.stdin?.end(JSON.stringify(programs));
    const got: unknown = JSON.parse((await child).stdout);
    expect(got).toEqual(JSON.parse(JSON.stringify(requests.map(({ body }) => body))));
  });

  test('a snippet with the official client sends a request equal to that of the lane', async () => {
    const id = await chatClient.begin([lane(protocol)], { system: NASTY, maxTokens: 500 });
    const { text } = await chatClient.ask(id, `Echo: ${NASTY}`);
    const asked: unknown = JSON.parse(String(await harness.sandbox.requests.at(-1)?.body));
    const source = await (
      await harness.gateway.chat()
    ).snippet({ id, lane: 0, language: 'typescript' });
    expect(source).toContain('YOUR_LOCAL_KEY');
    expect(source).not.toContain('gh-');
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-snippet-'));
    try {
      await symlink(
        join(import.meta.dirname, '../../node_modules'),
        join(folder, 'node_modules'),
        'junction',
      );
      const file = join(folder, 'ask.mts');
      await writeFile(file, source.replace('YOUR_LOCAL_KEY', harness.localKey));
      const { stdout } = await run(process.execPath, [file]);
      expect(stdout).toBe(text);
      expect(JSON.parse(String(await harness.sandbox.requests.at(-1)?.body))).toEqual(asked);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test.runIf(SHELL)('the curl snippet sends a request equal to that of the lane', async () => {
    const id = await chatClient.begin([lane(protocol)]);
    await chatClient.ask(id, 'Hello curl');
    const asked: unknown = JSON.parse(String(await harness.sandbox.requests.at(-1)?.body));
    const command = await (await harness.gateway.chat()).snippet({ id, lane: 0, language: 'curl' });
    const { stdout } = await run('sh', ['-c', command.replace('YOUR_LOCAL_KEY', harness.localKey)]);
    expect(stdout).toContain('curl');
    const latest = harness.sandbox.requests.at(-1);
    expect(JSON.parse(String(await latest?.body))).toEqual(asked);
    const record = (await harness.recorded(1))[0];
    expect(record).toMatchObject({ clientName: 'Test', status: 200, repairs: [] });
  });
});

test('a snippet needs a message, and images are placeholders', async () => {
  const id = await chatClient.begin([lane()]);
  const empty = (await harness.gateway.chat()).snippet({ id, lane: 0, language: 'curl' });
  await expect(empty).rejects.toThrow('There are no messages yet');
  const elsewhere = (await harness.gateway.chat()).snippet({ id, lane: 2, language: 'curl' });
  await expect(elsewhere).rejects.toHaveProperty('name', 'NotFoundError');
});
