import type { ClientId } from '../shared/client.ts';
import { CommandError } from './errors.ts';
import type { CommandRepositories } from './with-repositories.ts';

/** Finds a client that was not revoked, by its name or its id. @throws CommandError */
export async function findClient(
  name: string,
  { clients }: Pick<CommandRepositories, 'clients'>,
): Promise<ClientId> {
  const found = (await clients.list('services', true)).find(
    (client) =>
      client.revokedAt === null &&
      (client.id === name || client.name.toLowerCase() === name.toLowerCase()),
  );
  if (found === undefined) throw new CommandError(`There is no client "${name}".`);
  return found.id;
}
