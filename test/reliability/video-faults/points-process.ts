import { isMainThread } from 'node:worker_threads';
import { openJournal } from './journal.ts';
import { type Plan, PLAN_VARIABLE } from './plan.ts';
import { watchFiles } from './points/watch-files.ts';
import { watchNetwork } from './points/watch-network.ts';
import { watchStore } from './points/watch-store.ts';

// Preloaded into the engine's thread and its store's thread. It observes the product only through public hooks of Node and undici.

const plan: Plan = JSON.parse(process.env[PLAN_VARIABLE] ?? '');
const tell = openJournal(plan.journal);
const passed = new Map<string, number>();
let cut: (downMs: number) => void = () => {};

function pass(point: string): void {
  const nth = (passed.get(point) ?? 0) + 1;
  passed.set(point, nth);
  if (isPowerOfTwo(nth)) tell({ is: 'point', point, nth });
  const fault = plan.faults.find((one) => one.point === point && one.nth === nth);
  if (fault === undefined) return;
  tell({ is: 'fault', how: fault.how, point });
  if (fault.how === 'kill') process.kill(process.pid, 'SIGKILL');
  else cut(plan.downMs);
}

/** Some points are passed very often, so only a few passes are recorded. */
function isPowerOfTwo(number: number): boolean {
  return (number & (number - 1)) === 0;
}

if (isMainThread) {
  cut = watchNetwork(pass);
  await watchFiles(pass);
} else watchStore(pass);
