import { createHash } from 'node:crypto';
import { openNamed, SendFailure } from '../../proxy/proxy.ts';
import { Problem } from '../../../shared/problem.ts';
import { openLimit } from './limit.ts';
import { BrokenOff, piecesOf } from './pieces.ts';
import { addressed } from './reply.ts';
import type { FileMark, StudioGround, Wire } from './studio.ts';

/** An address to look at, and the file that may be there. */
export interface FileCheck {
  readonly wire: Wire;
  readonly address: string;
  readonly file: FileMark;
  readonly signal: AbortSignal;
}

/**
 * Whether an address gives a file back, byte for byte. It is fetched like the target of a redirect: the key goes to the service's own
 * origin only, and nothing of this machine or its network is asked unless the service is there. No more than the file's length is read.
 * Rejects only with the reason of the signal that stopped it.
 */
export async function givesFile(check: FileCheck, ground: StudioGround): Promise<boolean> {
  const { wire, address, signal } = check;
  const limit = openLimit(signal, ground.limits.askMs);
  const { connections } = wire;
  const situation = { connections, ownPorts: ground.ownPorts, gone: limit.signal };
  try {
    const headers = ['accept', '*/*'];
    const asked = addressed(wire, { method: 'GET', path: '/v1/files', headers, body: null });
    return await isSame(await openNamed(address, asked, situation), check);
  } catch (error) {
    signal.throwIfAborted();
    if (limit.isOver || isExpected(error)) return false;
    throw error;
  } finally {
    limit.end();
  }
}

/** What a place says that is no file of ours. */
function isExpected(error: unknown): boolean {
  return error instanceof Problem || error instanceof SendFailure || error instanceof BrokenOff;
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
  for await (const piece of piecesOf(body)) {
    bytes += piece.length;
    if (bytes > file.bytes) return false;
    hash.update(piece);
  }
  return bytes === file.bytes && hash.digest('hex') === file.sha256;
}
