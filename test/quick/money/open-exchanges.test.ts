import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openOpenExchanges, readInterrupted } from '../../../gateway/history/history.ts';
import { ClientId } from '../../../shared/client.ts';
import { SILENT_SENDER } from '../../../shared/exchange/sender.ts';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';

let dir = '';
let file = '';
const logged: string[] = [];
const log = (_level: string, message: string) => void logged.push(message);

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'gatehouse-open-'));
  file = join(dir, 'open-exchanges');
  logged.length = 0;
});
afterEach(() => rm(dir, { recursive: true }));

const written = () => Promise.resolve();
const open = (kept: readonly string[] = [], flush = written) =>
  openOpenExchanges({ file, kept: new Set(toIds(kept)), flush, redact: String, log });

const toIds = (ids: readonly string[]) => ids.map((id) => ExchangeId.parse(id));

function anExchange(id: string, fields: object = {}) {
  return {
    id: ExchangeId.parse(id),
    startedAt: 1_000,
    service: 'https://models.example.com',
    clientId: ClientId.parse('c'),
    clientName: 'Editor',
    conversation: 's1',
    run: RunId.parse('run-1'),
    sender: { ...SILENT_SENDER, agent: 'a1', project: 'git@example.com:a/shop.git' },
    route: 'chat' as const,
    method: 'POST',
    path: '/v1/chat/completions',
    model: 'm',
    streamed: true,
    bytesIn: 10,
    input: 5,
    output: 7,
    images: 2,
    video: null,
    ...fields,
  };
}

const idsOf = () => readInterrupted(file, log).map(({ id }) => id);

test('what was begun is read back as an exchange that was interrupted, with its estimate', () => {
  const exchanges = open();
  exchanges.begin(anExchange('a'));
  exchanges.begin(
    anExchange('b', { video: { seconds: 4, resolution: '480p' }, route: 'video-submit' }),
  );
  const [first, second] = readInterrupted(file, log);
  expect(first).toMatchObject({
    id: 'a',
    conversation: 's1',
    run: 'run-1',
    sender: { agent: 'a1', parent: null, project: 'git@example.com:a/shop.git' },
    status: null,
    errorCode: 'gateway_stopped',
    usage: { input: 5, output: 7, media: { images: 2 }, source: 'estimated' },
  });
  expect(second?.video).toEqual({ seconds: 4, resolution: '480p' });
  exchanges.close();
  expect(idsOf()).toEqual([]);
});

test('what was recorded is overwritten at once when the history is deleted, and its place is used again', async () => {
  const exchanges = open();
  const end = exchanges.begin(anExchange('a'));
  exchanges.begin(anExchange('b'));
  end(true);
  exchanges.forgetRecorded(performance.now());
  expect(idsOf()).toEqual(['b']);
  exchanges.begin(anExchange('c'));
  expect(idsOf().toSorted()).toEqual(['b', 'c']);
  expect((await readFile(file)).length).toBe(2 * 1024);
});

test('of many that were recorded only those that still run are left, wherever their places are', async () => {
  const exchanges = open();
  const running = new Set([0, 7, 8, 299, 640, 699]);
  const ends = Array.from({ length: 700 }, (_, index) =>
    exchanges.begin(anExchange(String(index))),
  );
  // They end in another order than they began.
  const ended = [...ends.entries()].filter(([index]) => !running.has(index)).toReversed();
  for (const [, end] of ended) end(true);
  exchanges.forgetRecorded(performance.now());
  expect(idsOf()).toEqual([...running].map(String));
  expect((await readFile(file)).length).toBe(700 * 1024);
  for (const _ of ended) exchanges.begin(anExchange('later'));
  expect(idsOf().filter((id) => id !== 'later')).toEqual([...running].map(String));
  expect((await readFile(file)).length).toBe(700 * 1024);
});

test('what was recorded stays until a busy database has written it, and its place is used again then', async () => {
  vi.useFakeTimers();
  try {
    const writing = Promise.withResolvers<void>();
    const exchanges = open([], () => writing.promise);
    const ends = ['a', 'b', 'c'].map((id) => exchanges.begin(anExchange(id)));
    for (const end of ends.slice(0, 2)) end(true);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(idsOf()).toEqual(['a', 'b', 'c']);
    writing.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(idsOf()).toEqual(['c']);
    exchanges.begin(anExchange('d'));
    expect(idsOf().toSorted()).toEqual(['c', 'd']);
    ends[2]?.(true);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(idsOf()).toEqual(['d']);
    exchanges.close();
  } finally {
    vi.useRealTimers();
  }
});

test('long texts are cut to their place, half a line and other contents are left out', async () => {
  const exchanges = open();
  const long = '\u{1f98a}'.repeat(5_000);
  const texts = { model: long, path: long, clientName: long, service: long, conversation: long };
  exchanges.begin(anExchange('a', texts));
  expect((await readFile(file)).length).toBe(1024);
  expect(readInterrupted(file, log)[0]?.modelSent).toMatch(/^\u{1f98a}/u);
  await writeFile(file, '{"id":"x","startedAt"\n[]\nnull\n\u0000\n');
  expect(idsOf()).toEqual([]);
});

test('of what a client says of its agent the long parts are left out before anything else', () => {
  const exchanges = open();
  const sender = {
    ...SILENT_SENDER,
    agent: 'a1',
    project: '/shop',
    toolTimes: 'Bash=1;'.repeat(140),
  };
  exchanges.begin(anExchange('a', { sender }));
  exchanges.begin(anExchange('b', { sender: { ...sender, project: 'x'.repeat(900) } }));
  exchanges.begin(anExchange('c', { path: `/${'x'.repeat(900)}`, conversation: 's'.repeat(200) }));
  const [one, two, three] = readInterrupted(file, log);
  const kept = { conversation: 's1', clientName: 'Editor' };
  expect(one).toMatchObject({
    ...kept,
    sender: { agent: 'a1', project: '/shop', toolTimes: null },
  });
  expect(two).toMatchObject({ ...kept, sender: null });
  // The run is still that of a session.
  expect(three).toMatchObject({ run: 'run-1', conversation: 's'.repeat(36) });
});

