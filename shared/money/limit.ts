import { z } from 'zod';
import { ClientId } from '../client.ts';

/** What a limit counts. `money`: millionths of the currency. `concurrent`: requests in flight at once. `agents`: sub-agents of a run at work at once. */
export const LimitMeasure = z.enum(['money', 'tokens', 'requests', 'concurrent', 'agents']);
export type LimitMeasure = z.infer<typeof LimitMeasure>;

/** A calendar period of the local time zone, or as long a time up to now when the limit is rolling. */
export const TimePeriod = z.enum(['minute', 'hour', 'day', 'week', 'month']);
export type TimePeriod = z.infer<typeof TimePeriod>;

/** Over what a limit counts: a time, or each run of an agent by itself, however long it takes. */
export const LimitPeriod = z.enum([...TimePeriod.options, 'run']);
export type LimitPeriod = z.infer<typeof LimitPeriod>;

/** Whether a measure is a number of what is at work at once, which nothing adds up. */
export function isAtOnce(measure: LimitMeasure): measure is 'concurrent' | 'agents' {
  return measure === 'concurrent' || measure === 'agents';
}

export const LimitId = z.string().brand<'LimitId'>();
export type LimitId = z.infer<typeof LimitId>;

/** A limit as a person sets it. */
export const NewLimit = z.object({
  /** `null`: the requests of all clients together. */
  clientId: ClientId.nullable(),
  measure: LimitMeasure,
  /** Millionths of the currency, tokens, or requests. */
  amount: z
    .number({ error: 'Enter an amount.' })
    .int('Whole numbers only.')
    .positive('Enter an amount above zero.')
    .max(1e15, 'This amount is too large.'),
  period: LimitPeriod,
  rolling: z.boolean(),
});
export type NewLimit = z.infer<typeof NewLimit>;

/** What a limit counts, without its amount. */
export const LimitKind = NewLimit.omit({ amount: true });
export type LimitKind = z.infer<typeof LimitKind>;

/** A limit. One client has at most one for each measure, period and kind of period; a second one replaces it. */
export const Limit = NewLimit.extend({
  id: LimitId,
  createdAt: z.number().int(),
  /** The Unix times in milliseconds between which it refuses nothing; `null` for none. */
  suspended: z.object({ from: z.number().int(), until: z.number().int() }).nullable(),
  /** When one more request was allowed that has not come yet, in Unix milliseconds; `null` for none. */
  allowedOnceAt: z.number().int().nullable(),
});
export type Limit = z.infer<typeof Limit>;

/** An exception from a limit: the next request that it would refuse, all of an hour, or none any more. */
export const LimitException = z.enum(['once', 'hour', 'none']);
export type LimitException = z.infer<typeof LimitException>;

/** A limit and how much of it is used now. */
export const LimitState = Limit.extend({
  /** `null`: all clients. */
  clientName: z.string().nullable(),
  /** In the unit of the amount, with the estimates of the requests in flight. */
  used: z.number(),
  /** Of a limit for each run: the one that has used most of it lately, or was refused; `null` for none, and when its client names no session. */
  run: z.string().nullable(),
  /**
   * Unix time in milliseconds at which a calendar period ends, or at which something of a rolling one is free again; `null` for what is
   * at work at once, and for runs.
   */
  resetsAt: z.number().int().nullable(),
  /** When it last refused a request in its present period, in Unix milliseconds; `null` when it did not since the start of Gatehouse. */
  refusedAt: z.number().int().nullable(),
  /** What that request needed, in the unit of the amount. */
  refusedNeed: z.number().nullable(),
});
export type LimitState = z.infer<typeof LimitState>;

/** Requests of a client to a model, which passed a limit of money uncounted, because what they cost is not known. */
export const UnpricedPass = z.object({
  clientName: z.string(),
  model: z.string(),
  requests: z.number().int(),
  /** When the first came, in Unix milliseconds. */
  at: z.number().int(),
});
export type UnpricedPass = z.infer<typeof UnpricedPass>;
