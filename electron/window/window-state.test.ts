import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isOnScreen, WindowStateFile } from './window-state.ts';

const SCREENS = [
  { x: 0, y: 0, width: 1920, height: 1050 },
  { x: 1920, y: 0, width: 1280, height: 1024 },
];

test.each([
  ['on the first', { x: 40, y: 60 }, true],
  ['half on the second', { x: 2900, y: 900 }, true],
  ['on one that is gone', { x: 4000, y: 60 }, false],
  ['but for a strip to the left', { x: -860, y: 60 }, false],
  ['with its title above', { x: 40, y: -30 }, false],
  ['below', { x: 40, y: 1040 }, false],
])('a window %s can be taken hold of or not', (_where, corner, expected) => {
  expect(isOnScreen({ ...corner, width: 900, height: 700 }, SCREENS)).toBe(expected);
});

test('a file of an earlier version is read, and a shortcut that cannot be is left out', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-memory-'));
  const file = join(folder, 'window.json');
  const earlier = { place: null, maximized: true, knowsClosing: true };
  await writeFile(file, JSON.stringify(earlier));
  const expected = { ...earlier, quickPlace: null, quickShortcut: null };
  expect(new WindowStateFile(file).current).toEqual(expected);
  await writeFile(file, JSON.stringify({ ...earlier, quickShortcut: 'Control+C' }));
  expect(new WindowStateFile(file).current).toEqual(expected);
  await rm(folder, { recursive: true });
});

test('a file that was cut off is as none, and what is kept is there again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-memory-'));
  const file = join(folder, 'window.json');
  await writeFile(file, '{"place":');
  const windowState = new WindowStateFile(file);
  expect(windowState.current.knowsClosing).toBe(false);
  windowState.update({ knowsClosing: true });
  expect(new WindowStateFile(file).current).toMatchObject({ place: null, knowsClosing: true });
  await rm(folder, { recursive: true });
});
