import type { ClientId } from '../../../shared/client.ts';
import type { Gateway } from '../../gateway.ts';
import { ClientError } from '../../clients/clients.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import { procedures } from './base.ts';
import { listLimits } from './list-limits.ts';
import { findUsageScope } from './usage-scope.ts';

export const clientProcedures = {
  list: procedures.clients.list.handler(async ({ context: { gateway } }) => {
    const stopped = new Set<string>(
      gateway.runaways.list().flatMap((one) => (one.stopped ? [one.clientId] : [])),
    );
    const clients = await gateway.clients.list(await findUsageScope(gateway), true);
    return clients.map((client) => ({ ...client, stopped: stopped.has(client.id) }));
  }),
  add: procedures.clients.add.handler(({ context, input }) =>
    withNameField(context.gateway.clients.add(input.name, input.expiresAt)),
  ),
  rename: procedures.clients.rename.handler(async ({ context, input: { id, name } }) => {
    await withNameField(context.gateway.clients.rename(id, name));
  }),
  renew: procedures.clients.renew.handler(({ context, input }) =>
    context.gateway.clients.renew(input.id, input.expiresAt),
  ),
  setExpiry: procedures.clients.setExpiry.handler(async ({ context, input }) => {
    await context.gateway.clients.setExpiry(input.id, input.expiresAt);
  }),
  setKeepBodies: procedures.clients.setKeepBodies.handler(async ({ context, input }) => {
    await context.gateway.clients.setKeepBodies(input.id, input.days);
  }),
  setModels: procedures.clients.setModels.handler(async ({ context, input }) => {
    await context.gateway.clients.setModels(input.id, input.models);
  }),
  revoke: procedures.clients.revoke.handler(async ({ context, input }) => {
    const { clients } = context.gateway;
    const connections = await context.gateway.connections();
    const program = (await connections?.findProgramOf(input.id)) ?? null;
    await clients.revoke(input.id);
    if (program === null) return;
    try {
      await connections?.disconnect(program, null);
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      throw new UserError(
        `The key was revoked. The settings of its program could not be put back: ${error.message}`,
        null,
        { cause: error },
      );
    }
  }),
  stop: procedures.clients.stop.handler(async ({ context: { gateway }, input: { id } }) => {
    gateway.runaways.stop(await findClient(gateway, id));
  }),
  resume: procedures.clients.resume.handler(({ context, input }) =>
    context.gateway.runaways.resume(input.id),
  ),
  limits: {
    list: procedures.clients.limits.list.handler(({ context }) => listLimits(context.gateway)),
    used: procedures.clients.limits.used.handler(async ({ context: { gateway }, input }) => ({
      used: await gateway.limits.findUsed(input, await findUsageScope(gateway)),
    })),
    set: procedures.clients.limits.set.handler(async ({ context, input }) => {
      await context.gateway.limits.set(input);
    }),
    allow: procedures.clients.limits.allow.handler(async ({ context, input }) => {
      await context.gateway.limits.allow(input.id, input.exception);
    }),
    remove: procedures.clients.limits.remove.handler(async ({ context, input }) => {
      await context.gateway.limits.remove(input.id);
    }),
  },
  hold: {
    list: procedures.clients.hold.list.handler(({ context }) => context.gateway.holds.list()),
    next: procedures.clients.hold.next.handler(
      async ({ context: { gateway }, input: { id, seconds } }) => {
        gateway.holds.holdNext(await findClient(gateway, id), seconds);
      },
    ),
    cancel: procedures.clients.hold.cancel.handler(({ context, input }) =>
      context.gateway.holds.cancel(input.id),
    ),
    read: procedures.clients.hold.read.handler(({ context, input }) =>
      context.gateway.holds.read(input.id),
    ),
    extend: procedures.clients.hold.extend.handler(({ context, input }) => {
      context.gateway.holds.extend(input.id, input.seconds);
    }),
    send: procedures.clients.hold.send.handler(({ context, input }) => {
      context.gateway.holds.send(input);
    }),
    refuse: procedures.clients.hold.refuse.handler(({ context, input }) => {
      context.gateway.holds.refuse(input.id, input.reason);
    }),
  },
  terminal: procedures.clients.terminal.handler(({ context }) => ({
    key: context.gateway.clients.ownKey('terminal'),
  })),
};

/** @throws NotFoundError when there is no such client */
async function findClient({ clients }: Gateway, id: ClientId) {
  const client = (await clients.list('services', true)).find((one) => one.id === id);
  if (client === undefined) throw new NotFoundError('There is no such client.');
  return client;
}

/** Attributes a rejection to the field `name`. */
async function withNameField<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ClientError) throw new UserError(error.message, 'name', { cause: error });
    throw error;
  }
}
