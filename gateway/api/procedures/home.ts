import type { Attention } from '../../../shared/history.ts';
import type { Status } from '../../../shared/status.ts';
import { procedures } from './base.ts';

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
    'The service refuses the service key (401). Your local keys are fine. Test it in Settings, or put it in there again.';
  return [{ kind: 'key', sentence, at: keyRefusedAt }];
}
