import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import {
  isRemainder,
  type DownloadStream,
  type DownloadTask,
  DownloadError,
  openContent,
  toPartialFileInfo,
} from './download-stream.ts';
import { DiskError, withFolder } from '../../lib/disk.ts';
import { ensureFreeSpace } from './free-space.ts';
import { PartialFile } from './partial-file.ts';
import { StreamInterruptedError, readChunks } from './read-chunks.ts';
import { publishFile } from './publish-file.ts';
import { toRedactedText } from './call-service.ts';
import type { DownloadResult } from './types.ts';
import { HEAD_BYTES, isCompleteVideo, detectKind, type VideoKind } from './video-file.ts';

/** Bytes at the end of a partial file that are downloaded again and compared, so that it is not joined to another file. */
const OVERLAP = 64 * 1024;
const PROGRESS_MS = 250;
/** Formats that consist of boxes. */
const BOX_FORMATS = /^video\/(?:mp4|quicktime|x-m4v|3gpp2?)$/u;

/** Downloads a video and publishes it, or returns why that failed. Rejects only with the reason of its signal. */
export async function downloadVideo(task: DownloadTask): Promise<DownloadResult> {
  const { options } = task;
  try {
    await using part = await withFolder(dirname(options.partFile), async () => {
      return await PartialFile.open(options.partFile);
    });
    if (!part.isWhole && !(await resumeDownload(part, task))) await startDownload(part, task);
    return await publish(part, task);
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof DownloadError) return error.result;
    if (error instanceof DiskError) {
      return new DownloadError('retry-later', `${error.message} The downloaded part is kept.`)
        .result;
    }
    throw error;
  }
}

/** Downloads the remainder of a partial file. Resolves with `false` when the download must restart. */
async function resumeDownload(part: PartialFile, task: DownloadTask): Promise<boolean> {
  if (part.bytes <= OVERLAP) return false;
  const rest = { from: part.bytes - OVERLAP, of: part.of };
  const content = await openContent(task, rest);
  const { upstreamResponse } = content;
  if (upstreamResponse.status === 200) {
    await writeAll(part, content, task);
    return true;
  }
  if (upstreamResponse.status === 206 && isRemainder(upstreamResponse, rest)) {
    return await writeRemainder(part, content, task);
  }
  content.limit.end();
  upstreamResponse.body.discard();
  return false;
}

async function startDownload(part: PartialFile, task: DownloadTask): Promise<void> {
  await writeAll(part, await openContent(task, null), task);
}

/** Downloads a file from its beginning. Nothing is written unless it begins like a video. */
async function writeAll(
  part: PartialFile,
  content: DownloadStream,
  task: DownloadTask,
): Promise<void> {
  const { upstreamResponse } = content;
  await writeChunks(part, content, {
    task,
    chunks: async function* (chunks) {
      const head = await readHead(chunks);
      await requireVideo(head, upstreamResponse.status, task);
      await part.restart(toPartialFileInfo(upstreamResponse, task.connection));
      await ensureSpaceFor(part, task);
      yield head;
      yield* chunks;
    },
  });
}

/** Writes the remainder. Resolves with `false` when it does not continue the partial file. */
async function writeRemainder(
  part: PartialFile,
  content: DownloadStream,
  task: DownloadTask,
): Promise<boolean> {
  let fits = true;
  await writeChunks(part, content, {
    task,
    chunks: async function* (chunks) {
      await ensureSpaceFor(part, task);
      const here = await part.read(part.bytes - OVERLAP, OVERLAP);
      const repeated = await readHead(chunks, OVERLAP);
      fits = here.equals(repeated.subarray(0, OVERLAP));
      if (!fits) return;
      yield repeated.subarray(OVERLAP);
      yield* chunks;
    },
  });
  return fits;
}

type Chunks = AsyncGenerator<Buffer, void, undefined>;

interface WriteOptions {
  readonly task: DownloadTask;
  /** The chunks to write. */
  readonly chunks: (all: Chunks) => AsyncGenerator<Buffer>;
}

