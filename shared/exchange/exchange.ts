import { z } from 'zod';
import { ClientId } from '../client.ts';
import { Cost } from '../money/cost.ts';
import { Repair } from './repair.ts';
import { Sender } from './sender.ts';
import { Usage } from './usage.ts';

export const ExchangeId = z.string().brand<'ExchangeId'>();
export type ExchangeId = z.infer<typeof ExchangeId>;

export const RunId = z.string().max(100).brand<'RunId'>();
export type RunId = z.infer<typeof RunId>;

/** The length of an ordered video. */
export const VideoLength = z.object({ seconds: z.number(), resolution: z.string() });
export type VideoLength = z.infer<typeof VideoLength>;

/** The eight routes of the spec (section 4); everything else under `/v1` is `other`. */
export const RouteName = z.enum([
  'models',
  'chat',
  'responses',
  'messages',
  'files',
  'video-submit',
  'video-status',
  'video-content',
  'other',
]);
export type RouteName = z.infer<typeof RouteName>;

/**
 * Side that ended the exchange. `client`: it disconnected. `service`: its answer ended, complete or broken off; then `errorCode`
 * says so. `gateway`: Gatehouse answered itself.
 */
export const EndedBy = z.enum(['client', 'service', 'gateway']);
export type EndedBy = z.infer<typeof EndedBy>;

/** One request and its answer, as stored in the history. Times in milliseconds, sizes in bytes of the bodies. */
export const ExchangeRecord = z.object({
  id: ExchangeId,
  /** Unix time in milliseconds at which the request's head was read. */
  startedAt: z.number().int(),
  /** Number of equal requests that this counts: 1, or more for those rejected before a local key was recognised. */
  times: z.number().int(),
  /** Start of the latest of them, in Unix milliseconds; `startedAt` when it counts one. */
  lastAt: z.number().int(),
  /**
   * Stable id of the service in use when it began: its base address, or `sandbox`, whose address changes at each start. `null` for
   * exchanges of versions that did not record it.
   */
  service: z.string().nullable(),
  clientId: ClientId.nullable(),
  clientName: z.string().nullable(),
  /** The id of the session that the client names. */
  conversation: z.string().nullable(),
  /** The agent that sent it; `null` when the client says nothing of it. */
  sender: Sender.nullable().default(null),
  /** The task of an agent that it belongs to; `null` while it is not known, and for a request of none. */
  run: RunId.nullable().default(null),
  userAgent: z.string().nullable(),
  route: RouteName,
  method: z.string(),
  /** Path and query as received, credentials removed. */
  pathReceived: z.string(),
  /** Path and query as sent to the service; `null` when nothing was sent. */
  pathSent: z.string().nullable(),
  modelAsked: z.string().nullable(),
  modelSent: z.string().nullable(),
  modelServed: z.string().nullable(),
  streamed: z.boolean(),
  /** Status sent to the client; `null` when it disconnected before an answer. */
  status: z.number().int().nullable(),
  errorCode: z.string().nullable(),
  /** Error message of the service, or of Gatehouse; at most 500 characters. No secret. */
  errorMessage: z.string().nullable(),
  endedBy: EndedBy,
  repairs: z.array(Repair),
  /** Number of times the request was sent to the service. */
  attempts: z.number().int(),
  bytesIn: z.number().int(),
  bytesOut: z.number().int(),
  firstByteMs: z.number().nullable(),
  durationMs: z.number(),
  /** Time spent inside Gatehouse before the request was sent on. */
  overheadMs: z.number().nullable(),
  usage: Usage,
  /** The video that it orders; `null` when it orders none, and for exchanges of versions that did not record it. */
  video: VideoLength.nullable().default(null),
  /** `null` when there is nothing to pay: nothing was sent, its route is free, the service refused it, or an earlier version recorded it. */
  cost: Cost.nullable().default(null),
});
export type ExchangeRecord = z.infer<typeof ExchangeRecord>;
