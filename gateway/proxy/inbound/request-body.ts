import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { ByteChunks } from '../../lib/byte-chunks.ts';
import { ChunkCollector } from '../../lib/chunk-collector.ts';
import type { Reservation } from '../../lib/memory-budget.ts';
import { Problem } from '../../../shared/problem.ts';
import { ClientDisconnectedError } from '../../http/errors.ts';

/** Maximum size of a body that is buffered to be parsed and repaired: 64 MiB. */
export const MAX_BUFFERED_BODY = 64 * 1024 * 1024;

/** Whether a request has a body (RFC 9112 section 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (
    request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
  );
}

/** Buffers the whole body in the pieces that it arrives in. @throws Problem body_too_large, memory_full, or request_timeout when no byte came for `idleMs`. */
export async function bufferRequestBody(
  request: IncomingMessage,
  idleMs: number,
  memory: Reservation,
): Promise<ByteChunks> {
  const length = Number(request.headers['content-length'] ?? 0);
  if (length > MAX_BUFFERED_BODY) throw tooLargeProblem();
  // A short body is in the same packet as its head. It has been parsed a moment later and needs no listeners.
  await Promise.resolve();
  return request.complete || (length > 0 && request.readableLength === length)
    ? readArrivedBody(request, memory)
    : await collectBody(request, idleMs, memory);
}

/** Reads a body of which every byte has arrived. Node may mark the request as complete a moment later. */
function readArrivedBody(request: IncomingMessage, memory: Reservation): ByteChunks {
  const bytes: unknown = request.read();
  request.resume();
  if (!(bytes instanceof Buffer)) return new ByteChunks([]);
  memory.grow(bytes.length);
  return new ByteChunks([bytes]);
}

function collectBody(
  request: IncomingMessage,
  idleMs: number,
  memory: Reservation,
): Promise<ByteChunks> {
  return new Promise((resolve, reject) => {
    const length = request.headers['content-length'];
    const announced = length === undefined ? null : Number(length);
    const buffered = new ChunkCollector({ memory, announced });
    const idle = watchSender(request, idleMs, () => settle(() => reject(tooSlowProblem(idleMs))));
    const settle = (callback: () => void): void => {
      idle.stop();
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      callback();
    };
    const onData = (chunk: Buffer): void => {
      const fits = buffered.length + chunk.length <= MAX_BUFFERED_BODY;
      if (fits && buffered.tryPush(chunk)) return;
      request.pause();
      settle(() => reject(fits ? memory.full() : tooLargeProblem()));
    };
    const onEnd = (): void => settle(() => resolve(buffered.take()));
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void =>
      settle(() => reject(new ClientDisconnectedError('The client disconnected while sending.')));
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
  });
}

/** Reads the first chunk of the body and puts it back, so that the body can still be streamed. */
export async function peek(request: IncomingMessage, idleMs: number): Promise<Buffer> {
  const start = await new Promise<Buffer>((resolve, reject) => {
    const idle = setInterval(() => settle(() => reject(tooSlowProblem(idleMs))), idleMs);
    const settle = (callback: () => void): void => {
      clearInterval(idle);
      request.off('readable', onReadable).off('end', onEmpty).off('close', onClose);
      callback();
    };
    const onReadable = (): void => {
      const chunk: unknown = request.read();
      if (chunk instanceof Buffer) settle(() => resolve(chunk));
    };
    const onEmpty = (): void => settle(() => resolve(Buffer.alloc(0)));
    const onClose = (): void =>
      settle(() => reject(new ClientDisconnectedError('The client disconnected while sending.')));
    request.on('readable', onReadable).on('end', onEmpty).on('close', onClose);
  });
  if (start.length > 0) request.unshift(start);
  return start;
}

/**
 * Returns the body as a separate stream, which may be destroyed without closing the client's connection. Its bytes are passed to
 * `count`. The stream fails when no byte came for `idleMs` and when the client leaves.
 */
export function streamRequestBody(
  request: IncomingMessage,
  idleMs: number,
  count: (bytes: number) => void,
): Readable {
  const body = new PassThrough();
  // Its reader handles a failure; without a reader there is nothing to do.
  body.on('error', () => undefined);
  const idle = watchSender(request, idleMs, () => body.destroy(tooSlowProblem(idleMs)));
  request.on('data', (chunk: Buffer) => count(chunk.length));
  request.once('close', () => {
    idle.stop();
    if (!request.complete)
      body.destroy(new ClientDisconnectedError('The client disconnected while sending.'));
  });
  body.once('close', () => {
    idle.stop();
    request.unpipe(body);
    request.resume();
  });
  request.pipe(body);
  return body;
}

function tooLargeProblem(): Problem {
  return new Problem(
    'body_too_large',
    'The request body is larger than 64 MiB, the maximum for JSON. Upload files with POST /v1/files and refer to them.',
  );
}

function tooSlowProblem(idleMs: number): Problem {
  return new Problem(
    'request_timeout',
    `No byte of the request body arrived for ${Math.round(idleMs / 1000)} seconds. Send it again.`,
  );
}

/** Number of checks within the idle timeout: every second for 30 seconds. */
const CHECKS_PER_PERIOD = 30;

export type Sender = Pick<IncomingMessage, 'complete' | 'isPaused'> & {
  readonly socket: { readonly bytesRead: number };
};

/**
 * Calls `onIdle` when no byte of the request came for `idleMs` while we were ready to read, at most a thirtieth of that later.
 * Checks are counted and not the time, because after a halt of this process the bytes that came meanwhile are read only after the
 * next check.
 */
export function watchSender(request: Sender, idleMs: number, onIdle: () => void): { stop(): void } {
  let bytesBefore = request.socket.bytesRead;
  let silentChecks = 0;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    const now = request.socket.bytesRead;
    silentChecks = now === bytesBefore && !request.isPaused() ? silentChecks + 1 : 0;
    bytesBefore = now;
    if (silentChecks < CHECKS_PER_PERIOD) return;
    clearInterval(timer);
    onIdle();
  }, idleMs / CHECKS_PER_PERIOD);
  return { stop: () => clearInterval(timer) };
}
