import { fork } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { ExchangeRecord } from '../../../shared/exchange/exchange.ts';

const ROUNDS = 6;
const seed = Number(process.env['CRASH_SEED'] ?? randomInt(2 ** 31));

/** Serves under load and is killed at the moment its `moment`th message comes in. Resolves with what it told before. */
async function serveAndKill(dataDir: string, moment: number) {
  const child = fork(join(import.meta.dirname, 'crash-process.ts'), [dataDir], {
    execPath: process.execPath,
    execArgv: [],
  });
  const statuses: number[] = [];
  let written = 0;
  let messages = 0;
  child.on('message', (message: { readonly answered?: number; readonly written?: number }) => {
    if (message.answered !== undefined) statuses.push(message.answered);
    written += message.written ?? 0;
    messages += 1;
    if (messages === moment) child.kill('SIGKILL');
  });
  const [, signal]: unknown[] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  return { statuses, written };
}

function checkIntegrity(file: string): void {
  const db = new DatabaseSync(file);
  expect(db.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(db.prepare('pragma foreign_key_check').all()).toEqual([]);
  db.close();
}

function noLog(): void {}

async function readRecords(file: string): Promise<readonly ExchangeRecord[]> {
  const store = await openStore(file);
  const history = openHistory({
    store,
    now: Date.now,
    redact: String,
    log: noLog,
    getRetention: null,
  });
  const records = await history.list({ limit: 100_000 });
  await history.close();
  await store.close();
  return records;
}

test(`killed under load ${ROUNDS} times, the history stays whole and the next start serves (CRASH_SEED=${seed})`, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-crash-'));
  const file = join(dataDir, 'gatehouse.db');
  const moments = fc.sample(fc.integer({ min: 1, max: 400 }), { numRuns: ROUNDS, seed });
  let kept = 0;
  let answered = 0;
  for (const moment of moments) {
    const { statuses, written } = await serveAndKill(dataDir, moment);
    expect(statuses.every((status) => status === 200)).toBe(true);
    expect(statuses.length + written).toBeGreaterThan(0);
    checkIntegrity(file);
    const records = await readRecords(file);
    for (const record of records) {
      expect(ExchangeRecord.parse(record)).toEqual(record);
      expect(record).toMatchObject({ route: 'chat', attempts: 1 });
      if (record.errorCode === 'gateway_stopped') {
        expect(record).toMatchObject({ status: null, usage: { source: 'estimated' } });
      } else {
        expect(record.status).toBe(200);
        expect(record.usage.source === 'reported' || record.streamed).toBe(true);
      }
    }
    expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
    // Every row that was reported as written is there, and no earlier row is lost.
    expect(records.length).toBeGreaterThanOrEqual(kept + written);
    // Every request that the runs before answered is there: what was not written then was recovered at this start.
    expect(records.length).toBeGreaterThanOrEqual(answered);
    answered += statuses.length;
    kept = records.length;
  }
  expect(kept).toBeGreaterThan(0);
  const { statuses } = await serveAndKill(dataDir, 20);
  expect(statuses).toContain(200);
  await rm(dataDir, { recursive: true, force: true });
}, 60_000);