async function writeChunks(
  part: PartialFile,
  { upstreamResponse, limit }: DownloadStream,
  taking: WriteOptions,
): Promise<void> {
  const { options, deps } = taking.task;
  await using chunks = renewOnChunk(readChunks(upstreamResponse.body), () => {
    limit.renew(deps.limits.fetchIdleMs);
  });
  let reportedAt = Number.NEGATIVE_INFINITY;
  try {
    await withFolder(dirname(options.partFile), async () => {
      for await (const chunk of taking.chunks(chunks)) {
        await part.write(chunk);
        if (performance.now() - reportedAt < PROGRESS_MS) continue;
        reportedAt = performance.now();
        options.onProgress(part.bytes, part.of.total);
      }
    });
  } catch (error) {
    await flushReceived(part);
    throw error instanceof StreamInterruptedError ? interruptedError(part) : error;
  } finally {
    limit.end();
  }
}

async function* renewOnChunk(chunks: Chunks, renew: () => void): Chunks {
  for await (const chunk of chunks) {
    renew();
    yield chunk;
  }
}

/** Reads up to `length` bytes into one buffer. */
async function readHead(chunks: Chunks, minBytes: number = HEAD_BYTES): Promise<Buffer> {
  const come: Buffer[] = [];
  let bytes = 0;
  while (bytes < minBytes) {
    const next = await chunks.next();
    if (next.done === true) break;
    come.push(next.value);
    bytes += next.value.length;
  }
  return Buffer.concat(come);
}

async function requireVideo(
  head: Buffer,
  status: number,
  { connection }: DownloadTask,
): Promise<VideoKind> {
  const kind = await detectKind(head);
  if (typeof kind !== 'string') return kind;
  const sentence = `The service sent ${kind} instead of a video, so nothing was saved.`;
  throw new DownloadError('not-a-video', sentence, {
    status,
    text: toRedactedText(head, connection),
  });
}

async function ensureSpaceFor(part: PartialFile, { options, deps }: DownloadTask): Promise<void> {
  const more = Math.max(0, (part.of.total ?? 0) - part.bytes);
  await ensureFreeSpace(dirname(options.partFile), more, deps.limits.spareBytes);
}

/** Flushes received bytes to the disk. A failure is reported by the write itself. */
async function flushReceived(part: PartialFile): Promise<void> {
  await part.flush().catch(() => undefined);
}

function interruptedError({ bytes, of }: PartialFile): DownloadError {
  const so = `${bytes.toLocaleString('en')} bytes`;
  const all = of.total === null ? '' : ` of ${of.total.toLocaleString('en')}`;
  return new DownloadError(
    'retry-later',
    `The download was interrupted after ${so}${all}; the next attempt resumes there.`,
  );
}

/** Checks that the file is complete and publishes it. */
async function publish(part: PartialFile, task: DownloadTask): Promise<DownloadResult> {
  const { options, deps } = task;
  const { bytes } = part;
  const { total } = part.of;
  if (total !== null && bytes < total) throw interruptedError(part);
  const kind = await requireVideo(await part.read(0, HEAD_BYTES), 200, task);
  const whole =
    !BOX_FORMATS.test(kind.type) || (await isCompleteVideo(part.file, bytes, total !== null));
  if (!whole || (total !== null && bytes > total)) {
    await part.remove();
    throw damagedError(total !== null);
  }
  await withFolder(dirname(options.partFile), async () => {
    await part.finish();
    await stat(options.partFile);
  });
  const sha256 = part.sha256();
  const path = await publishFile(
    { path: options.partFile, bytes, sha256 },
    {
      folder: options.folder,
      name: options.name,
      ending: kind.ending,
      spareBytes: deps.limits.spareBytes,
    },
  );
  await part.remove();
  options.onProgress(bytes, bytes);
  return { kind: 'saved', path, type: kind.type, bytes, sha256 };
}

function damagedError(isMeasured: boolean): DownloadError {
  return isMeasured
    ? new DownloadError(
        'not-a-video',
        'The file that the service sent is damaged: its end is missing.',
      )
    : new DownloadError(
        'retry-later',
        'The download ended before the video was complete; it is downloaded again.',
      );
}
