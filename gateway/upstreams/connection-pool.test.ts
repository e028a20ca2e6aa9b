import { expect, test } from 'vitest';
import { pausedProblem } from '../service-limit/limit-problems.ts';
import { ServiceLimits } from '../service-limit/service-limits.ts';
import { ConnectionPool } from './connection-pool.ts';

const ENDPOINT = { baseUrl: 'http://127.0.0.1:9', caFile: null, proxyUrl: null };

function openPool() {
  const limits = new ServiceLimits({
    waitMs: 1_000,
    now: Date.now,
    pause: { paused: false, problem: () => pausedProblem('') },
    onChange: () => undefined,
  });
  return new ConnectionPool({
    connectMs: 1_000,
    ownPorts: new Set(),
    systemProxyFor: async () => ({ proxyUrl: null, reason: null }),
    limits,
  });
}

test('leases of one endpoint share its connections until they are retired', async () => {
  const pool = openPool();
  const first = await pool.acquire(ENDPOINT);
  const second = await pool.acquire(ENDPOINT);
  expect(second.resource).toBe(first.resource);
  pool.retire(ENDPOINT.baseUrl);
  const third = await pool.acquire(ENDPOINT);
  expect(third.resource).not.toBe(first.resource);
  await pool.close();
});

test('an endpoint whose certificates cannot be read replaces no other of its address', async () => {
  const pool = openPool();
  const first = await pool.acquire(ENDPOINT);
  const broken = { ...ENDPOINT, caFile: '/nonexistent/ca.pem' };
  await expect(pool.acquire(broken)).rejects.toThrow('no file');
  const second = await pool.acquire(ENDPOINT);
  expect(second.resource).toBe(first.resource);
  await pool.close();
});

test('leases acquired at the same moment share one set of connections', async () => {
  const pool = openPool();
  const leases = await Promise.all(Array.from({ length: 8 }, () => pool.acquire(ENDPOINT)));
  expect(new Set(leases.map(({ resource }) => resource)).size).toBe(1);
  await pool.close();
});
