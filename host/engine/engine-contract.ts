import { oc } from '@orpc/contract';
import { z } from 'zod';

/** Options for starting an engine. */
export const EngineOptions = z.object({
  dataDir: z.string(),
  /** The version of Gatehouse. */
  version: z.string(),
  /** The port for this run; defaults to the setting. 0 picks any free one. */
  port: z.number().int().optional(),
  /** The reason why the port cannot be changed in this run; absent when it can be. */
  portPinned: z.string().optional(),
});
export type EngineOptions = z.infer<typeof EngineOptions>;

/** The result of a start. Sentences are for people. */
export const StartResult = z.discriminatedUnion('state', [
  z.object({ state: z.literal('running'), port: z.number().int() }),
  /** `next`: a free port near the configured one when that is in use. */
  z.object({
    state: z.literal('refused'),
    sentence: z.string(),
    next: z.number().int().nullable(),
  }),
]);
export type StartResult = z.infer<typeof StartResult>;

/** Procedures that only the main process calls on its engine. It calls everything else like any window, by `shared/contract.ts`. */
export const engineContract = {
  /** Starts the engine. Is called once: an engine that could not start is closed, and another process makes the next attempt. */
  open: oc.input(EngineOptions).output(StartResult),
  /** Tells the engine that the machine is about to sleep. */
  sleep: oc,
  /** Tells the engine that the machine has woken. */
  wake: oc,
  /**
   * Accepts no new requests and waits up to `drainMs` for running ones, then writes and closes everything; the process then exits by
   * itself. A second call hurries.
   */
  close: oc.input(z.object({ drainMs: z.number() })),
};
export type EngineContract = typeof engineContract;
