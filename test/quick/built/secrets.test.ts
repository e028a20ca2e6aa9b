import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ExportFormat } from '../../../shared/history/export.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { readFolder } from '../../kit/secret-leak.ts';
import { sendClientMistakes } from '../../kit/client-mistakes.ts';
import {
  makeServiceKey,
  makeLocalKey,
  search,
  toSources,
  openCli,
} from '../../kit/process/key-search.ts';

describe('No key is found in any byte that Gatehouse writes or sends', () => {
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
