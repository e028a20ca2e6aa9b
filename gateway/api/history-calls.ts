import { NotFound } from '../refused.ts';
import { api } from './base.ts';
import { guarded } from './failures.ts';

export const historyCalls = {
  page: api.history.page.handler(({ context, input: { filter, limit, before } }) =>
    context.gateway.history.page({ filter, limit, ...(before === undefined ? {} : { before }) }),
  ),
  get: api.history.get.handler(async ({ context, input }) => {
    const exchange = await context.gateway.history.get(input.id);
    if (exchange === null)
      throw new NotFound('This exchange is not in the history, or not any more.');
    return exchange;
  }),
  count: api.history.count.handler(({ context, input: { filter, upTo } }) =>
    context.gateway.history.count(filter, upTo),
  ),
  names: api.history.names.handler(({ context }) => context.gateway.history.names()),
  export: api.history.export.handler(({ context, input: { filter, format }, signal }) => {
    const asked = { filter, format, signal: signal ?? new AbortController().signal };
    const note = { log: context.host.log, call: 'history.export' };
    return guarded(context.gateway.history.export(asked), note);
  }),
  erase: api.history.erase.handler(({ context }) => context.gateway.history.erase()),
};
