import { z } from 'zod';
import { ClientId } from '../client.ts';
import { RunId } from '../exchange/exchange.ts';

/** Why an agent counts as one that runs away. `tools`: the names of the tools that it called. */
export const RunawayCause = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('repeats'), tools: z.string(), times: z.number().int() }),
  z.object({ kind: z.literal('agents'), agents: z.number().int() }),
  z.object({
    kind: z.literal('requests'),
    requests: z.number().int(),
    minutes: z.number().int(),
  }),
]);
export type RunawayCause = z.infer<typeof RunawayCause>;

/** A client whose agent runs away, or whose requests are refused until a person lets it go on. */
export const Runaway = z.object({
  clientId: ClientId,
  clientName: z.string(),
  /** `null` when a person stopped the client without an alarm. */
  run: RunId.nullable(),
  cause: RunawayCause.nullable(),
  stopped: z.boolean(),
  /** Unix time in milliseconds at which it was noticed. */
  at: z.number().int(),
});
export type Runaway = z.infer<typeof Runaway>;
