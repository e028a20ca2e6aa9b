import { describeLimitStep } from '../../shared/money/describe-limit.ts';
import { LimitSteps, type LimitStep } from '../../shared/money/limit-step.ts';
import type { UsageScope } from '../../shared/history/history.ts';
import type { LimitState } from '../../shared/money/limit.ts';
import type { History } from '../history/history.ts';
import type { Repositories } from '../repositories.ts';

export interface LogLimitsOptions {
  readonly repositories: Pick<Repositories, 'host' | 'clients' | 'settings'>;
  readonly history: Pick<History, 'on'>;
  readonly limits: { list(scope: UsageScope): readonly LimitState[] };
}

/** Logs when 80, 95 and 100 percent of a limit are used, each once in a period. Returns the function that stops it. */
export function logLimits({ repositories, history, limits }: LogLimitsOptions): () => void {
  const { clients, host, settings } = repositories;
  const steps = new LimitSteps();
  steps.update(limits.list('services'));
  const log = async (news: readonly LimitStep[]) => {
    const names = new Map((await clients.list()).map(({ id, name }) => [id, name]));
    for (const { limit, percent } of news) {
      const clientName = limit.clientId === null ? null : (names.get(limit.clientId) ?? null);
      const named = { limit: { ...limit, clientName }, percent };
      const { currency } = settings.current();
      const { title, text } = describeLimitStep(named, { currency, now: host.now() });
      host.log('warn', `${title}. ${text}`);
    }
  };
  return history.on(() => {
    const news = steps.update(limits.list('services'));
    if (news.length > 0) void log(news).catch(() => undefined);
  });
}
