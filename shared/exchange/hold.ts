import { z } from 'zod';
import { ClientId } from '../client.ts';
import { procedure } from '../procedure.ts';
import { ExchangeId } from './exchange.ts';

/** Seconds after which a held request goes on unchanged. Programs give up after some minutes without an answer. */
const HoldSeconds = z
  .number()
  .int('Whole seconds only.')
  .min(5, 'At least 5 seconds.')
  .max(600, 'At most 600 seconds.');
/** The seconds that are used when a person names none. */
const DEFAULT_HOLD_SECONDS = 120;

/** A client whose next request for an answer of a model waits for a person. */
const NextHold = z.object({ clientId: ClientId, clientName: z.string(), seconds: HoldSeconds });

/** A request that waits for a person. Times in Unix milliseconds; at `until` it goes on unchanged. */
const HeldRequest = NextHold.extend({
  id: ExchangeId,
  heldAt: z.number().int(),
  until: z.number().int(),
});
export type HeldRequest = z.infer<typeof HeldRequest>;

/** The requests that wait, and the clients whose next one will; the oldest first. */
const HoldState = z.object({ next: z.array(NextHold), held: z.array(HeldRequest) });
export type HoldState = z.infer<typeof HoldState>;

/** The JSON of a held request as its client sent it, with secrets; or the reason why it cannot be changed. */
const HeldBody = z.object({ text: z.string().nullable(), reason: z.string().nullable() });
export type HeldBody = z.infer<typeof HeldBody>;

/** How a held request goes on. */
const HeldSend = z.object({
  id: ExchangeId,
  /** Fields of its JSON that get these values, and those that are left out; both empty to send it as it is. */
  changed: z.record(z.string().max(200), z.unknown()).default({}),
  removed: z.array(z.string().max(200)).max(200).default([]),
  /** Whether the next request of its client waits, too. */
  holdNext: z.boolean().default(false),
});
export type HeldSend = z.infer<typeof HeldSend>;

/** Requests that wait for a person. */
export const holdContract = {
  list: procedure.output(HoldState),
  /** Makes the next request of a client for an answer of a model wait. A restart ends that. */
  next: procedure.input(
    z.object({ id: ClientId, seconds: HoldSeconds.default(DEFAULT_HOLD_SECONDS) }),
  ),
  /** Lets the next request of a client pass. Returns whether it would have waited. */
  cancel: procedure.input(z.object({ id: ClientId })).output(z.boolean()),
  /** Returns the body of a request that waits, with secrets. */
  read: procedure.input(z.object({ id: ExchangeId })).output(HeldBody),
  /** Lets a request wait for so many seconds from now. */
  extend: procedure.input(z.object({ id: ExchangeId, seconds: HoldSeconds })),
  /** Lets a request go on, changed or not. */
  send: procedure.input(HeldSend),
  /** Refuses a request; its client gets these words, too. */
  refuse: procedure.input(z.object({ id: ExchangeId, reason: z.string().max(500) })),
};
