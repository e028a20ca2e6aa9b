import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLogFile } from './log-file.ts';

async function inFolder(work: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-log-'));
  await work(folder).finally(() => rm(folder, { recursive: true }));
}

test('a log keeps its latest lines in few small files that only their owner reads', () =>
  inFolder(async (folder) => {
    const file = join(folder, 'logs', 'engine.log');
    const limits = { bytes: 30, files: 3 };
    const write = openLogFile(file, limits);
    for (let n = 10; n < 20; n += 1) write(`line ${n} here\n`);
    // A later run goes on where the last one ended.
    openLogFile(file, limits)('line 20 here\n');
    const names = await readdir(join(folder, 'logs'));
    expect(names.toSorted()).toEqual(['engine.log', 'engine.log.1', 'engine.log.2']);
    expect(await readFile(`${file}.1`, 'utf8')).toBe('line 18 here\nline 19 here\n');
    expect(await readFile(file, 'utf8')).toBe('line 20 here\n');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  }));

test('a log that cannot be written stops nobody, and goes on when it can', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'logs'), 'in the way');
    const write = openLogFile(join(folder, 'logs', 'engine.log'));
    write('lost\n');
    await rm(join(folder, 'logs'));
    write('kept\n');
    expect(await readFile(join(folder, 'logs', 'engine.log'), 'utf8')).toBe('kept\n');
  }));
