import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { app } from 'electron';
import { WindowStateFile } from '../../../../../electron/window/window-state.ts';
import { QuickShortcut } from '../../../../../electron/quick-shortcut.ts';
import { answers } from '../test-side.ts';

// Sets one shortcut after the other, each list by an app of its own, and prints how often each of two keys acts afterwards.
const A = 0;
const B = 1;
const TAKEN = 2;
const steps = {
  set: [A],
  removed: [A, null],
  'removed twice': [A, null, null],
  changed: [A, B],
  'set again': [A, A],
  'set again after another': [A, B, A],
  'set again after none': [A, null, A],
  'swapped often': [A, B, A, B, A, B],
  'refused after another': [A, TAKEN],
  // Two windows ask, twice each.
  'at the same moment': [A, B, A, B],
};

const dir = mkdtempSync(join(tmpdir(), 'gatehouse-shortcut-'));

async function press(name: string, list: readonly (number | null)[], at: number) {
  // A portal keeps the keys that it was asked for, so that each list has others.
  const keys = [`Control+Alt+F${2 * at + 1}`, `Control+Alt+F${2 * at + 2}`, 'Control+Alt+T'];
  let acts = 0;
  const memory = new WindowStateFile(join(dir, `${name}.json`));
  const shortcut = new QuickShortcut(memory, () => (acts += 1));
  await Promise.all(list.map(async (key) => shortcut.set(key === null ? null : (keys[key] ?? ''))));
  return keys.slice(0, 2).map((each) => {
    const before = acts;
    answers.pressKeys?.(each);
    return acts - before;
  });
}

async function pressAll(): Promise<void> {
  const found: Record<string, readonly number[]> = {};
  for (const [at, [name, list]] of Object.entries(steps).entries()) {
    found[name] = await press(name, list, at);
  }
  rmSync(dir, { recursive: true });
  console.log(JSON.stringify(found));
  app.quit();
}

app.once('ready', () => void pressAll());
