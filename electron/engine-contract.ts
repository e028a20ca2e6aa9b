import { oc } from '@orpc/contract';
import { z } from 'zod';

/** How an engine is started. */
export const EnginePlan = z.object({
  dataDir: z.string(),
  /** Of Gatehouse. */
  version: z.string(),
  /** For this run; that of the settings unless given. 0 for any free one. */
  port: z.number().int().optional(),
});
export type EnginePlan = z.infer<typeof EnginePlan>;

/** What came of a start. Sentences are for people. */
export const Opening = z.discriminatedUnion('state', [
  z.object({ state: z.literal('running'), port: z.number().int() }),
  /** `next`: a port that is free; `null` when none near it is. */
  z.object({
    state: z.literal('port-taken'),
    port: z.number().int(),
    sentence: z.string(),
    next: z.number().int().nullable(),
  }),
  /** Another process serves the data folder. */
  z.object({ state: z.literal('held'), sentence: z.string() }),
  z.object({ state: z.literal('failed'), sentence: z.string() }),
]);
export type Opening = z.infer<typeof Opening>;

/** What only the main process asks of its engine. Everything else it asks like any window, by `shared/contract.ts`. */
export const engineContract = {
  open: oc.input(EnginePlan).output(Opening),
  /** Takes no new requests and waits up to `drainMs` for running ones; then everything is written and closed. Called again, it hurries. */
  close: oc.input(z.object({ drainMs: z.number() })),
};
export type EngineContract = typeof engineContract;
