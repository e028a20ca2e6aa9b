import { expect, test } from 'vitest';
import { SharedResource } from './shared-resource.ts';

test('a retired resource is closed once, after its last lease', async () => {
  const closed: string[] = [];
  const shared = new SharedResource('a', async (resource) => void closed.push(resource));
  const [one, two] = [shared.acquire(), shared.acquire()];
  const retired = shared.retire();
  one.release();
  one.release();
  expect(closed).toEqual([]);
  two.release();
  await retired;
  await shared.close();
  expect(closed).toEqual(['a']);
});

test('close does not wait for leases', async () => {
  const closed: string[] = [];
  const shared = new SharedResource('a', async (resource) => void closed.push(resource));
  const lease = shared.acquire();
  await shared.close();
  lease.release();
  expect(closed).toEqual(['a']);
});

test('an error while closing reaches everybody who waits for it, and only them', async () => {
  const shared = new SharedResource('a', async () => {
    throw new Error('It cannot be closed.');
  });
  const lease = shared.acquire();
  const retired = shared.retire();
  lease.release();
  await expect(retired).rejects.toThrow('It cannot be closed.');
  await expect(shared.close()).rejects.toThrow('It cannot be closed.');
});
