import { ClientRefused } from '../clients/clients.ts';
import { Refused } from '../refused.ts';
import { api } from './base.ts';

export const clientCalls = {
  list: api.clients.list.handler(async ({ context }) => [
    ...(await context.gateway.clients.list()),
  ]),
  add: api.clients.add.handler(({ context, input }) =>
    blamingName(context.gateway.clients.add(input.name)),
  ),
  rename: api.clients.rename.handler(async ({ context, input: { id, name } }) => {
    await blamingName(context.gateway.clients.rename(id, name));
  }),
  renew: api.clients.renew.handler(({ context, input }) => context.gateway.clients.renew(input.id)),
  revoke: api.clients.revoke.handler(async ({ context, input }) => {
    await context.gateway.clients.revoke(input.id);
  }),
};

/** Where a name is given, it is the name that was refused. */
async function blamingName<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ClientRefused) throw new Refused(error.message, 'name', { cause: error });
    throw error;
  }
}
