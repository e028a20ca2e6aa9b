import { openHistory } from '../../../../gateway/history/history.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { SANDBOX_ID } from '../../../../shared/sandbox-id.ts';
import { anExchange } from '../../history/an-exchange.ts';

const HOUR = 3_600_000;

function paid(amount: number) {
  return { amount, source: 'reported', priceId: null };
}

/** One exchange of today that cost 20 millionths. */
export async function seedSmall(repositories: Repositories): Promise<void> {
  await recordToday(repositories, [SMALL]);
}

/** The same, and one of a service that cost $1.25. */
export async function seedBoth(repositories: Repositories): Promise<void> {
  await recordToday(repositories, [SMALL, { cost: paid(1_250_000) }]);
}

/** A video of a service without a cost. */
export async function seedVideo(repositories: Repositories): Promise<void> {
  const video = { seconds: 5, resolution: '480p' };
  const cost = { amount: null, source: 'unpriced', priceId: null };
  await recordToday(repositories, [{ route: 'video-submit', modelSent: 'acme/film', video, cost }]);
}

const SMALL = { service: SANDBOX_ID, cost: paid(20) };

/** Records exchanges of today. */
async function recordToday({ store, host }: Repositories, all: readonly object[]): Promise<void> {
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: () => ({ days: 90, headersDays: 7 }),
  });
  for (const [at, fields] of all.entries())
    history.record(anExchange(`ex-000000000000000${at}`, { startedAt: host.now(), ...fields }));
  await history.close();
}

/** Exchanges with costs, an estimate and one without a price, of today and of the week before. */
export async function seed({ store, host }: Repositories): Promise<void> {
  const retention = { days: 90, headersDays: 7 };
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: () => retention,
  });
  const now = host.now();
  const common = { service: SANDBOX_ID, firstByteMs: 400, durationMs: 2_400 };
  const record = (id: number, fields: object) =>
    history.record(anExchange(`ex-${String(id).padStart(16, '0')}`, { ...common, ...fields }));
  record(1, { startedAt: now, cost: paid(2_500_000), clientName: 'Cline' });
  record(2, {
    startedAt: now,
    cost: { ...paid(500_000), source: 'estimated' },
    modelSent: 'acme/small',
  });
  record(3, {
    startedAt: now,
    cost: { amount: null, source: 'unpriced', priceId: null },
    modelSent: 'acme/new',
  });
  record(4, { startedAt: now, status: 500, route: 'messages', modelSent: 'acme/small' });
  record(5, { startedAt: now - 8 * 24 * HOUR, cost: paid(1_500_000) });
  await history.close();
}
