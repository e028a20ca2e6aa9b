import { promiseHooks } from 'node:v8';
import { startHarness } from '../../kit/gateway/harness.ts';

// A gateway in its own process, in which promises and allocated bytes can be counted: it talks to the test over IPC.

const [serviceUrl = '', serviceKey = ''] = process.argv.slice(2);
const harness = await startHarness({ baseUrl: serviceUrl, serviceKey });

let promises = 0;
let stopHook: (() => void) | null = null;
let heapBefore = 0;

/** Bytes on the heap. Nothing has been freed since the last `startBytes`, because the young generation is larger than a run. */
function heapBytes(): number {
  return process.memoryUsage().heapUsed;
}

const HANDLERS: Readonly<Record<string, () => unknown>> = {
  open: () => ({ port: harness.port, localKey: harness.localKey }),
  startPromises: () => {
    promises = 0;
    const stop = promiseHooks.onInit(() => (promises += 1));
    stopHook = (): void => void stop();
  },
  stopPromises: () => {
    stopHook?.();
    return promises;
  },
  startBytes: () => {
    globalThis.gc?.();
    heapBefore = heapBytes();
  },
  stopBytes: () => heapBytes() - heapBefore,
  recorded: async () => (await harness.records()).length,
};

process.on('message', (kind) => {
  void answer(String(kind));
});

async function answer(kind: string): Promise<void> {
  process.send?.({ value: (await HANDLERS[kind]?.()) ?? null });
}

process.once('disconnect', () => {
  void harness[Symbol.asyncDispose]().then(() => process.exit(0));
});
process.send?.({ value: 'ready' });
