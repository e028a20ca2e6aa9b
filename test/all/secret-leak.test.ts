import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConversationId, MessageId, SnippetLanguage } from '../../shared/chat/chat.ts';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { ExportFormat } from '../../shared/history/export.ts';
import { createChatClient, lane } from '../kit/chat/chat-client.ts';
import { openSandbox } from '../../sandbox/server.ts';
import { encodedForms, readFolder, findLeaks } from '../kit/secret-leak.ts';
import { type Harness, startHarness } from '../kit/gateway/harness.ts';
import { sendClientMistakes } from '../kit/client-mistakes.ts';
import { sendRequest, beginRequest, question } from '../kit/gateway/request.ts';
import { createFakeKeychain } from '../kit/gateway/fake-keychain.ts';
import { startScriptedHarness } from '../kit/gateway/scripted-harness.ts';
import { chunk, jsonAnswer, LAST_CHUNK, STREAM_HEAD } from '../kit/net/scripted-upstream.ts';
import { ALL_SERVICES } from '../kit/history/usage-query.ts';
import {
  makeServiceKey,
  makeLocalKey,
  search,
  toSources,
  openCli,
} from '../kit/process/key-search.ts';

/** Returns everything stored of these exchanges, including headers. */
async function detailsOf({ gateway }: Harness, records: readonly ExchangeRecord[]) {
  const details = await Promise.all(records.map(({ id }) => gateway.history.get(id)));
  return details.map((detail) => JSON.stringify(detail));
}

/** Exports everything in each format. */
async function exportAll({ gateway }: Harness): Promise<readonly string[]> {
  const { signal } = new AbortController();
  const queries = ExportFormat.options.map((format) => ({ format, filter: {}, only: null }));
  return await Promise.all(
    queries.map(async (query) => (await collect(gateway.export(query, signal))).join('')),
  );
}

/** Responses to a streamed question that repeat the key in each field that can hold it. */
function toStreamChunks(key: string): readonly string[] {
  const body = { text: 'the rest' };
  const whole = jsonAnswer(200, body);
  const error = { error: { message: `Invalid API key ${key}, the rest`, code: 'invalid_api_key' } };
  const event = `data: ${JSON.stringify(error)}\n\n`;
  const long = { ...error, more: 'x'.repeat(70_000) };
  const location = `/elsewhere?key=${encodeURIComponent(key)}`;
  return [
    jsonAnswer(200, body, [`x-echo: Bearer ${key}`, `x-again: ${key}${key}`]),
    whole.replace('Scripted', () => `Hello ${key}`),
    jsonAnswer(307, body, [`location: ${location}`]),
    jsonAnswer(401, error),
    jsonAnswer(401, long),
    `${STREAM_HEAD}${chunk(`${event}data: [DONE]\n\n`).toString('latin1')}${LAST_CHUNK}`,
  ];
}

/** Answers whose text and reasoning repeat the key. */
function toModelAnswers(key: string): readonly string[] {
  return ['content', 'reasoning_content'].map((name) => {
    const says = (words: string) =>
      `data: ${JSON.stringify({ choices: [{ index: 0, delta: { [name]: words } }] })}\n\n`;
    const rest =
      'data: {"choices":[{"index":0,"delta":{"content":"the rest"},"finish_reason":"stop"}]}\n\n';
    const all = `${says(`It is ${key} and`)}${rest}data: [DONE]\n\n`;
    return `${STREAM_HEAD}${chunk(all).toString('latin1')}${LAST_CHUNK}`;
  });
}

/** Returns all of these values as texts. */
async function collect(parts: AsyncIterable<unknown>): Promise<string[]> {
  const texts: string[] = [];
  for await (const piece of parts)
    texts.push(typeof piece === 'string' ? piece : JSON.stringify(piece));
  return texts;
}

