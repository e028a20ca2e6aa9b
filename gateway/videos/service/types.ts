import type { UpstreamTarget } from '../../proxy/proxy.ts';
import type { Connections } from '../../http/connections.ts';
import type { Keys } from '../../keys/keys.ts';

/** A connection to a service. */
export interface ServiceConnection {
  /** Stable id of the service. */
  readonly service: string;
  readonly target: UpstreamTarget;
  readonly connections: Connections;
  readonly key: Pick<Keys, 'current' | 'state'>;
  /** Is called with the headers of each request and of its answer; names and values in turn. */
  readonly onHeaders?: (of: 'request' | 'answer', headers: readonly string[]) => void;
}

/** The reply to a request: an answer, or why there is none. */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The text of the answer, at most 1 MiB. */
      readonly text: string;
      /** The parsed text; `undefined` when it is not JSON. */
      readonly json: unknown;
      /** The delay of `Retry-After`, at most a day. */
      readonly retryAfterMs: number | null;
    }
  | {
      readonly kind: 'none';
      /** Whether no byte of the request can have reached the service. */
      readonly nothingSent: boolean;
      /** A message for people: what happened and what it means. */
      readonly sentence: string;
    };

/** A file to upload. */
export interface UploadFile {
  /** Absolute path. */
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
}

/** The size and hash of a file. */
export interface FileMark {
  readonly bytes: number;
  /** In lower-case hexadecimal. */
  readonly sha256: string;
}

/** The target of a download. */
export interface DownloadOptions {
  /** Absolute path of the folder; created when it is missing. */
  readonly folder: string;
  /** The name without extension, which depends on the content. */
  readonly name: string;
  /** The path of the partial file. An existing one is resumed. */
  readonly partFile: string;
  /** Is called with the progress at most four times a second. `total` is `null` when it is not known. */
  readonly onProgress: (bytes: number, total: number | null) => void;
}

/** The result of a download. `retry-later`: the same address may work later; `address-expired`: the address has expired, request it again at once; `not-a-video`: the content is no video. */
export type DownloadResult =
  | {
      readonly kind: 'saved';
      readonly path: string;
      readonly type: string;
      readonly bytes: number;
      readonly sha256: string;
    }
  | {
      readonly kind: 'retry-later' | 'address-expired' | 'not-a-video';
      readonly sentence: string;
      readonly status: number | null;
      readonly text: string;
      readonly retryAfterMs: number | null;
    };

/** Timeouts in milliseconds, and bytes that stay free on a disk. */
export interface VideoServiceLimits {
  /** Base timeout of an upload, besides the time that it takes at 32 KiB per second. */
  readonly uploadMs: number;
  /** Timeout of an order. It is long, because after a timeout it is unknown whether the order is charged. */
  readonly submitMs: number;
  readonly askMs: number;
  /** Timeout for the first and for the next chunk of a download. */
  readonly fetchIdleMs: number;
  readonly spareBytes: number;
}

export const VIDEO_SERVICE_LIMITS: VideoServiceLimits = {
  uploadMs: 120_000,
  submitMs: 600_000,
  askMs: 30_000,
  fetchIdleMs: 60_000,
  spareBytes: 200 * 1024 * 1024,
};

/** Dependencies of the video service client. */
export interface VideoServiceDeps {
  /** Gives the Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** Ports of this machine that we listen on. No request goes there. */
  readonly ownPorts: ReadonlySet<number>;
  readonly limits: VideoServiceLimits;
}
