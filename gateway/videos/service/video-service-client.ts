import type { UpstreamTarget } from '../../proxy/proxy.ts';
import type { Connections } from '../../http/connections.ts';
import type { Keys } from '../../keys/keys.ts';
import { downloadVideo } from './download.ts';
import { type FileCheck, urlGivesFile } from './file-check.ts';
import { type ServiceCall, callService } from './call-service.ts';
import { openFileForm } from './upload.ts';

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

/** Acts at a service, each once, without deciding anything. Only a signal that stops it makes one reject. */
export interface VideoServiceClient {
  /** `POST /v1/files` (spec section 4.5), streamed from disk. */
  upload(connection: ServiceConnection, file: UploadFile, signal: AbortSignal): Promise<Reply>;
  /** Whether an address gives a file back that was uploaded. Free. */
  givesFile(check: FileCheck): Promise<boolean>;
  /** `POST /v1/videos` (spec section 4.6). Never repeated in here. */
  submit(connection: ServiceConnection, body: Buffer, signal: AbortSignal): Promise<Reply>;
  /** `GET /v1/videos/{task_id}` (spec section 4.7). Free. */
  ask(connection: ServiceConnection, taskId: string, signal: AbortSignal): Promise<Reply>;
  /** `GET /v1/videos/{task_id}/content` (spec section 4.8), followed and saved as a file that is a video. */
  download(
    connection: ServiceConnection,
    taskId: string,
    plan: DownloadOptions & { readonly signal: AbortSignal },
  ): Promise<DownloadResult>;
}

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

const SLOWEST_BYTES_PER_MS = 32.768;

export function createVideoServiceClient(deps: VideoServiceDeps): VideoServiceClient {
  const { now, randomBytes, limits } = deps;
  const reply = (connection: ServiceConnection, call: ServiceCall) =>
    callService(connection, call, now);
  return {
    upload: async (connection, file, signal) => {
      const boundary = `gatehouse${Buffer.from(randomBytes(16)).toString('hex')}`;
      const form = await openFileForm(file, boundary).catch(() => null);
      signal.throwIfAborted();
      if (form === null) {
        const sentence = `The image ${file.name} cannot be read any more. Nothing was sent.`;
        return { kind: 'none', nothingSent: true, sentence };
      }
      const limitMs = limits.uploadMs + file.bytes / SLOWEST_BYTES_PER_MS;
      const asking = { method: 'POST', path: '/v1/files', ...form, charges: false } as const;
      try {
        return await reply(connection, { ...asking, limitMs, signal });
      } finally {
        form.close();
      }
    },
    givesFile: async (check) => await urlGivesFile(check, deps),
    submit: async (connection, body, signal) => {
      const headers = ['content-type', 'application/json', 'accept', 'application/json'];
      const asking = { method: 'POST', path: '/v1/videos', headers, body, charges: true } as const;
      return await reply(connection, { ...asking, limitMs: limits.submitMs, signal });
    },
    ask: async (connection, taskId, signal) => {
      const path = toTaskPath(taskId);
      const headers = ['accept', 'application/json'];
      const asking = { method: 'GET', path, headers, body: null, charges: false } as const;
      return await reply(connection, { ...asking, limitMs: limits.askMs, signal });
    },
    download: async (connection, taskId, plan) =>
      await downloadVideo({ connection, path: `${toTaskPath(taskId)}/content`, plan, deps }),
  };
}

function toTaskPath(taskId: string): string {
  return `/v1/videos/${encodeURIComponent(taskId.toWellFormed())}`;
}
