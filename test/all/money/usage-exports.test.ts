import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotFoundError, UserError } from '../../../gateway/errors.ts';
import { openUsageExports, type UsageExports } from '../../../gateway/reconcile/usage-exports.ts';
import type { UsageColumns } from '../../../shared/reconcile/usage-columns.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { type HistoryFolder, openHistoryFolder } from '../../kit/history/history-folder.ts';

const START = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const SERVICE = 'https://models.example.com';
const COLUMNS: UsageColumns = {
  time: 'time',
  model: 'model',
  id: null,
  requests: null,
  input: ['input'],
  output: ['output'],
  cost: null,
  rows: 'request',
  timeZone: 'utc',
};
const QUERY = { service: SERVICE, columns: COLUMNS, since: null, until: null };
const HEAD = 'time,model,input,output\n';
const never = new AbortController().signal;

let folder: HistoryFolder;
let exports: UsageExports;
let now = START;
let ids = 0;
beforeEach(async () => {
  now = START;
  folder = await openHistoryFolder({ now: () => START });
  exports = open();
});
afterEach(async () => {
  await exports.close();
  await folder[Symbol.asyncDispose]();
});

function randomBytes(size: number): Uint8Array {
  return Buffer.alloc(size, (ids += 1));
}

function open(): UsageExports {
  const { dataDir, store, history } = folder;
  return openUsageExports({ host: { dataDir, now: () => now, randomBytes }, store, history });
}

async function send(content: string | Buffer): Promise<string> {
  const bytes = Buffer.from(content);
  const upload = await exports.begin(bytes.length);
  for (let at = 0; at < bytes.length; at += 512 * 1024) {
    await exports.append(upload, bytes.subarray(at, at + 512 * 1024));
  }
  return upload;
}

function toRow(place: number, model: string, input: number): string {
  return `${new Date(START + place * 1_000).toISOString()},${model},${input},5\n`;
}

async function listFiles(): Promise<string[]> {
  return await readdir(join(folder.dataDir, 'usage-exports')).catch(() => []);
}

test('two windows compare at once, and each gets the result of its file', async () => {
  await folder.record(
    anExchange('ex-a', { startedAt: START, modelSent: 'a', modelServed: null }),
    anExchange('ex-b', { startedAt: START, modelSent: 'b', modelServed: null }),
  );
  const [one, other] = await Promise.all([
    send(HEAD + toRow(0, 'a', 10)),
    send(HEAD + toRow(0, 'b', 11) + toRow(1, 'c', 1)),
  ]);
  const [first, second] = await Promise.all([
    exports.compare(one, QUERY, never),
    exports.compare(other, QUERY, never),
  ]);
  expect([first.equal, first.different.count, first.onlyInExport.count]).toEqual([1, 0, 0]);
  expect(first.onlyInHistory.first).toMatchObject([{ exchange: 'ex-b', model: 'b' }]);
  expect([second.equal, second.different.count, second.onlyInExport.count]).toEqual([0, 1, 1]);
  expect(second.onlyInHistory.first).toMatchObject([{ exchange: 'ex-a' }]);
});

test('columns are proposed, and remembered after a comparison for files that have them', async () => {
  await folder.record(anExchange('ex-a', { startedAt: START }));
  const upload = await send(`${HEAD}${toRow(0, 'a', 10)}`);
  const sample = await exports.sample(upload, SERVICE, never);
  expect(sample).toMatchObject({ format: 'csv', proposal: COLUMNS, remembered: null });
  expect(sample.first.map((cells) => cells.get('input'))).toEqual(['10']);
  const changed = { ...COLUMNS, output: [] };
  const wrong = { ...COLUMNS, input: ['absent'] };
  await expect(exports.compare(upload, { ...QUERY, columns: wrong }, never)).rejects.toThrow(
    'The file has no column "absent". It has: time, model, input, output.',
  );
  expect((await exports.sample(upload, SERVICE, never)).remembered).toBeNull();
  await exports.compare(upload, { ...QUERY, columns: changed }, never);
  expect((await exports.sample(upload, SERVICE, never)).remembered).toEqual(changed);
  expect((await exports.sample(upload, 'other', never)).remembered).toBeNull();
  const other = await send('when,tokens\n2026-11-20,4\n');
  expect((await exports.sample(other, SERVICE, never)).remembered).toBeNull();
});

