import type { UpstreamTarget } from '../../proxy/proxy.ts';
import type { Connections } from '../../http/connections.ts';
import type { Keys } from '../../keys/keys.ts';

/** The way to one service. */
export interface ServiceConnection {
  readonly target: UpstreamTarget;
  readonly connections: Connections;
  readonly key: Pick<Keys, 'current' | 'state'>;
  /** Told of the headers of each request that is sent, and of those of the answer to it; names and values by turns. */
  readonly onHeaders?: (of: 'request' | 'answer', headers: readonly string[]) => void;
}

/** What came back of one request: an answer, or why there is none. */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** At most 1 MiB of it. */
      readonly text: string;
      /** Parsed; `undefined` when it is not JSON. */
      readonly json: unknown;
      /** From `Retry-After`, at most a day. */
      readonly retryAfterMs: number | null;
    }
  | {
      readonly kind: 'none';
      /** True when not one byte of the request can have reached the service. */
      readonly nothingSent: boolean;
      /** For people: what happened, what it means. */
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

/** What tells a file from others. */
export interface FileMark {
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Where a video goes. */
export interface DownloadOptions {
  /** Absolute path of the folder; made when it is gone. */
  readonly folder: string;
  /** Without its ending, which follows from the content. */
  readonly name: string;
  /** Where the bytes gather until the file is whole; a beginning that lies there is gone on from. */
  readonly partFile: string;
  /** Told of every piece, at most four times a second. `total`: `null` when the service does not say. */
  readonly onProgress: (bytes: number, total: number | null) => void;
}

/** How a download went. `later`: it may work another time; `link-gone`: the address has expired, ask again for it at once; `no-video`: what came is none. */
export type DownloadResult =
  | {
      readonly kind: 'saved';
      readonly path: string;
      readonly type: string;
      readonly bytes: number;
      readonly sha256: string;
    }
  | {
      readonly kind: 'later' | 'link-gone' | 'no-video';
      readonly sentence: string;
      readonly status: number | null;
      readonly text: string;
      readonly retryAfterMs: number | null;
    };

/** Time limits in milliseconds, and what stays free on a disk. */
export interface VideoServiceLimits {
  /** An upload: besides this, as long as a line of 32 KiB per second takes. */
  readonly uploadMs: number;
  /** Long: whoever hangs up on an order does not know whether it is paid. */
  readonly submitMs: number;
  readonly askMs: number;
  /** For a download to begin, and between two pieces of it. */
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

/** What the studio needs of the gateway. */
export interface VideoServiceDeps {
  /** Wall clock, Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** The ports of this machine that we listen on: nothing is fetched from them. */
  readonly ownPorts: ReadonlySet<number>;
  readonly limits: VideoServiceLimits;
}