describe('No key is found in any byte that Gatehouse writes or sends', () => {
  test.each([{ strict: false }, { strict: true }])(
    'within one process, strict: $strict',
    async ({ strict }) => {
      const serviceKey = makeServiceKey();
      await using harness = await startHarness({ strict, sandbox: { key: serviceKey } });
      const answers = await sendClientMistakes(harness, serviceKey);
      // Equal rejections of a caller without a valid key share one row.
      const records = await harness.recorded(140);
      const details = await detailsOf(harness, records);
      const usage = await harness.gateway.history.usage('model', ALL_SERVICES);
      const exports = await exportAll(harness);
      const secrets = { 'service key': serviceKey, 'local key': harness.localKey };
      const places = new Map([
        ...toSources('answer', answers),
        ...toSources('log line', harness.logged),
        ...toSources('record', details),
        ...toSources('export', exports),
        ...toSources('usage', [JSON.stringify(usage)]),
        ...(await readFolder(harness.dataDir)),
      ]);
      expect(
        [...places.keys()].filter((name) => name.includes('gatehouse.db')).length,
      ).toBeGreaterThan(1);
      expect(search(secrets, places)).toEqual([]);
      await harness.gateway.close(0);
      await harness.repositories.close();
      expect(search(secrets, await readFolder(harness.dataDir))).toEqual([]);
      // The run was effective: the service received and repeated the key, and headers carried credentials both ways.
      expect(details.filter((one) => one.includes('Bearer ••••')).length).toBeGreaterThan(40);
      expect(details.some((one) => one.includes('"errorMessage":"'))).toBe(true);
      const [, ...withBodies] = exports;
      expect(withBodies.filter((one) => one.includes('<service key>'))).toHaveLength(3);
      expect(
        records.some(({ repairs }) => repairs.some(({ code }) => code === 'key-redacted')),
      ).toBe(true);
      expect(records.filter(({ status }) => status === 200).length).toBeGreaterThan(40);
    },
  );

  test.each([{ strict: false }, { strict: true }])(
    'when the service repeats it wherever it can, strict: $strict',
    async ({ strict }) => {
      const serviceKey = makeServiceKey();
      await using both = await startScriptedHarness({ strict, serviceKey });
      const { harness } = both;
      const answers: string[] = [];
      for (const echo of toStreamChunks(serviceKey)) {
        const client = await beginRequest(harness, question('chat', { model: 'm', stream: true }));
        const { connection, head } = await both.upstream.next();
        expect(head.includes(serviceKey)).toBe(true);
        connection.send(echo);
        const answer = await client.rest();
        expect(answer).toContain('the rest');
        answers.push(answer);
      }
      const records = await harness.recorded(answers.length);
      const details = await detailsOf(harness, records);
      const places = new Map([
        ...toSources('answer', answers),
        ...toSources('log line', harness.logged),
        ...toSources('record', details),
        ...toSources('export', await exportAll(harness)),
        ...(await readFolder(harness.dataDir)),
      ]);
      expect(search({ 'service key': serviceKey }, places)).toEqual([]);
    },
  );

  test('in chats: what they store, log, export and show as code', async () => {
    const serviceKey = makeServiceKey();
    await using both = await startScriptedHarness({ serviceKey });
    const { harness, upstream } = both;
    const chat = await harness.gateway.chat();
    const chatClient = createChatClient(harness);
    const id = await chatClient.begin([lane('chat', 'm')], { temperature: 1 });
    const leaving = new AbortController();
    const events = collect(chat.follow(id, leaving.signal));
    for (const echo of [...toStreamChunks(serviceKey), ...toModelAnswers(serviceKey)]) {
      const [answer] = await chatClient.send(id, 'What is it?');
      const { connection, head } = await upstream.next();
      expect(head.includes(serviceKey)).toBe(true);
      connection.send(echo);
      await chatClient.waitUntilDone(MessageId.parse(answer?.id));
    }
    leaving.abort();
    const { paths } = await chat.conversations.open(id);
    const messages = await chat.conversations.messages(paths.flat().map((entry) => entry.id));
    const languages = SnippetLanguage.options.map((language) => ({ id, lane: 0, language }));
    const records = await harness.recorded(messages.length / 2);
    const places = new Map([
      ...toSources('event', await events),
      ...toSources(
        'message',
        messages.map((message) => JSON.stringify(message)),
      ),
      ...toSources('Markdown', [
        (await collect(chat.conversations.export(id, 'markdown'))).join(''),
      ]),
      ...toSources('JSON', [(await collect(chat.conversations.export(id, 'json'))).join('')]),
      ...toSources('snippet', await Promise.all(languages.map((asked) => chat.snippet(asked)))),
      ...toSources('list', [
        JSON.stringify(await chat.conversations.page({ find: '', limit: 10 })),
      ]),
      ...toSources('log line', harness.logged),
      ...toSources('record', await detailsOf(harness, records)),
      ...(await readFolder(harness.dataDir)),
    ]);
    const secrets = {
      'service key': serviceKey,
      'key of the chat': harness.repositories.clients.ownKey('chat'),
      'key of the terminal': harness.repositories.clients.ownKey('terminal'),
      'key of replays': harness.repositories.clients.ownKey('replay'),
      'control key': harness.gateway.controlKey,
    };
    expect(search(secrets, places)).toEqual([]);
    expect(messages.filter((message) => message.text.includes('the rest')).length).toBeGreaterThan(
      1,
    );
    expect(messages.filter(({ answer }) => answer?.problem != null).length).toBeGreaterThan(2);
  });

  test('by the command line, with full logging', async () => {
    const serviceKey = makeServiceKey();
    const localKey = makeLocalKey();
    await using sandbox = await openSandbox({ key: serviceKey });
    const home = await mkdtemp(join(tmpdir(), 'gatehouse-canary-'));
    const cli = openCli({ home, serviceKey, localKey, url: sandbox.url });
    const serving = cli.start(['serve', '--port', '0', '--log-level', 'debug']);
    try {
      const port = await serving.port;
      const answers = await sendClientMistakes({ port, localKey }, serviceKey);
      const during = await readFolder(home);
      serving.child.kill('SIGTERM');
      const served = await serving.output;
      const lines = [
        'history --json --limit 500',
        'history --limit 500',
        ...ExportFormat.options.map((format) => `export --format ${format}`),
        'usage --json --by client',
        'models --json',
        'clients list --json',
        'key status --json',
        'key test',
        'doctor',
      ];
      const outputs = await Promise.all(lines.map((line) => cli.start(line.split(' ')).output));
      const places = new Map([
        ...toSources('answer', answers),
        ...toSources('output', [served, ...outputs]),
        ...[...during].map(([name, bytes]) => [`${name} while serving`, bytes] as const),
        ...(await readFolder(home)),
      ]);
      expect(outputs[0]).toContain('"pathReceived"');
      expect(outputs.find((output) => output.startsWith('{"log":'))).toContain('<service key>');
      expect([...places.keys()].some((name) => name.endsWith('gatehouse.db'))).toBe(true);
      const secrets = { 'service key': serviceKey, 'local key': localKey };
      expect(search(secrets, places)).toEqual([]);
    } finally {
      serving.child.kill('SIGKILL');
      await serving.output;
      await rm(home, { recursive: true, force: true });
    }
  });
});

