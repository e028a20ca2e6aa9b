import type { ExchangeId } from '../../../shared/exchange.ts';
import type { Client } from '../../../shared/client.ts';

/** A client's `POST /v1/videos` just before it leaves, as it will be sent. */
export interface VideoOrder {
  readonly exchangeId: ExchangeId;
  readonly client: Client;
  /** Base address of the upstream it goes to. */
  readonly baseUrl: string;
  /** JSON. */
  readonly body: Buffer;
  /** Equal for orders that are the same: of what the client sent, before anything was repaired. */
  readonly identity: string;
  /** It came as a form, as the official SDKs send it: their users look for the task's identifier in `id`. */
  readonly form: boolean;
  readonly idempotencyKey: string | null;
  /** The client says that it means a second one (`x-gatehouse-allow-duplicate: 1`). */
  readonly allowDuplicate: boolean;
  /** When the client's request came in, Unix time in milliseconds. */
  readonly arrivedAt: number;
}

/** An answer of the service that is kept: unpacked, without hop-by-hop fields, length and coding, and without the service key. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: Buffer;
  /** Unix time in milliseconds. */
  readonly at: number;
}

/** 4xx that say where something stopped waiting (408, 499) or that something stood in the way (409), not what the service had taken by then. */
const UNDECIDED: ReadonlySet<number> = new Set([408, 409, 499]);

/** Whether an answer with this status says for certain if the order was taken. */
export function hasOutcome(status: number): boolean {
  return (
    (status >= 200 && status < 300) || (status >= 400 && status < 500 && !UNDECIDED.has(status))
  );
}

/**
 * What becomes of an order. `send`: it is written on disk and may leave now. `replay`: the same was settled within the ten minutes before it
 * arrived, or while it waited, and this was the answer. `unknown`: the same was ordered, and nobody knows whether it arrived.
 */
export type OrderDecision =
  | { readonly kind: 'send'; readonly sent: PendingOrder }
  | { readonly kind: 'replay'; readonly answer: StoredResponse; readonly taskId: string | null }
  | { readonly kind: 'unknown'; readonly orderedAt: number };

/** An order on its way: exactly one of these is called, once. */
export interface PendingOrder {
  /**
   * The service answered. Resolves when that is on disk, with the task id where it is known by then; `null` where it is not. A refusal
   * forgets the order, and an answer that does not tell its outcome leaves it unsure.
   */
  answered(answer: StoredResponse): Promise<string | null>;
  /** No whole answer came. `nothingSent`: not one byte has left, so the order is forgotten; otherwise it is unsure. */
  lost(nothingSent: boolean): Promise<void>;
}

/** A finished video on this disk. */
export interface LocalVideo {
  readonly path: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The video queue, as far as the proxy knows it. */
export interface VideoOrderRegistry {
  /** Of the same order at several moments or at once, one is sent at a time: the others wait for what comes of it. `gone` ends the wait. */
  take(order: VideoOrder, signal: AbortSignal): Promise<OrderDecision>;
  /** The latest answer about a task, when it is younger than five seconds. */
  recentAnswer(baseUrl: string, taskId: string): StoredResponse | null;
  /** Whether a task was ordered by a form that came through the proxy. */
  wasSubmittedAsForm(baseUrl: string, taskId: string): Promise<boolean>;
  /** A client asked about a task and this came back. */
  recordPoll(baseUrl: string, taskId: string, answer: StoredResponse): void;
  /** `null` when the video is not here, or not yet. */
  localVideo(baseUrl: string, taskId: string): Promise<LocalVideo | null>;
  /** The address of a file that was uploaded to this service before, still within its life. */
  uploadedUrl(baseUrl: string, sha256: string): Promise<string | null>;
  /**
   * Reads the address out of an upload's answer and keeps it; of several the one that gives the file back. `null` when it cannot be told
   * which value it is. Rejects with the signal's reason when that stops it.
   */
  storeUpload(answered: AnsweredUpload, signal: AbortSignal): Promise<string | null>;
}

/** A file that a service took, and what it said of it. */
export interface AnsweredUpload {
  readonly baseUrl: string;
  readonly file: { readonly bytes: number; readonly sha256: string };
  readonly answer: StoredResponse;
}
