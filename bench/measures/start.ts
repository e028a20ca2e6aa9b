import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from 'undici';
import { callOnce } from '../calls/paired.ts';
import type { Door } from '../door.ts';
import { ANSWER_BODY, REQUEST_BODY, SERVICE_KEY } from '../exchange.ts';
import { openLineup } from '../lineup.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

const LOCAL_KEY = 'gh-bench-2b7e151628aed2a6abf7';
const BUILT = fileURLToPath(new URL('../../out/cli/main.js', import.meta.url));
const SOURCE = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** From the start of the command on an empty data folder to the first right answer through it. */
export const measureStart: Measure = async ({ scale }) => {
  await using lineup = await openLineup({
    service: 'instant',
    doors: ['direct'],
    profileDir: null,
  });
  const serviceUrl = lineup.doors[0]?.url ?? '';
  const program = existsSync(BUILT) ? BUILT : SOURCE;
  const took: number[] = [];
  for (let time = 0; time < scale.start.times; time += 1)
    took.push(await start(program, serviceUrl));
  const label = `start to first answer (${program === BUILT ? 'built' : 'from source'})`;
  const goal = { atMost: 700 };
  return new Rows('start').add(['median', label], 'ms', { values: { gateway: median(took) }, goal })
    .rows;
};

async function start(program: string, serviceUrl: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-start-'));
  const environment = { GATEHOUSE_UPSTREAM_KEY: SERVICE_KEY, GATEHOUSE_LOCAL_KEY: LOCAL_KEY };
  const began = performance.now();
  const child = spawn(
    process.execPath,
    [program, 'serve', '--port', '0', '--upstream', serviceUrl, '--data', folder],
    { env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = once(child, 'exit');
  try {
    const door: Door = { name: 'gateway', url: await announcedAddress(child), key: LOCAL_KEY };
    const client = new Client(door.url);
    await callOnce(client, door, { body: REQUEST_BODY, expected: ANSWER_BODY });
    const took = performance.now() - began;
    await client.destroy();
    return took;
  } finally {
    child.kill('SIGTERM');
    await ended;
    await rm(folder, { recursive: true, force: true });
  }
}

/** The local address that the command prints, the one that ends with `/v1`. Rejects when the command ends without one. */
function announcedAddress(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let printed = '';
  const read = (text: string): void => {
    printed += text;
    const address = /(http:\/\/127\.0\.0\.1:\d+)\/v1$/m.exec(printed)?.[1];
    if (address !== undefined) resolve(address);
  };
  child.stdout?.setEncoding('utf8').on('data', read);
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  child.once('close', (code) => reject(new Error(`The command ended with ${code}: ${printed}`)));
  return promise;
}
