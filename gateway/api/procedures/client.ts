import { ClientError } from '../../clients/clients.ts';
import { UserError } from '../../errors.ts';
import { procedures } from './base.ts';

export const clientProcedures = {
  list: procedures.clients.list.handler(async ({ context }) => [
    ...(await context.gateway.clients.list()),
  ]),
  add: procedures.clients.add.handler(({ context, input }) =>
    withNameField(context.gateway.clients.add(input.name)),
  ),
  rename: procedures.clients.rename.handler(async ({ context, input: { id, name } }) => {
    await withNameField(context.gateway.clients.rename(id, name));
  }),
  renew: procedures.clients.renew.handler(({ context, input }) =>
    context.gateway.clients.renew(input.id),
  ),
  revoke: procedures.clients.revoke.handler(async ({ context, input }) => {
    await context.gateway.clients.revoke(input.id);
  }),
};

/** Attributes a rejection to the field `name`. */
async function withNameField<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ClientError) throw new UserError(error.message, 'name', { cause: error });
    throw error;
  }
}
