import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createHost } from './host.ts';

const NONE = { state: 'unavailable', reason: 'There is no keychain here.' } as const;
const none = () => Promise.resolve(NONE);

test.skipIf(process.platform !== 'linux')('tells one run of the machine from another', () => {
  const host = createHost({
    dataDir: '/nowhere',
    secrets: { read: none, write: none, remove: none },
    command: null,
    logLevel: 'error',
    writeLog: () => undefined,
    now: Date.now,
  });
  expect(host.bootId).toMatch(/^[\da-f-]{36}$/u);
  expect(host.bootId).toBe(readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  expect(
    Math.abs(host.uptime() - Number.parseFloat(readFileSync('/proc/uptime', 'utf8')) * 1000),
  ).toBeLessThan(60_000);
});
