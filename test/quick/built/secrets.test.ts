import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox } from '../../../sandbox/server.ts';
import {
  makeLocalKey,
  makeServiceKey,
  openCli,
  search,
  toSources,
} from '../../kit/process/key-search.ts';
import { readFolder } from '../../kit/secret-leak.ts';

const BODY = JSON.stringify({ model: 'sandbox/echo', messages: [{ role: 'user', content: 'Hi' }] });

test('no key is in any file of a run, nor in what it prints', async () => {
  const serviceKey = makeServiceKey();
  const localKey = makeLocalKey();
  await using sandbox = await openSandbox({ key: serviceKey });
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-keys-'));
  const cli = openCli({ home, serviceKey, localKey, url: sandbox.url });
  const serving = cli.start(['serve', '--port', '0', '--log-level', 'debug']);
  try {
    const port = await serving.port;
    const ask = async (key: string, body = BODY) => {
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
      const url = `http://127.0.0.1:${port}/v1/chat/completions`;
      return await (await fetch(url, { method: 'POST', headers, body })).text();
    };
    // The service key in the place of the local one is a mistake that people make.
    const answers = [
      await ask(localKey),
      await ask(localKey, '{"model":'),
      await ask(encodeURIComponent(serviceKey)),
    ];
    const during = await readFolder(home);
    serving.child.kill('SIGTERM');
    const served = await serving.output;
    const printed = await cli.start(['history', '--json']).output;
    const places = new Map([
      ...toSources('answer', answers),
      ...toSources('output', [served, printed]),
      ...[...during].map(([name, bytes]) => [`${name} while serving`, bytes] as const),
      ...(await readFolder(home)),
    ]);
    expect(printed).toContain('"route": "chat"');
    expect([...places.keys()].some((name) => name.endsWith('gatehouse.db'))).toBe(true);
    expect(search({ 'service key': serviceKey, 'local key': localKey }, places)).toEqual([]);
  } finally {
    serving.child.kill('SIGKILL');
    await serving.output;
    await rm(home, { recursive: true, force: true });
  }
});
