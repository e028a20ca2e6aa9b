import { api } from './base.ts';

export const clientCalls = {
  list: api.clients.list.handler(async ({ context }) => [
    ...(await context.gateway.clients.list()),
  ]),
  add: api.clients.add.handler(({ context, input }) => context.gateway.clients.add(input.name)),
  rename: api.clients.rename.handler(async ({ context, input: { id, name } }) => {
    await context.gateway.clients.rename(id, name);
  }),
  renew: api.clients.renew.handler(({ context, input }) => context.gateway.clients.renew(input.id)),
  revoke: api.clients.revoke.handler(async ({ context, input }) => {
    await context.gateway.clients.revoke(input.id);
  }),
};
