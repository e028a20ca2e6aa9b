import type {
  ServiceConnection,
  Reply,
  UploadFile,
  DownloadOptions,
  DownloadResult,
  VideoServiceDeps,
} from './types.ts';

import { downloadVideo } from './download.ts';
import { type FileCheck, urlGivesFile } from './file-check.ts';
import { type ServiceCall, callService } from './call-service.ts';
import { openFileForm } from './upload.ts';

/** Performs single requests at a service, without decisions and retries. They reject only with the reason of their signal. */
export interface VideoServiceClient {
  /** Sends `POST /v1/files` (spec section 4.5), streamed from disk. */
  upload(connection: ServiceConnection, file: UploadFile, signal: AbortSignal): Promise<Reply>;
  /** Checks whether an address returns an uploaded file. It is free. */
  givesFile(check: FileCheck): Promise<boolean>;
  /** Sends `POST /v1/videos` (spec section 4.6), once. */
  submit(connection: ServiceConnection, body: Buffer, signal: AbortSignal): Promise<Reply>;
  /** Sends `GET /v1/videos/{task_id}` (spec section 4.7). It is free. */
  ask(connection: ServiceConnection, taskId: string, signal: AbortSignal): Promise<Reply>;
  /** Downloads `GET /v1/videos/{task_id}/content` (spec section 4.8) to a file. */
  download(
    connection: ServiceConnection,
    taskId: string,
    options: DownloadOptions & { readonly signal: AbortSignal },
  ): Promise<DownloadResult>;
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
        const sentence = `The image ${file.name} can no longer be read. Nothing was sent.`;
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
    download: async (connection, taskId, options) =>
      await downloadVideo({ connection, path: `${toTaskPath(taskId)}/content`, options, deps }),
  };
}

function toTaskPath(taskId: string): string {
  return `/v1/videos/${encodeURIComponent(taskId.toWellFormed())}`;
}