describe('A key in the model list of a service is not stored', () => {
  test('by a gateway whose key is set later', async () => {
    await using service = await openEcho();
    const serviceKey = makeServiceKey();
    await using harness = await startHarness({
      baseUrl: service.url,
      serviceKey: null,
      secrets: createFakeKeychain(),
    });
    expect((await harness.keys.save(serviceKey, 'keychain')).done).toBe(true);
    const answer = await sendRequest(harness, { path: '/v1/models' });
    expect(answer.body).toContain('the rest');
    await harness.recorded(1);
    const known = JSON.stringify(harness.gateway.models.known());
    expect(known).toContain('the rest');
    await harness.gateway.close(0);
    const places = new Map([
      ...toSources('known list', [known]),
      ...(await readFolder(harness.dataDir)),
    ]);
    expect(search({ 'service key': serviceKey }, places)).toEqual([]);
    const kept = await harness.repositories.store.db
      .selectFrom('model_list')
      .select('body')
      .execute();
    expect(kept.map(({ body }) => body)).toEqual([expect.stringContaining('the rest')]);
  });

  test('by the command that shows the list', async () => {
    await using service = await openEcho();
    const serviceKey = makeServiceKey();
    const home = await mkdtemp(join(tmpdir(), 'gatehouse-canary-'));
    const cli = openCli({ home, serviceKey, localKey: makeLocalKey(), url: service.url });
    const outputs = await cli.start(['models', '--json']).output;
    expect(outputs).toContain('the rest');
    const places = new Map([...toSources('output', [outputs]), ...(await readFolder(home))]);
    expect(search({ 'service key': serviceKey }, places)).toEqual([]);
    await rm(home, { recursive: true, force: true });
  });

  test('in either database, whoever writes the list', async () => {
    const serviceKey = makeServiceKey();
    await using harness = await startHarness({ sandbox: { key: serviceKey } });
    const { store } = harness.repositories;
    const chats = await harness.repositories.openChatRepository();
    for (const form of writtenForms(serviceKey)) {
      const value = `before ${form} behind`;
      await store.db
        .insertInto('setting')
        .values({ key: value, value: JSON.stringify(value) })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .execute();
      const rows = [[`one ${value}`, value]];
      await store.write([
        { sql: 'insert or ignore into setting (key, value) values (?, ?)', rows },
      ]);
      await chats.store.db
        .insertInto('conversation')
        .values({
          id: ConversationId.parse(randomBytes(8).toString('hex')),
          title: value,
          created_at: 0,
          changed_at: 0,
          settings: JSON.stringify({ system: value }),
          lanes: '[]',
        })
        .execute();
    }
    const kept = await store.db.selectFrom('setting').selectAll().execute();
    expect(JSON.stringify(kept)).toContain('behind');
    await harness.gateway.close(0);
    await harness.repositories.close();
    expect(search({ 'service key': serviceKey }, await readFolder(harness.dataDir))).toEqual([]);
  });
});

