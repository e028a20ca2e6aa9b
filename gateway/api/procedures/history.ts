import { NotFoundError } from '../../errors.ts';
import { procedures } from './base.ts';
import { withRpcErrors } from './rpc-errors.ts';

export const historyProcedures = {
  page: procedures.history.page.handler(({ context, input: { filter, limit, before } }) =>
    context.gateway.history.page({ filter, limit, ...(before === undefined ? {} : { before }) }),
  ),
  get: procedures.history.get.handler(async ({ context, input }) => {
    const exchange = await context.gateway.history.get(input.id);
    if (exchange === null)
      throw new NotFoundError('This exchange is not in the history, or not any more.');
    return exchange;
  }),
  count: procedures.history.count.handler(({ context, input: { filter, upTo } }) =>
    context.gateway.history.count(filter, upTo),
  ),
  names: procedures.history.names.handler(({ context }) => context.gateway.history.names()),
  export: procedures.history.export.handler(({ context, input: { filter, format }, signal }) => {
    const options = { filter, format, signal: signal ?? new AbortController().signal };
    const note = { log: context.host.log, call: 'history.export' };
    return withRpcErrors(context.gateway.history.export(options), note);
  }),
  erase: procedures.history.erase.handler(({ context }) => context.gateway.history.erase()),
};
