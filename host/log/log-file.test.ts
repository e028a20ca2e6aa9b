import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { appendToLogFile, openLogFile } from './log-file.ts';

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

test('a log stays small though another process adds lines to it, each of the largest size', () =>
  inFolder(async (folder) => {
    const file = join(folder, 'logs', 'engine.log');
    const limits = { bytes: 100_000, files: 3 };
    const write = openLogFile(file, limits);
    for (let crash = 0; crash < 200; crash += 1) {
      appendToLogFile(file, `fault ${crash} ${'x'.repeat(1_000_000)}`);
      write('It has ended.\n');
    }
    const names = await readdir(join(folder, 'logs'));
    expect(names.toSorted()).toEqual(['engine.log', 'engine.log.1', 'engine.log.2']);
    for (const name of names) {
      expect((await stat(join(folder, 'logs', name))).size).toBeLessThan(limits.bytes + 17_000);
    }
    expect(await readFile(file, 'utf8')).toContain('fault 199');
    expect(await readFile(file, 'utf8')).toMatch(/It has ended\.\n$/u);
  }));

test('a last line stops nobody where it cannot be written', () =>
  inFolder(async (folder) => {
    await writeFile(join(folder, 'logs'), 'in the way');
    appendToLogFile(join(folder, 'logs', 'engine.log'), 'lost');
    expect(await readFile(join(folder, 'logs'), 'utf8')).toBe('in the way');
  }));
