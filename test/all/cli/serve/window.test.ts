import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, assert, beforeEach, expect, test } from 'vitest';
import { isPortFree } from '../../../../host/process/port-owner.ts';
import { freePort } from '../../../kit/net/free-port.ts';
import { openTestMachine, type TestMachine } from '../../../kit/process/test-machine.ts';

let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

const LINK = /http:\/\/127\.0\.0\.1:(\d+)\/#([\w-]{22})/u;

async function statusOf(link: string): Promise<number> {
  const [, port, code] = LINK.exec(link) ?? [];
  const answer = await fetch(`http://127.0.0.1:${port}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  await answer.text();
  return answer.status;
}

test('the printed link lets one browser in, and open makes another', async () => {
  await using serving = await terminal.serve();
  expect(await statusOf(serving.banner)).toBe(200);
  expect(await statusOf(serving.banner)).toBe(401);
  const { code, stdout, stderr } = await terminal.run(['open', '--print']);
  expect([code, stderr]).toEqual([
    0,
    'Open this link in a browser on this machine. It works once, within 10 minutes.\n',
  ]);
  expect(stdout.trim()).toMatch(new RegExp(`^${LINK.source}$`, 'u'));
  expect(stdout.trim()).not.toBe(LINK.exec(serving.banner)?.[0]);
  expect(await statusOf(stdout)).toBe(200);
});

test.skipIf(process.platform !== 'linux')('open hands the link to the browser', async () => {
  await using serving = await terminal.serve();
  const bin = join(terminal.dataDir, '..', 'bin');
  const reported = join(bin, 'told');
  await mkdir(bin);
  const script = `#!/bin/sh\nprintf '%s' "$*" > '${reported}.new' && mv '${reported}.new' '${reported}'\n`;
  await writeFile(join(bin, 'xdg-open'), script);
  await chmod(join(bin, 'xdg-open'), 0o755);
  const environment = { DISPLAY: ':0', PATH: `${bin}:${process.env['PATH']}` };
  const { stdout, stderr } = await terminal.run(['open'], { environment });
  expect(stderr).toContain('opens in your browser');
  await expect
    .poll(async () => await readFile(reported, 'utf8').catch(() => ''))
    .toBe(stdout.trim());
  expect(serving.banner).not.toContain(stdout.trim());
});

test('open says what to do when nothing runs, or nothing with a window', async () => {
  const before = await terminal.run(['open']);
  expect([before.code, before.stdout]).toEqual([1, '']);
  expect(before.stderr).toContain(`No Gatehouse is running on the data folder`);
  expect(before.stderr).toContain('gatehouse serve');
  await using serving = await terminal.serve(['--no-ui']);
  expect(serving.banner).not.toContain('Window');
  const without = await terminal.run(['open']);
  expect([without.code, without.stdout]).toEqual([1, '']);
  expect(without.stderr).toContain('--no-ui');
});

test('a port for the window that was named and is taken ends the start and says who has it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  const port = String(address.port);
  const { code, stderr } = await terminal.run(['serve', '--port', '0', '--ui-port', port]);
  server.close();
  expect(code).toBe(1);
  expect(stderr).toContain(`Port ${port} is used by `);
  expect(stderr).toContain('--no-ui');
});

test('the sandbox leaves the port of the window alone, also where it would be its own', async () => {
  const { proxy, window } = await freePorts();
  const ports = ['--port', String(proxy), '--ui-port', String(window)];
  await using serving = await terminal.serve(ports, { ownPort: true });
  expect(serving.banner).toContain(`Window      http://127.0.0.1:${window}/`);
});

/** Free ports that are 10 apart, as those of the proxy and its sandbox are. */
async function freePorts(): Promise<{ proxy: number; window: number }> {
  for (;;) {
    const proxy = await freePort();
    if (proxy <= 65_000 && (await isPortFree(proxy + 10))) return { proxy, window: proxy + 10 };
  }
}

test('Ctrl-C ends the window at once, also while a browser listens', async () => {
  const serving = await terminal.serve();
  const { port, headers } = await enter(serving.banner);
  const events = await fetch(`http://127.0.0.1:${port}/rpc/status/events`, {
    method: 'POST',
    headers,
    body: '{}',
  });
  expect(events.status).toBe(200);
  const received = events.text().catch(() => 'cut');
  const { code, stderr } = await serving.stop('SIGINT');
  expect([code, stderr]).toEqual([0, 'Stopping.\n']);
  expect(await received).toBe('cut');
});

async function enter(banner: string) {
  const [, port, code] = LINK.exec(banner) ?? [];
  const answer = await fetch(`http://127.0.0.1:${port}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  const cookie = (answer.headers.get('set-cookie') ?? '').replace(/;.*$/su, '');
  const token = /"token":"([^"]+)"/u.exec(await answer.text())?.[1] ?? '';
  const headers = { 'content-type': 'application/json', cookie, 'x-gatehouse-window': token };
  return { port, headers };
}
