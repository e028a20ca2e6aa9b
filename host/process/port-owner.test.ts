import { once } from 'node:events';
import { createServer } from 'node:net';
import { assert, expect, test } from 'vitest';
import {
  describePortOwner,
  findPortOwner,
  isPortFree,
  nextFreePort,
  parseLsof,
  parseNetstat,
  parseProcNet,
} from './port-owner.ts';

const PROC_NET = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1911 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 41234 1 0000 100 0 0 10 0
   1: 0100007F:1911 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 49999 1 0000 20 4 30 10 -1
   2: 0100007F:0277 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 11111 1 0000 100 0 0 10 0`;

const NETSTAT = `
Aktive Verbindungen

  Proto  Lokale Adresse         Remoteadresse          Status           PID
  TCP    127.0.0.1:6417         127.0.0.1:50123        HERGESTELLT      999
  TCP    127.0.0.1:6417         0.0.0.0:0              ABHÖREN          4321
  TCP    [::]:16417             [::]:0                 ABHÖREN          77
`;

test('on Linux the listening sockets of a port are found, and only those', () => {
  expect([...parseProcNet(PROC_NET, 6417)]).toEqual(['41234']);
  expect([...parseProcNet(PROC_NET, 80)]).toEqual([]);
});

test('on macOS the process is read from lsof', () => {
  expect(parseLsof('p812\ncnode\nf23\n')).toEqual({ pid: 812, name: 'node' });
  expect(parseLsof('')).toBeNull();
});

test('on Windows the process is read from netstat in any language', () => {
  expect(parseNetstat(NETSTAT, 6417)).toBe(4321);
  expect(parseNetstat(NETSTAT, 417)).toBeNull();
});

test('a port that is taken on ::1 alone is not free either', async ({ skip }) => {
  const server = createServer().listen(0, '::1');
  const listening = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  skip(!listening, 'This machine has no ::1.');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  expect(await isPortFree(address.port)).toBe(false);
  server.close();
});

test('a taken port is not free, its holder is known, and a free one follows', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  const { port } = address;
  expect(await isPortFree(port)).toBe(false);
  expect(await nextFreePort(port)).toBeGreaterThan(port);
  if (process.platform === 'linux') {
    expect(await findPortOwner(port)).toMatchObject({ pid: process.pid });
    expect(await describePortOwner(port)).toBe('this Gatehouse itself');
  }
  server.close();
  await once(server, 'close');
  expect(await isPortFree(port)).toBe(true);
});
