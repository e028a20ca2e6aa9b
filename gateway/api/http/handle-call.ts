import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiContext } from '../procedures/base.ts';
import { sendErrorBody } from './http-responses.ts';
import { readJsonBody } from './json-body.ts';

/** Where a call came in, and what it acts on. */
export interface CallScope {
  /** The part of the path before the name of the call. */
  readonly prefix: '/rpc' | '/control';
  readonly context: ApiContext;
}

/** Answers one call of a window or a command. Rejects when the caller disconnects, and with faults. */
export async function handleCall(
  request: IncomingMessage,
  response: ServerResponse,
  { prefix, context }: CallScope,
): Promise<void> {
  const body = await readJsonBody(request);
  if ('status' in body) {
    response.setHeader('connection', 'close');
    return sendErrorBody(response, body.status, body.sentence);
  }
  const rpcHandler = await loadRpcHandler();
  if (rpcHandler === null) return sendErrorBody(response, 503, UPDATED);
  // With a body in place the handler reads none, so the caller decides neither its size nor its type.
  const ready = Object.assign(request, { body: body.value ?? {} });
  const { matched } = await rpcHandler.handle(ready, response, { prefix, context });
  if (!matched) sendErrorBody(response, 404, UNKNOWN[prefix]);
}

const UPDATED = 'This Gatehouse was updated while it ran. Stop it, and start it again.';
const UNKNOWN = {
  '/rpc': 'Unknown procedure. Reload the page.',
  '/control': 'This Gatehouse does not know this call.',
} satisfies Record<CallScope['prefix'], string>;

/** Loads the calls with the first of them, because their schemas take time. Resolves with `null` when an update has removed the file. */
async function loadRpcHandler() {
  try {
    return (await import('./rpc-handler.ts')).rpcHandler;
  } catch (error) {
    // The names of the files of a bundle contain hashes, so one of another version is never loaded.
    const isGone = error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';
    if (isGone) return null;
    throw error;
  }
}
