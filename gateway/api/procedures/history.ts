import { NotFoundError } from '../../errors.ts';
import { procedures } from './base.ts';
import { withRpcErrors } from './rpc-errors.ts';
import type { Attention } from '../../../shared/history.ts';
import type { Status } from '../../../shared/status.ts';

export const historyProcedures = {
  page: procedures.history.page.handler(({ context, input: { filter, limit, before } }) =>
    context.gateway.history.page({ filter, limit, ...(before === undefined ? {} : { before }) }),
  ),
  get: procedures.history.get.handler(async ({ context, input }) => {
    const exchange = await context.gateway.history.get(input.id);
    if (exchange === null)
      throw new NotFoundError('This exchange is not in the history, or was deleted.');
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

export const homeProcedures = {
  days: procedures.home.days.handler(({ context }) => context.gateway.history.days()),
  attention: procedures.home.attention.handler(async ({ context: { gateway } }) => {
    const { history } = gateway;
    const [status, rest] = await Promise.all([gateway.status(), history.attention()]);
    const dropped: readonly Attention[] =
      history.dropped === 0 ? [] : [{ kind: 'dropped', exchanges: history.dropped }];
    return [...findKeyAttention(status), ...rest, ...dropped];
  }),
};

/** Returns the missing or rejected service key first, because nothing works without it. The sandbox needs none. */
function findKeyAttention({ upstream, key, keyRefusedAt }: Status): readonly Attention[] {
  if (upstream.kind === 'sandbox') return [];
  if (key.name === 'missing' || key.name === 'locked' || key.name === 'unavailable') {
    return [{ kind: 'key', sentence: key.sentence, at: null }];
  }
  if (keyRefusedAt === null) return [];
  const sentence =
    'The service refuses the service key (401). Your local keys are fine. Test it in Settings, or enter it there again.';
  return [{ kind: 'key', sentence, at: keyRefusedAt }];
}