test('of what an earlier run left only what could not be recorded stays', async () => {
  const first = open();
  for (const id of ['recorded', 'a', 'also-recorded', 'b']) first.begin(anExchange(id));
  const second = open(['a', 'b']);
  expect(idsOf()).toEqual(['a', 'b']);
  second.begin(anExchange('c'));
  expect((await readFile(file)).length).toBe(3 * 1024);
  second.close();
  expect(idsOf()).toEqual(['a', 'b']);
  open(['b']).close();
  expect(idsOf()).toEqual(['b']);
  open().close();
  expect(existsSync(file)).toBe(false);
});

test('what the file has twice is read once', async () => {
  open().begin(anExchange('a'));
  await appendFile(file, await readFile(file));
  expect(idsOf()).toEqual(['a']);
});

test('whose record was dropped stays for the next start; what was written, costs nothing, or ends later is forgotten', async () => {
  vi.useFakeTimers();
  try {
    const exchanges = open();
    exchanges.begin(anExchange('a'))(true);
    exchanges.begin(anExchange('written'))(true);
    exchanges.begin(anExchange('refused'))(false);
    exchanges.keepDropped(toIds(['a', 'refused', 'not-sent']));
    const end = exchanges.begin(anExchange('b'));
    const endRefused = exchanges.begin(anExchange('refused-too'));
    // A full buffer drops a record before its exchange ends here.
    exchanges.keepDropped(toIds(['b', 'refused-too']));
    end(true);
    endRefused(false);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(idsOf()).toEqual(['a', 'b']);
    exchanges.begin(anExchange('c'))(true);
    exchanges.close();
    expect(idsOf()).toEqual(['a', 'b']);
  } finally {
    vi.useRealTimers();
  }
});

test('what is dropped stays when the history is deleted right afterwards', () => {
  const exchanges = open();
  exchanges.begin(anExchange('a'))(true);
  exchanges.begin(anExchange('written'))(true);
  exchanges.keepDropped(toIds(['a']));
  exchanges.forgetRecorded(performance.now());
  expect(idsOf()).toEqual(['a']);
  exchanges.close();
  expect(idsOf()).toEqual(['a']);
});

test('what is dropped at the end stays, also when the database is still writing then', async () => {
  vi.useFakeTimers();
  try {
    const writing = Promise.withResolvers<void>();
    const exchanges = open([], () => writing.promise);
    exchanges.begin(anExchange('a'))(true);
    exchanges.begin(anExchange('refused'))(false);
    await vi.advanceTimersByTimeAsync(10_000);
    exchanges.keepDropped(toIds(['a', 'refused']));
    exchanges.close();
    writing.resolve();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(idsOf()).toEqual(['a']);
  } finally {
    vi.useRealTimers();
  }
});

test('of very many that are dropped a part is kept, in all runs together, and the log says so', () => {
  const exchanges = open();
  const ids = Array.from({ length: 4_999 }, (_, index) => `e${index}`);
  for (const id of ids) exchanges.begin(anExchange(id))(true);
  exchanges.keepDropped(toIds(ids));
  exchanges.close();
  expect(idsOf()).toEqual(ids);
  const next = open(ids);
  for (const id of ['a', 'b', 'c']) next.begin(anExchange(id))(true);
  next.keepDropped(toIds(['a', 'b', 'c']));
  next.close();
  expect(idsOf()).toEqual([...ids, 'a']);
  expect(logged).toEqual(['After the next start limits lack requests that could not be recorded.']);
});

const redact = (text: string) => text.replaceAll('key1', '[a secret key]');

test('secrets that their mask makes longer leave lines that can be read', () => {
  const exchanges = openOpenExchanges({ file, kept: new Set(), flush: written, redact, log });
  const ids = Array.from({ length: 120 }, (_, count) => `e${count}`);
  for (const [count, id] of ids.entries())
    exchanges.begin(anExchange(id, { path: 'key1'.repeat(count) }));
  expect(idsOf()).toEqual(ids);
});

test('a folder where it cannot be written stops nothing', () => {
  const missing = join(dir, 'missing', 'file');
  const exchanges = openOpenExchanges({
    file: missing,
    kept: new Set(),
    flush: written,
    redact: String,
    log,
  });
  exchanges.begin(anExchange('a'))(true);
  exchanges.keepDropped(toIds(['a']));
  exchanges.forgetRecorded(performance.now());
  exchanges.close();
  expect(logged).toEqual(['Requests in progress are not written to the data folder.']);
});

test('texts of any length and of any characters fit their places', () => {
  const exchanges = open();
  const wild = '\u0001"\\€'.repeat(2_000);
  exchanges.begin(anExchange('a', { model: wild, path: wild, clientName: wild, service: wild }));
  exchanges.begin(
    anExchange('b', { video: { seconds: 4, resolution: wild }, route: 'video-submit' }),
  );
  expect(idsOf()).toEqual(['a', 'b']);
  exchanges.close();
});

test('what ends after the file was closed writes nothing into another file', () => {
  const exchanges = open();
  const end = exchanges.begin(anExchange('a'));
  exchanges.close();
  const other = openSync(file, 'w+');
  writeSync(other, 'something else');
  end(true);
  exchanges.begin(anExchange('b'));
  exchanges.forgetRecorded(performance.now());
  expect(readFileSync(file, 'utf8')).toBe('something else');
  closeSync(other);
});
