import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { openGateway, openRepositories } from '../../../gateway/gateway.ts';
import { openKeys } from '../../../gateway/keys/keys.ts';
import type { SpendLimits } from '../../../gateway/spend-limits/spend-limits.ts';
import type { ClientId } from '../../../shared/client.ts';
import { createTestPlatform } from '../../kit/gateway/platform.ts';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';
import type { FromGateway, GatewayReports, LimitAmount } from './messages.ts';
import { CLIENTS } from './plan.ts';
import { PRICE_CARDS } from './price-cards.ts';

/** Serves from a data folder until it is killed, or until it is told to finish. Tells what the limits reserve and settle. */
const [dataDir = '', baseUrl = '', serviceKey = '', stepText = ''] = process.argv.slice(2);
const steps = JSON.parse(stepText);

const HOUR_MS = 3_600_000;

const secrets = {
  read: () => Promise.resolve({ state: 'absent' } as const),
  write: () => Promise.resolve({ state: 'unavailable', reason: 'none' } as const),
  remove: () => Promise.resolve({ state: 'unavailable', reason: 'none' } as const),
};
const log = () => undefined;
const host = { dataDir, secrets, log, now: Date.now, uptime: () => uptime() * 1000, randomBytes };
const repositories = await openRepositories({ host });
const keys = await openKeys({ secrets, log, account: baseUrl, thisRunKey: serviceKey });
const isFirst = repositories.prices.list().length === 0;
if (isFirst) {
  await repositories.prices.add(
    PRICE_CARDS.map((card) => ({
      ...card,
      tiers: [...card.tiers],
      service: null,
      validFrom: 0,
      origin: 'entered',
    })),
  );
}
const added: Record<string, { readonly id: ClientId; readonly key: string }> = {};
if (isFirst) {
  for (const { name } of CLIENTS) {
    const { client, key } = await repositories.clients.add(name);
    added[name] = { id: client.id, key };
  }
}
const gateway = await openGateway({
  repositories,
  platform: createTestPlatform(keys),
  version: 'test',
  upstream: { baseUrl },
  port: 0,
  allowedOrigins: [],
  // The queue does not follow the videos: only the requests of the clients count here.
  limits: { videos: { pollMs: HOUR_MS, slowestPollMs: HOUR_MS } },
});
// Only now, as the gateway itself does: what a killed run left is in the history.
const limits = await repositories.openSpendLimits();
const ids = new Map(
  (await repositories.clients.list()).map((summary) => [summary.name, summary.id]),
);
const amounts = await raiseLimits(limits);
watchAdmissions(limits, new Set(amounts.map(({ clientId }) => clientId)));
tell({ kind: 'ready', port: gateway.port, added, amounts });
process.once('disconnect', () => process.exit(1));
process.once('message', () => void finish());

function tell(message: FromGateway): void {
  process.send?.(message);
}

/** Sets each limit per day to what was used and a step more, and those per run to a step. */
async function raiseLimits(to: SpendLimits): Promise<readonly LimitAmount[]> {
  const raised: LimitAmount[] = [];
  const known = to.list('services');
  for (const { name, limit: measure, period } of CLIENTS) {
    const clientId = ids.get(name);
    if (measure === null || clientId === undefined || clientId === null) continue;
    const used = known.find((limit) => limit.clientId === clientId)?.used ?? 0;
    // What runs may use stays the same: they go on in the next gateway.
    const amount = period === 'run' ? steps.run[measure] : used + steps.day[measure];
    await to.set({ clientId, measure, amount, period, rolling: false });
    raised.push({ clientId, name, measure, period, amount });
  }
  return raised;
}

/** Tells what the limits of these clients expect of each request, and what it used in the end. */
function watchAdmissions(of: SpendLimits, clients: ReadonlySet<string>): void {
  const admit = of.admit.bind(of);
  let count = 0;
  of.admit = (request) => {
    const expected = request.expected();
    const admission = admit({ ...request, expected: () => expected });
    const { clientId, run, at } = request;
    if (!clients.has(clientId)) return admission;
    const number = (count += 1);
    tell({
      kind: 'admitted',
      number,
      clientId,
      run,
      at,
      use: { ...expected, requests: 1, money: expected.money ?? 0 },
    });
    return {
      ...admission,
      settle: (spent) => {
        const use = { ...spent, requests: 1 };
        tell({ kind: 'settled', number, clientId, run, at, use });
        admission.settle(spent);
      },
      cancel: () => {
        const use = { requests: 0, money: 0, tokens: 0 };
        tell({ kind: 'settled', number, clientId, run, at, use });
        admission.cancel();
      },
    };
  };
}

async function finish(): Promise<void> {
  // The queue asks for its videos until the gateway is closed.
  await gateway.close(0);
  const reports = await readReports();
  keys.close();
  await repositories.close();
  process.send?.({ kind: 'finished', reports } satisfies FromGateway, () => process.exit(0));
}

async function readReports(): Promise<GatewayReports> {
  const { totals } = await gateway.history.usageOverview(ALL_SERVICES);
  const groupings = ['day', 'hour', 'model', 'client', 'route'] as const;
  const groups = await Promise.all(
    groupings.map(async (by) => [by, await gateway.history.usage(by, ALL_SERVICES)] as const),
  );
  const used = limits
    .list('services')
    .map(({ clientId, used: amount }) => [clientId ?? '', amount] as const);
  return { totals, groups: Object.fromEntries(groups), used: Object.fromEntries(used) };
}
