import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { BodySearchResult } from '../../../shared/exchange/body.ts';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { BodyDatabase } from '../body-database.ts';
import type { CleanBody } from '../clean-body.ts';
import { searchBodies } from './search-bodies.ts';

let folder: string;
let file: string;
let database: BodyDatabase;
let count: number;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-search-'));
  file = join(folder, 'bodies.db');
  database = new BodyDatabase(file);
  count = 0;
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

interface Message {
  readonly role: string;
  readonly content: string;
}

const user = (content: string): Message => ({ role: 'user', content });
const says = (content: string): Message => ({ role: 'assistant', content });

/** Stores a request of Chat Completions with its answer. Returns its id. */
function send(messages: readonly Message[], answer: string, client = 'c'): ExchangeId {
  count += 1;
  const id = ExchangeId.parse(`ex-${count.toString(16).padStart(16, '0')}`);
  const step = {
    protocol: 'chat',
    clientName: 'Agent',
    model: 'm',
    status: 200,
    errorCode: null,
    endedBy: 'service',
    durationMs: 1_000,
    firstByteMs: 100,
    usage: { ...UNKNOWN_USAGE, source: 'unknown' },
  };
  const system = { role: 'system', content: 'You are a careful agent.' };
  const response = { choices: [{ index: 0, message: says(answer), finish_reason: 'stop' }] };
  database.keep([
    {
      id,
      startedAt: count * 10_000,
      run: client,
      kind: client,
      client,
      facts: JSON.stringify({ conversation: null, step }),
      bodies: [
        toBody('sent', JSON.stringify({ model: 'm', messages: [system, ...messages] })),
        toBody('returned', JSON.stringify(response)),
      ],
    },
  ]);
  return id;
}

function toBody(side: CleanBody['side'], text: string): CleanBody {
  return {
    side,
    head: Buffer.from(text),
    tail: Buffer.alloc(0),
    binary: false,
    bytes: text.length,
    omitted: 0,
    contentType: 'application/json',
    masked: 0,
    eventTimes: null,
  };
}

function find(...phrases: readonly string[]): readonly ExchangeId[] {
  while (database.place().hasMore);
  return database.search({ phrases, before: null, limit: 100 }).ids;
}

test('each text is found in the exchange that it began in, and not in the later turns of its run', () => {
  const messages: Message[] = [];
  const ids: ExchangeId[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    messages.push(user(`Please look at turn${turn} again`));
    ids.push(send(messages, `The answer of turn${turn} is ready`));
    messages.push(says(`The answer of turn${turn} is ready`));
  }
  for (const [turn, id] of ids.entries()) {
    expect(find(`look at turn${turn} again`)).toEqual([id]);
    expect(find(`answer of turn${turn}`)).toEqual([id]);
  }
  expect(find('careful agent')).toEqual([ids[0]]);
  expect(find('please look')).toEqual(ids.toReversed());
});

test('words must stand together, in any case; several texts must be in one exchange', () => {
  const id = send(
    [user('Rename the Function "parseDate" in src/date.ts')],
    'Done, no TypeScript errors.',
  );
  send([user('Another task')], 'Nothing to do.', 'other');
  expect(find('the function parsedate')).toEqual([id]);
  expect(find('src/date.ts')).toEqual([id]);
  expect(find('function rename')).toEqual([]);
  expect(find('rename the function', 'typescript errors')).toEqual([id]);
  expect(find('rename the function', 'nothing to do')).toEqual([]);
  for (const hostile of ['"', '""', '*', 'a" OR "b', '?!', 'NEAR(a b)', '\0']) {
    expect(find(hostile)).toEqual([]);
  }
});

test('what is deleted is not found, and its words are in the file no more', () => {
  const gone = send([user('the qzvxwjkh of the vault')], 'ok', 'a');
  const kept = send([user('another text of the vault')], 'ok', 'b');
  expect(find('the vault')).toEqual([kept, gone]);
  database.close();
  expect(readFileSync(file).includes('zvxwjkh')).toBe(true);
  database = new BodyDatabase(file);
  while (database.prune({ before: 15_000, bytes: 2 ** 30, none: false, clients: [] }));
  expect(find('the vault')).toEqual([kept]);
  database.close();
  expect(readFileSync(file).includes('zvxwjkh')).toBe(false);
  database = new BodyDatabase(file);
  expect(find('another text')).toEqual([kept]);
});

/** Makes a word that no other exchange has, so that most of the file is the index. */
function word(at: number): string {
  return createHash('md5').update(String(at)).digest('hex').slice(0, 10);
}

test('the limit of bytes deletes no more because the words of deleted exchanges are in the file', () => {
  for (let at = 0; at < 300; at += 1) {
    const words = Array.from({ length: 200 }, (_, place) => word(200 * at + place));
    send([user(words.join(' '))], 'ok', `c${at}`);
  }
  while (database.place().hasMore);
  const limits = { before: 0, none: false, clients: [] };
  const now = { now: 0, clients: [] };
  const { stored } = database.size(now);
  const bytes = Math.round(stored / 3);
  while (database.prune({ ...limits, bytes }));
  const size = database.size(now);
  expect(size.stored).toBeLessThanOrEqual(bytes);
  // A third fits, but for the last steps and the words that FTS5 itself has not merged away yet.
  expect(size.exchanges).toBeGreaterThanOrEqual(300 / 3 - 50);
  expect(find(word(0))).toEqual([]);
  expect(find(word(300 * 200 - 1))).toHaveLength(1);
});

test('a search goes on step by step, tells how far it went, and ends with its signal', async () => {
  const ids = Array.from({ length: 450 }, (_, at) =>
    send([user(`common text ${at}`)], 'ok', `c${at}`),
  );
  while (database.place().hasMore);
  const { signal } = new AbortController();
  const results: BodySearchResult[] = [];
  for await (const result of searchBodies(['common text'], signal, (query) =>
    Promise.resolve(database.search(query)),
  )) {
    results.push(result);
  }
  expect(results.map(({ ids: found, state }) => [found.length, state])).toEqual([
    [200, 'running'],
    [400, 'running'],
    [450, 'done'],
  ]);
  expect(results.at(-1)?.ids).toEqual(ids.toReversed());
  expect(results[0]?.through).toBe(251 * 10_000);
  const search = { phrases: ['common text'], before: null };
  expect(database.search({ ...search, limit: 450 }).next).toBeNull();
  expect(database.search({ ...search, limit: 449 }).next).not.toBeNull();
  const stop = new AbortController();
  let steps = 0;
  for await (const _ of searchBodies(['common text'], stop.signal, (query) =>
    Promise.resolve(database.search(query)),
  )) {
    steps += 1;
    stop.abort();
  }
  expect(steps).toBe(1);
});
