import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { Client } from '../../../shared/client.ts';

/** A client's `POST /v1/videos` just before it is sent. */
export interface VideoOrder {
  readonly exchangeId: ExchangeId;
  readonly client: Client;
  /** Base address of its upstream. */
  readonly baseUrl: string;
  /** JSON. */
  readonly body: Buffer;
  /** Is equal for equal orders, as the client sent them before any repair. */
  readonly identity: string;
  /** Whether it came as a form. The official SDKs send forms and look for the task's identifier in `id`. */
  readonly form: boolean;
  readonly idempotencyKey: string | null;
  /** Whether the client wants a second, equal video (`x-gatehouse-allow-duplicate: 1`). */
  readonly allowDuplicate: boolean;
  /** Unix time in milliseconds at which the request came in. */
  readonly arrivedAt: number;
}

/** A stored response of the service: decoded, without hop-by-hop fields, length, coding and the service key. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Unix time in milliseconds. */
  readonly at: number;
}

/**
 * The decision about an order. `send`: it is on disk and may be sent. `repeat`: an equal order was answered within ten minutes before it
 * arrived, or while it waited, with this response. `unknown`: an equal order was sent, and it is unknown whether it was taken.
 */
export type OrderDecision =
  | { readonly kind: 'send'; readonly sent: PendingOrder }
  | { readonly kind: 'repeat'; readonly answer: StoredResponse; readonly taskId: string | null }
  | { readonly kind: 'unknown'; readonly orderedAt: number };

/** An order that is being sent. Exactly one of the methods is called, once. */
export interface PendingOrder {
  /**
   * Saves the response. Resolves when it is on disk, with the task id; `null` when that is not known yet. A refused order is deleted; a
   * response that does not tell the outcome leaves it unsure.
   */
  answered(answer: StoredResponse): Promise<string | null>;
  /** Records that no complete response came. With `nothingSent` the order is deleted, otherwise it is unsure. */
  lost(nothingSent: boolean): Promise<void>;
}

/** A finished video on this disk. */
export interface LocalVideo {
  readonly path: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The part of the video queue that the proxy uses. */
export interface VideoOrderRegistry {
  /** Decides about an order. Of equal orders one is sent at a time, and the others wait for its outcome or for `signal`. */
  take(order: VideoOrder, signal: AbortSignal): Promise<OrderDecision>;
  /** Returns the latest response about a task; `null` when it is older than five seconds. */
  recentAnswer(baseUrl: string, taskId: string): StoredResponse | null;
  /** Resolves with whether a task was ordered by a form through the proxy. */
  wasSubmittedAsForm(baseUrl: string, taskId: string): Promise<boolean>;
  /** Records the response to a client's poll. */
  recordPoll(baseUrl: string, taskId: string, answer: StoredResponse): void;
  /** Finds the file of a finished video; `null` when it is not on this disk. */
  localVideo(baseUrl: string, taskId: string): Promise<LocalVideo | null>;
  /** Finds the address of an earlier upload that has not expired; `null` when there is none. */
  uploadedUrl(baseUrl: string, sha256: string): Promise<string | null>;
  /**
   * Finds the address in the response to an upload and saves it; of several the one that returns the file. Resolves with `null` when none
   * can be found. Rejects with the signal's reason when that is aborted.
   */
  storeUpload(answered: AnsweredUpload, signal: AbortSignal): Promise<string | null>;
}

/** An uploaded file and the service's response. */
export interface AnsweredUpload {
  readonly baseUrl: string;
  readonly file: { readonly bytes: number; readonly sha256: string };
  readonly answer: StoredResponse;
}
