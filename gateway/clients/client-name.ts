import { type Client, ClientName } from '../../shared/client.ts';
import { ClientError } from './client-error.ts';
import { isReservedName } from './in-memory-clients.ts';

/** Parses the name of a client. @throws ClientError */
export function parseName(name: string): string {
  const parsed = ClientName.safeParse(name);
  if (parsed.success && isReservedName(parsed.data)) {
    throw new ClientError(`"${parsed.data}" is a name of Gatehouse itself. Choose another name.`);
  }
  if (parsed.success) return parsed.data;
  throw new ClientError(
    parsed.error.issues[0]?.message ?? 'This is not a valid name for a client.',
  );
}

/** Says that another client has the name. */
export function nameTakenError(name: string): ClientError {
  return new ClientError(
    `A client named "${name}" already exists. Choose another name, or revoke that one first.`,
  );
}

/** Says that no client in use has this name or id; one of all clients may have had it. */
export function notFoundError(nameOrId: string, all: readonly Client[]): ClientError {
  const revoked = all.find(
    ({ id, name, revokedAt }) =>
      revokedAt !== null && (id === nameOrId || isSameName(name, nameOrId)),
  );
  return new ClientError(
    revoked === undefined
      ? `There is no client named "${nameOrId}".`
      : `"${revoked.name}" is already revoked.`,
  );
}

/** Returns whether two names are the same, regardless of case. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
