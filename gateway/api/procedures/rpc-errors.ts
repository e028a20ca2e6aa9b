import { ORPCError } from '@orpc/server';
import { ClientError } from '../../clients/clients.ts';
import type { Log } from '../../host.ts';
import { InvalidKeyError } from '../../keys/keys.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import { StoreError } from '../../store/store.ts';
import { InvalidBaseUrlError } from '../../upstreams/upstreams.ts';

/** Context for logging unexpected failures. */
export interface CallContext {
  readonly log: Log;
  /** Name of the call, such as `clients.add`. */
  readonly call: string;
}

const MAX_TRACE = 2_000;

/** Converts an error for the window: to a problem of the contract, to invalid input, or to an internal fault, which is logged. */
export function toRpcError(error: unknown, { log, call }: CallContext): unknown {
  const planned = toPlannedError(error);
  if (planned !== null) return planned;
  if (error instanceof ORPCError && error.code !== 'INTERNAL_SERVER_ERROR') return error;
  // The window was closed or stopped waiting, so nobody receives an error.
  if (error instanceof Error && error.name === 'AbortError') return error;
  log('error', 'A call of the window failed.', { call, reason: formatTrace(error) });
  return new ORPCError('INTERNAL_SERVER_ERROR', {
    message: 'Gatehouse had an internal error. Its log says why.',
  });
}

/** Yields the same chunks; converts a failure like that of a call. */
export async function* withRpcErrors<Piece>(
  chunks: AsyncIterable<Piece>,
  callContext: CallContext,
): AsyncGenerator<Piece, void, void> {
  try {
    yield* chunks;
  } catch (error) {
    throw toRpcError(error, callContext);
  }
}

function toPlannedError(error: unknown): ORPCError<string, unknown> | null {
  if (error instanceof NotFoundError) {
    return new ORPCError('NOT_FOUND', { status: 404, message: error.message });
  }
  if (error instanceof UserError) return createRefusedError(error.message, error.field);
  if (error instanceof ClientError) return createRefusedError(error.message, null);
  // A full disk, or a database that cannot be written: the person can fix it.
  if (error instanceof StoreError) return createRefusedError(error.message, null);
  if (error instanceof InvalidKeyError) return createRefusedError(error.message, 'key');
  if (error instanceof InvalidBaseUrlError) return createRefusedError(error.message, 'baseUrl');
  return null;
}

function createRefusedError(message: string, field: string | null) {
  return new ORPCError('REFUSED', { status: 422, message, data: { field } });
}

/** Omits the values that a schema rejected. */
function formatTrace(error: unknown): string {
  if (!(error instanceof Error)) return 'A value that is not an error was thrown.';
  const cause = error.cause instanceof Error ? ` Cause: ${formatCause(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`.slice(0, MAX_TRACE);
}

function formatCause(cause: Error): string {
  const issues = 'issues' in cause && Array.isArray(cause.issues) ? cause.issues : [];
  const places = issues.map((issue: unknown) => formatIssue(issue)).join('; ');
  return places === '' ? cause.message : `${cause.message}: ${places}`;
}

function formatIssue(issue: unknown): string {
  if (typeof issue !== 'object' || issue === null) return '';
  const path = 'path' in issue && Array.isArray(issue.path) ? issue.path.join('.') : '';
  const message = 'message' in issue ? String(issue.message) : '';
  return `${path} ${message}`;
}
