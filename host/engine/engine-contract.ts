import { oc } from '@orpc/contract';
import { z } from 'zod';

/** How an engine is started. */
export const EngineOptions = z.object({
  dataDir: z.string(),
  /** Of Gatehouse. */
  version: z.string(),
  /** For this run; that of the settings unless given. 0 for any free one. */
  port: z.number().int().optional(),
  /** Why a person cannot change the port in this run, when they cannot. */
  portPinned: z.string().optional(),
});
export type EngineOptions = z.infer<typeof EngineOptions>;

/** What came of a start. Sentences are for people. */
export const StartResult = z.discriminatedUnion('state', [
  z.object({ state: z.literal('running'), port: z.number().int() }),
  /** `next`: a port that is free, when its own is taken and one near it is free. */
  z.object({
    state: z.literal('refused'),
    sentence: z.string(),
    next: z.number().int().nullable(),
  }),
]);
export type StartResult = z.infer<typeof StartResult>;

/** What only the main process asks of its engine. Everything else it asks like any window, by `shared/contract.ts`. */
export const engineContract = {
  /** Asked once; an engine that was refused is closed, and the next try is another one's. */
  open: oc.input(EngineOptions).output(StartResult),
  /** The machine is about to sleep. */
  sleep: oc,
  /** The machine has slept. */
  wake: oc,
  /**
   * Takes no new requests and waits up to `drainMs` for running ones; then everything is written and closed, and the process ends by
   * itself. Asked again, it hurries.
   */
  close: oc.input(z.object({ drainMs: z.number() })),
};
export type EngineContract = typeof engineContract;
