import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openUserHome } from '../../kit/connections-home.ts';

const CLINE = '.cline/data/settings/providers.json';
const CONTINUE = '.continue/config.yaml';
const MODEL = { model: 'zai-org/glm-5' } as const;

const ClineFile = z.looseObject({
  providers: z.record(z.string(), z.looseObject({ updatedAt: z.string() })),
});

/** Writes the time and the formatting that Cline writes when it runs. */
async function runCline(file: string): Promise<void> {
  const content = ClineFile.parse(JSON.parse(await readFile(file, 'utf8')));
  for (const entry of Object.values(content.providers)) {
    entry.updatedAt = '2026-11-26T03:11:04.040Z';
  }
  await writeFile(file, JSON.stringify(content, null, 2));
}

test('a time that the program has changed goes with the entry that was made for the connection', async () => {
  await using user = await openUserHome();
  const other = { settings: { provider: 'anthropic', apiKey: 'k' }, updatedAt: 'then' };
  const file = await user.put(
    CLINE,
    JSON.stringify({ version: 1, lastUsedProvider: 'anthropic', providers: { anthropic: other } }),
  );
  await user.connections.connect({ program: 'cline', ...MODEL }, null);
  await runCline(file);
  await user.connections.connect({ program: 'cline', model: 'another' }, null);
  await runCline(file);
  const { files } = await user.connections.disconnect('cline', null);
  expect(files).toMatchObject([{ result: 'edited', left: [] }]);
  expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({
    version: 1,
    lastUsedProvider: 'anthropic',
    providers: { anthropic: { ...other, updatedAt: '2026-11-26T03:11:04.040Z' } },
  });
});

test('an entry that was there before keeps its own time', async () => {
  await using user = await openUserHome();
  const settings = {
    provider: 'openai-compatible',
    apiKey: 'k',
    model: 'm',
    baseUrl: 'http://x/v1',
  };
  const present = {
    version: 1,
    lastUsedProvider: 'openai-compatible',
    providers: { 'openai-compatible': { settings, updatedAt: 'then', tokenSource: 'manual' } },
  };
  const file = await user.put(CLINE, JSON.stringify(present));
  await user.connections.connect({ program: 'cline', ...MODEL }, null);
  await runCline(file);
  await user.connections.disconnect('cline', null);
  const { providers } = ClineFile.parse(JSON.parse(await readFile(file, 'utf8')));
  expect(providers).toEqual({
    'openai-compatible': {
      settings,
      updatedAt: '2026-11-26T03:11:04.040Z',
      tokenSource: 'manual',
    },
  });
});

test('a head that a file needs stays while others use the file, and goes with the last of them', async () => {
  await using user = await openUserHome();
  const file = join(user.home, CONTINUE);
  await user.connections.connect({ program: 'continue', ...MODEL }, null);
  const made = await readFile(file, 'utf8');
  expect(made).toMatch(/^name: Gatehouse\nversion: 1\.0\.0\nschema: v1\nmodels:\n/u);
  await writeFile(file, `${made}  - name: Mine\n    provider: ollama\n    model: mine\n`);
  await user.connections.connect({ program: 'continue', model: 'another' }, null);
  await user.connections.disconnect('continue', null);
  expect(await readFile(file, 'utf8')).toBe(
    'name: Gatehouse\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: Mine\n    provider: ollama\n    model: mine\n',
  );
  await user.connections.connect({ program: 'continue', ...MODEL }, null);
  await user.connections.disconnect('continue', null);
  expect(await readFile(file, 'utf8')).toContain('name: Mine');
});

test('a file that consists of a head alone is deleted with the connection that made it', async () => {
  await using user = await openUserHome();
  const file = join(user.home, CONTINUE);
  await user.connections.connect({ program: 'continue', ...MODEL }, null);
  await writeFile(file, `${await readFile(file, 'utf8')}\n`);
  expect(await user.connections.disconnect('continue', null)).toMatchObject({
    files: [{ result: 'deleted', left: [] }],
  });
  expect(await readdir(user.home)).toEqual([]);
});
