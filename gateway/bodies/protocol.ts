import type { BodiesSize, ExchangeBodies } from '../../shared/exchange/body.ts';
import type { ExchangeId, RunId } from '../../shared/exchange/exchange.ts';
import type { Sender } from '../../shared/exchange/sender.ts';
import type {
  RecognisedStep,
  RunDetail,
  RunFilter,
  RunPage,
  StepFacts,
  StepPlace,
} from '../../shared/run/run.ts';
import type { RecordedStep } from './runs/record-step.ts';
import type { PlacedStep } from './runs/report-step.ts';

/** The bodies of an exchange, as in `ExchangeBodies`. */
export type BodySide = 'received' | 'sent' | 'returned';

/** A body within the bytes of a batch. */
export interface BatchedBody {
  readonly side: BodySide;
  /** Offset of its kept bytes in the batch, and the numbers of those before and after its omitted middle. */
  readonly at: number;
  readonly headBytes: number;
  readonly tailBytes: number;
  /** Bytes that passed. */
  readonly bytes: number;
  readonly contentType: string | null;
  /** `Content-Encoding`; `null` when there is none. */
  readonly coding: string | null;
  /** As in `CapturedParts`, in milliseconds after the exchange began; empty unless it is an event stream. */
  readonly marks: readonly number[];
}

/** The bodies of one exchange within a batch. */
export interface BatchedExchange {
  readonly id: ExchangeId;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  readonly client: string | null;
  /** The id that the client gave to its conversation. */
  readonly conversation: string | null;
  readonly run: RunId | null;
  readonly sender: Sender | null;
  /** What a step of a run has of it; `null` when it asked no model for an answer. */
  readonly step: StepFacts | null;
  readonly bodies: readonly BatchedBody[];
}

/** Secrets to mask. */
export interface Secrets {
  readonly serviceKeys: readonly string[];
  readonly localKeys: readonly string[];
}

/** Bodies with their bytes, in one buffer. */
export interface Batch {
  readonly bytes: Uint8Array;
  /** Array of `BatchedExchange` as JSON: one text crosses to another thread faster than many objects. */
  readonly exchanges: string;
  readonly secrets: Secrets;
}

/** Which bodies are deleted for their age: those of exchanges before a time. Those of pinned exchanges stay, unless nothing is kept. */
export interface AgeLimit {
  /** Unix time in milliseconds. */
  readonly before: number;
  /** Whether nothing is kept, not even of pinned exchanges. */
  readonly none: boolean;
}

/** Which bodies are deleted: the old ones, and the oldest beyond a number of bytes on the disk. */
export interface BodyLimits extends AgeLimit {
  readonly bytes: number;
  /** Clients with a limit of their own. */
  readonly clients: readonly (AgeLimit & { readonly client: string })[];
}

/** What became of a batch. */
export interface KeptBatch {
  /** Bytes on the disk. */
  readonly bytes: number;
  /** Exchanges that are not stored because they could not be searched for secrets, and the first reason for that. */
  readonly lost: number;
  readonly reason: string | null;
}

/** A search for exchanges whose texts have all of some phrases. `before`: the `next` of the step before. */
export interface BodySearch {
  readonly phrases: readonly string[];
  readonly before: number | null;
  readonly limit: number;
}

/** Exchanges that a step of a search found, the latest first. `next`: `null` at the end. */
export interface BodyHits {
  readonly ids: readonly ExchangeId[];
  readonly next: number | null;
  /** When the last of them began, in Unix milliseconds. */
  readonly through: number | null;
}

/**
 * Exchanges that were given their place in a run, at most a few dozen. `recognised`: those whose client named no run, or another
 * one, and those with tools. `hasMore`: whether others wait for their place.
 */
export interface PlacedSteps {
  readonly steps: readonly PlacedStep[];
  readonly recognised: readonly RecognisedStep[];
  readonly hasMore: boolean;
}

/** Requests to the thread of the bodies, and its results. They are handled one after the other. */
export interface BodyRequests {
  /** Opens the file, and creates it when it does not exist. */
  open: { request: { readonly file: string }; result: null };
  keep: { request: Batch; result: KeptBatch };
  /** Returns the bodies of a batch with one exchange as they would be stored. `isRebuilt`: with the messages before those of its request. */
  clean: { request: Batch & { readonly isRebuilt: boolean }; result: ExchangeBodies };
  /** Returns the run that the exchange of a batch with one exchange in flight continues; `null` when there is none. */
  'find-run': { request: Batch; result: RunId | null };
  /** `again`: the secrets that are masked once more; `null`: it is read as it is stored. `isRebuilt`: with the messages before those of its request. */
  read: {
    request: {
      readonly id: ExchangeId;
      readonly again: Secrets | null;
      readonly isRebuilt: boolean;
    };
    result: ExchangeBodies;
  };
  /** Deletes what exceeds the limits, at most a few hundred exchanges. Returns whether there is more. */
  prune: { request: BodyLimits; result: boolean };
  /** Returns the exchanges that were stored last, with the runs and tools of those that have a place. */
  latest: { request: object; result: readonly RecognisedStep[] };
  delete: { request: { readonly ids: readonly string[] }; result: null };
  pin: { request: { readonly ids: readonly string[]; readonly pinned: boolean }; result: null };
  /** Makes these the pinned exchanges, and no others. */
  'set-pinned': { request: { readonly ids: readonly string[] }; result: null };
  /** `now`: Unix time in milliseconds. `clients`: those with a limit of their own, which a change of the usual one does not concern. */
  size: {
    request: { readonly now: number; readonly clients: readonly string[] };
    result: BodiesSize;
  };
  /** Gives some of the exchanges that have none their place in a run. */
  place: { request: object; result: PlacedSteps };
  runs: {
    request: { readonly filter: RunFilter; readonly limit: number; readonly before: string | null };
    result: RunPage;
  };
  /** `again`: the secrets that are masked once more; `null`: it is read as it is stored. */
  run: {
    request: { readonly id: RunId; readonly again: Secrets | null };
    result: RunDetail | null;
  };
  steps: { request: { readonly id: RunId }; result: readonly ExchangeId[] };
  titles: { request: { readonly ids: readonly RunId[] }; result: ReadonlyMap<string, string> };
  /** Returns a step of a run as one of a fixture, with these secrets masked once more; `null` when its response is not kept whole. */
  'record-step': {
    request: { readonly id: ExchangeId; readonly facts: StepFacts; readonly again: Secrets };
    result: RecordedStep | null;
  };
  /** Lists the parts of a text that have the form of a key of a well-known service. */
  'list-keys': { request: { readonly text: string }; result: readonly string[] };
  'find-place': { request: { readonly id: ExchangeId }; result: StepPlace | null };
  search: { request: BodySearch; result: BodyHits };
  close: { request: object; result: null };
}

/** A request with its number. */
export type NumberedRequest = {
  readonly [Kind in keyof BodyRequests]: {
    readonly kind: Kind;
    readonly number: number;
    readonly request: BodyRequests[Kind]['request'];
  };
}[keyof BodyRequests];

/** A reply to the request of that number. */
export type NumberedReply =
  | { readonly number: number; readonly result: BodyRequests[keyof BodyRequests]['result'] }
  | { readonly number: number; readonly error: string; readonly errcode: number | null };
