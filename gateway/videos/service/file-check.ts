import { createHash } from 'node:crypto';
import { openNamed } from '../../http/redirect.ts';
import { UpstreamSendError } from '../../http/errors.ts';
import { Problem } from '../../../shared/problem.ts';
import { startIdleTimeout } from './idle-timeout.ts';
import { StreamInterruptedError, readChunks } from './read-chunks.ts';
import { toUpstreamRequest } from './call-service.ts';
import type { FileMark, VideoServiceDeps, ServiceConnection } from './types.ts';

/** An address, and the file that may be there. */
export interface FileCheck {
  readonly connection: ServiceConnection;
  readonly address: string;
  readonly file: FileMark;
  readonly signal: AbortSignal;
}

/**
 * Checks whether an address returns a file, byte for byte. It is requested like the target of a redirect: the key goes to the service's
 * own origin only, and private addresses are refused unless the service has one. At most the length of the file is read. Rejects only
 * with the reason of its signal.
 */
export async function urlGivesFile(check: FileCheck, deps: VideoServiceDeps): Promise<boolean> {
  const { connection, address, signal } = check;
  const limit = startIdleTimeout(signal, deps.limits.askMs);
  const { connections } = connection;
  const situation = { connections, ownPorts: deps.ownPorts, signal: limit.signal };
  try {
    const headers = ['accept', '*/*'];
    const request = toUpstreamRequest(connection, {
      method: 'GET',
      path: '/v1/files',
      headers,
      body: null,
    });
    return await isSame(await openNamed(address, request, situation), check);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.isOver || isExpected(error)) return false;
    throw error;
  } finally {
    limit.end();
  }
}

/** Errors of addresses that are not the file. */
function isExpected(error: unknown): boolean {
  return (
    error instanceof Problem ||
    error instanceof UpstreamSendError ||
    error instanceof StreamInterruptedError
  );
}

async function isSame(
  { status, body }: Awaited<ReturnType<typeof openNamed>>,
  { file }: FileCheck,
): Promise<boolean> {
  if (status !== 200) {
    body.discard();
    return false;
  }
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of readChunks(body)) {
    bytes += chunk.length;
    if (bytes > file.bytes) return false;
    hash.update(chunk);
  }
  return bytes === file.bytes && hash.digest('hex') === file.sha256;
}
