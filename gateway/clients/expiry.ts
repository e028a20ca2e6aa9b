import type { Client, Expiry } from '../../shared/client.ts';
import { ClientError } from './client-error.ts';

/** Returns whether a client's key has expired at a Unix time in milliseconds, or was found expired before. */
export function isExpired(
  { expired, expiresAt }: Pick<Client, 'expired' | 'expiresAt'>,
  at: number,
): boolean {
  return expiresAt !== null && (expired || at >= expiresAt);
}

/** Checks a new expiry. @throws ClientError when it is not in the future. */
export function parseExpiry(expiresAt: Expiry, now: number): Expiry {
  if (expiresAt === null) return null;
  if (!(expiresAt > now)) throw new ClientError('The expiry of a local key must be in the future.');
  return Math.round(expiresAt);
}
