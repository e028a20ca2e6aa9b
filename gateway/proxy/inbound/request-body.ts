import type { IncomingMessage } from 'node:http';
import { PassThrough, type Readable } from 'node:stream';
import { GrowingBuffer } from '../../lib/growing-buffer.ts';
import type { Reservation } from '../../lib/memory-budget.ts';
import { Problem } from '../../../shared/problem.ts';
import { ClientDisconnectedError } from '../../http/errors.ts';
import { watchSender } from './sender-watch.ts';

/** JSON bodies are held to be read and repaired; this is the most that is held (64 MiB). */
export const MAX_BUFFERED_BODY = 64 * 1024 * 1024;

/** What a request says about its body (RFC 9112 section 6.3): nothing, or framed by length or chunks. */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (
    request.headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0')
  );
}

/** Reads the whole body. Throws Problem: body_too_large, memory_full, or request_timeout when the sender is silent for `idleMs`. */
export async function bufferRequestBody(
  request: IncomingMessage,
  idleMs: number,
  memory: Reservation,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BUFFERED_BODY) throw tooLargeProblem();
  // A short body lies in the same packet as its head: a moment later it has been read, too, and needs no listeners.
  await Promise.resolve();
  return request.complete ? wholeBody(request, memory) : await restOfBody(request, idleMs, memory);
}

function wholeBody(request: IncomingMessage, memory: Reservation): Buffer {
  const bytes: unknown = request.read();
  if (!(bytes instanceof Buffer)) return Buffer.alloc(0);
  memory.grow(bytes.length);
  return bytes;
}

function restOfBody(
  request: IncomingMessage,
  idleMs: number,
  memory: Reservation,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const held = new GrowingBuffer({ memory, most: MAX_BUFFERED_BODY });
    const idle = watchSender(request, idleMs, () => settle(() => reject(tooSlowProblem(idleMs))));
    const settle = (conclude: () => void): void => {
      idle.stop();
      request.off('data', take).off('end', done).off('error', broke).off('close', left);
      conclude();
    };
    const take = (chunk: Buffer): void => {
      const fits = held.length + chunk.length <= MAX_BUFFERED_BODY;
      if (fits && held.tryPush(chunk)) return;
      request.pause();
      settle(() => reject(fits ? memory.full() : tooLargeProblem()));
    };
    const done = (): void => settle(() => resolve(held.bytes));
    const broke = (error: Error): void => settle(() => reject(error));
    const left = (): void =>
      settle(() => reject(new ClientDisconnectedError('The client left while sending.')));
    request.on('data', take).on('end', done).on('error', broke).on('close', left);
  });
}

/** Waits for the first piece of the body and puts it back, so that it can be looked at and still be streamed. */
export async function peek(request: IncomingMessage, idleMs: number): Promise<Buffer> {
  const start = await new Promise<Buffer>((resolve, reject) => {
    const idle = setInterval(() => settle(() => reject(tooSlowProblem(idleMs))), idleMs);
    const settle = (conclude: () => void): void => {
      clearInterval(idle);
      request.off('readable', look).off('end', none).off('close', left);
      conclude();
    };
    const look = (): void => {
      const chunk: unknown = request.read();
      if (chunk instanceof Buffer) settle(() => resolve(chunk));
    };
    const none = (): void => settle(() => resolve(Buffer.alloc(0)));
    const left = (): void =>
      settle(() => reject(new ClientDisconnectedError('The client left while sending.')));
    request.on('readable', look).on('end', none).on('close', left);
  });
  if (start.length > 0) request.unshift(start);
  return start;
}

/**
 * The body as a stream of its own, counted, without ending the client's connection when the service stops reading.
 * A sender that is silent for `idleMs`, or that leaves, breaks the stream off.
 */
export function streamRequestBody(
  request: IncomingMessage,
  idleMs: number,
  count: (bytes: number) => void,
): Readable {
  const body = new PassThrough();
  // Whoever reads it hears of its failure; when nobody does any more, it is nobody's failure.
  body.on('error', () => undefined);
  const idle = watchSender(request, idleMs, () => body.destroy(tooSlowProblem(idleMs)));
  request.on('data', (chunk: Buffer) => count(chunk.length));
  request.once('close', () => {
    idle.stop();
    if (!request.complete)
      body.destroy(new ClientDisconnectedError('The client left while sending.'));
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
    'The request body is larger than 64 MiB, the most Gatehouse takes as JSON. Upload files with POST /v1/files and refer to them.',
  );
}

function tooSlowProblem(idleMs: number): Problem {
  return new Problem(
    'request_timeout',
    `No byte of the request body came for ${Math.round(idleMs / 1000)} seconds. Send it again.`,
  );
}