describe('The search for keys finds a key', () => {
  const key = makeServiceKey();

  test.each([...encodedForms(key)])('written as %s', (name, form) => {
    const bytes = Buffer.concat([randomBytes(1000), Buffer.from(`x${form}y`), randomBytes(1000)]);
    expect(findLeaks(key, bytes)).toContain(name);
    expect(findLeaks(makeServiceKey(), bytes)).toEqual([]);
  });

  test.each(['', 'a', 'ab', 'abc', 'user:'])('in base64 behind "%s"', (before) => {
    const encoded = Buffer.from(`${before}${key} and more`).toString('base64');
    expect(findLeaks(key, Buffer.from(encoded))).not.toEqual([]);
  });

  test('saved in the store, while it is open and afterwards', async () => {
    await using harness = await startHarness();
    const value = JSON.stringify({ planted: key });
    await harness.repositories.store.db
      .insertInto('setting')
      .values({ key: 'planted', value })
      .execute();
    expect(search({ key }, await readFolder(harness.dataDir))).not.toEqual([]);
    await harness.gateway.close(0);
    await harness.repositories.close();
    expect(search({ key }, await readFolder(harness.dataDir))).not.toEqual([]);
  });
});

/** Builds texts with the key as programs write it, alone and inside other text. */
function writtenForms(key: string): string[] {
  const plain = [...encodedForms(key)].flatMap(([name, form]) =>
    name.startsWith('base64') ? [] : form,
  );
  const around = ['', 'x', 'xx', 'user:'].flatMap((before) => [
    Buffer.from(before + key),
    Buffer.from(`${before}${key} and more`),
  ]);
  return [
    ...plain,
    key.replaceAll(/[^a-z]/gu, (letter) => `%${letter.charCodeAt(0).toString(16)}`),
    key.replaceAll(/./gu, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
    ...around.flatMap((bytes) => [bytes.toString('base64'), bytes.toString('base64url')]),
  ];
}

/** Starts a service whose model list repeats the key of the request, in every form and field. */
async function openEcho() {
  const server = createServer((request, response) => {
    const key = (request.headers.authorization ?? '').replace('Bearer ', '');
    const forms = writtenForms(key);
    const data = forms.map((form, index) => ({
      id: `model-${index}-${form}`,
      object: 'model',
      created: 1,
      owned_by: form,
      [`about ${form}`]: { tags: [form], text: JSON.stringify({ output: key }) },
    }));
    const all = { object: 'list', data: [...data, { id: 'the rest', object: 'model' }] };
    // Repeats the key once more, with each character escaped.
    const escaped = key.replaceAll(/./gu, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);
    const body = JSON.stringify(all).replace('the rest', `the rest","owned_by":"${escaped}`);
    response.setHeader('content-type', 'application/json').end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
