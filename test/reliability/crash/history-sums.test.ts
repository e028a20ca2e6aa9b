import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { expectAgreement } from '../../kit/history/expect-agreement.ts';

test('rows and totals agree after a process was killed while it recorded, erased and pruned', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-sums-'));
  const file = join(folder, 'gatehouse.db');
  for (const moment of fc.sample(fc.integer({ min: 1, max: 60 }), 8)) {
    const child = fork(join(import.meta.dirname, 'erasing-process.ts'), [file], {
      execPath: process.execPath,
      execArgv: [],
    });
    let reports = 0;
    child.on('message', () => {
      reports += 1;
      if (reports === moment) child.kill('SIGKILL');
    });
    const [, signal]: unknown[] = await once(child, 'exit');
    expect(signal).toBe('SIGKILL');
    const outside = new DatabaseSync(file);
    expectAgreement(outside);
    outside.close();
  }
  await rm(folder, { recursive: true, force: true });
});
