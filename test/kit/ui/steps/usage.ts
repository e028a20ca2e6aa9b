import { openHistory } from '../../../../gateway/history/history.ts';
import type { Repositories } from '../../../../gateway/gateway.ts';
import { SANDBOX_ID } from '../../../../shared/sandbox-id.ts';
import { anExchange } from '../../history/an-exchange.ts';

const HOUR = 3_600_000;

function paid(amount: number) {
  return { amount, source: 'reported', priceId: null };
}

/** One exchange of today that cost 20 millionths. */
export async function seedSmall({ store, host }: Repositories): Promise<void> {
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: () => ({ days: 90, headersDays: 7 }),
  });
  const fields = { service: SANDBOX_ID, startedAt: host.now(), cost: paid(20) };
  history.record(anExchange('ex-0000000000000001', fields));
  await history.close();
}

/** The same, and one of a service that cost $1.25. */
export async function seedBoth(repositories: Repositories): Promise<void> {
  await seedSmall(repositories);
  const { store, host } = repositories;
  const history = openHistory({
    store,
    now: host.now,
    redact: String,
    log: host.log,
    getRetention: () => ({ days: 90, headersDays: 7 }),
  });
  history.record(
    anExchange('ex-0000000000000002', {
      service: 'https://models.example.com',
      startedAt: host.now(),
      cost: paid(1_250_000),
    }),
  );
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
