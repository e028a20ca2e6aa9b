import { ClientError, InvalidLocalKeyError } from '../gateway/clients/clients.ts';
import { NotFoundError, UserError } from '../gateway/errors.ts';
import { PortAccessError } from '../gateway/gateway.ts';
import { InvalidKeyError } from '../gateway/keys/keys.ts';
import { DiskError } from '../gateway/lib/disk.ts';
import { StoreError } from '../gateway/store/store.ts';
import { InvalidBaseUrlError } from '../gateway/upstreams/upstreams.ts';
import { CommandError, ProgramExit, UsageError } from './errors.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** Returns the exit code of an error, and its message for people. */
export function toExitError(error: unknown): { readonly code: number; readonly message: string } {
  if (error instanceof ProgramExit) return { code: error.code, message: '' };
  if (
    error instanceof UsageError ||
    error instanceof InvalidBaseUrlError ||
    error instanceof InvalidKeyError ||
    error instanceof InvalidLocalKeyError
  ) {
    return { code: EXIT_CODES.usage, message: error.message };
  }
  if (
    error instanceof CommandError ||
    error instanceof ClientError ||
    error instanceof StoreError ||
    error instanceof DiskError ||
    error instanceof PortAccessError ||
    error instanceof UserError ||
    error instanceof NotFoundError
  ) {
    return { code: EXIT_CODES.failed, message: error.message };
  }
  const trace =
    error instanceof Error
      ? (error.stack ?? error.message)
      : 'A value that is not an error was thrown.';
  return { code: EXIT_CODES.failed, message: `This is an error in Gatehouse.\n${trace}` };
}