test('files expire, the oldest makes room, and none stays after the end', async () => {
  const text = `${HEAD}${toRow(0, 'a', 10)}`;
  const first = await send(text);
  await exports.forget(first);
  await expect(exports.sample(first, SERVICE, never)).rejects.toThrow(NotFoundError);
  const uploads = [];
  for (let place = 0; place < 5; place += 1) {
    now += 1;
    uploads.push(await send(text));
  }
  await expect(exports.sample(uploads[0] ?? '', SERVICE, never)).rejects.toThrow('again');
  await exports.sample(uploads[1] ?? '', SERVICE, never);
  expect(await listFiles()).toHaveLength(4);
  now += HOUR_MS + 1;
  await send(text);
  expect(await listFiles()).toHaveLength(1);
  await exports.close();
  expect(await listFiles()).toEqual([]);
  exports = open();
});

test('a file that is not as announced is refused', async () => {
  await expect(exports.begin(65 * 1024 * 1024)).rejects.toThrow('at most 64 MiB');
  const upload = await exports.begin(10);
  await exports.append(upload, Buffer.from('12345'));
  await expect(exports.sample(upload, SERVICE, never)).rejects.toThrow('incomplete');
  await expect(exports.append(upload, Buffer.from('1234567'))).rejects.toThrow('announced');
  await expect(exports.append(upload, Buffer.from('1'))).rejects.toThrow(NotFoundError);
});

describe('a hostile file', () => {
  const MIB = 1024 * 1024;

  test.each([
    ['that is binary', Buffer.from([0x50, 0x4b, 3, 4, 0, 0, 0xff, 0xfe]), 'not text in UTF-8'],
    ['with NUL', `${HEAD}a\0b`, 'not text in UTF-8'],
    ['with a header only', HEAD, 'no rows'],
    ['with a quote that is not closed', `${HEAD}"m,1\n2,3\n`, 'Line '],
    ['of 64 MiB in one line', Buffer.alloc(64 * MIB, 'x,'), 'too long'],
    ['of 64 MiB of brackets', Buffer.alloc(64 * MIB, '['), 'ends within an entry'],
  ])('%s is refused with a sentence', async (_name, content, message) => {
    const upload = await send(content);
    const failure = await exports.sample(upload, SERVICE, never).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(UserError);
    expect(String(failure)).toContain(message);
  });

  test('without a header and with formulas is no error of the program', async () => {
    const upload = await send(`${toRow(0, "'=cmd|x", 10)}${toRow(1, '=1+1', 10)}`);
    const { columns } = await exports.sample(upload, SERVICE, never);
    expect([...columns.values()]).toContain('=1+1');
  });
});

test('a comparison that is left ends, and the next one starts', async () => {
  const upload = await send(HEAD + toRow(0, 'a', 10));
  const leaving = new AbortController();
  const left = exports.compare(upload, QUERY, leaving.signal);
  leaving.abort();
  await expect(left).rejects.toThrow('aborted');
  expect(await exports.compare(upload, QUERY, never)).toMatchObject({ equal: 0 });
});

test(
  '100,000 rows and exchanges leave the thread of the engine free',
  { timeout: 300_000 },
  async () => {
    const count = 100_000;
    const rows: string[] = [HEAD];
    for (let place = 0; place < count; place += 1) {
      const model = `m-${place % 7}`;
      const id = `ex-${String(place).padStart(16, '0')}`;
      const startedAt = START + place * 1_000;
      folder.history.record(anExchange(id, { startedAt, modelSent: model, modelServed: null }));
      if (place % 5_000 === 0) await folder.history.flush();
      rows.push(toRow(place, model, place % 1_000 === 0 ? 11 : 10));
    }
    await folder.history.flush();
    const upload = await send(rows.join(''));
    const before = { own: process.threadCpuUsage(), all: process.cpuUsage() };
    const found = await exports.compare(upload, QUERY, never);
    const own = toTotal(process.threadCpuUsage(before.own));
    const all = toTotal(process.cpuUsage(before.all));
    expect([found.equal, found.different.count]).toEqual([count - 100, 100]);
    expect(found.difference.input).toBe(100);
    // It only passes the exchanges on: about a seventh of the work. All of it on this thread is two thirds.
    expect(own / all).toBeLessThan(0.35);
  },
);

function toTotal({ user, system }: NodeJS.CpuUsage): number {
  return user + system;
}
