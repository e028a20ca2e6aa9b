import type { RunId } from '../../../shared/exchange/exchange.ts';
import type { RunDetail } from '../../../shared/run/run.ts';
import { NotFoundError } from '../../errors.ts';
import type { Gateway } from '../../gateway.ts';
import { procedures } from './base.ts';
import { withRpcErrors } from './rpc-errors.ts';
import { toServiceId } from '../../../shared/upstream.ts';
import { findUsageScope } from './usage-scope.ts';
import { listLimits } from './list-limits.ts';
import {
  composeAttention,
  findLimitAttention,
  toRunawayAttention,
  toUnpricedAttention,
} from './home-attention.ts';

export const historyProcedures = {
  page: procedures.history.page.handler(({ context, input: { filter, limit, before } }) =>
    context.gateway.history.page({ filter, limit, ...(before === undefined ? {} : { before }) }),
  ),
  get: procedures.history.get.handler(async ({ context, input }) => {
    const exchange = await context.gateway.history.get(input.id);
    if (exchange === null)
      throw new NotFoundError(
        `The request with the id “${input.id}” is not in the history, or was deleted.`,
      );
    return exchange;
  }),
  cost: procedures.history.cost.handler(async ({ context, input: { id } }) => {
    const { exchange } = (await context.gateway.history.get(id)) ?? {};
    if (exchange?.cost == null) return null;
    return { cost: exchange.cost, service: exchange.service };
  }),
  count: procedures.history.count.handler(({ context, input: { filter, upTo } }) =>
    context.gateway.history.count(filter, upTo),
  ),
  names: procedures.history.names.handler(async ({ context: { gateway } }) => {
    const [names, upstreams] = await Promise.all([
      gateway.history.names(),
      gateway.listUpstreams(),
    ]);
    const known = new Map(upstreams.map((upstream) => [toServiceId(upstream), upstream.name]));
    const services = names.services.map((id) => ({ id, name: known.get(id) ?? id }));
    return { ...names, services };
  }),
  export: procedures.history.export.handler(({ context, input, signal }) => {
    const chunks = context.gateway.export(input, signal ?? new AbortController().signal);
    return withRpcErrors(chunks, { log: context.host.log, call: 'history.export' });
  }),
  mark: procedures.history.mark.handler(({ context, input: { id, change } }) =>
    context.gateway.markExchange(id, change),
  ),
  marks: procedures.history.marks.handler(({ context, input }) =>
    context.gateway.history.marks(input.ids),
  ),
  pinRun: procedures.history.pinRun.handler(({ context, input: { id, pinned } }) =>
    context.gateway.pinRun(id, pinned),
  ),
  delete: procedures.history.delete.handler(async ({ context, input }) => {
    await context.gateway.deleteExchange(input.id);
  }),
  deleteRun: procedures.history.deleteRun.handler(({ context, input }) =>
    context.gateway.deleteRun(input.id),
  ),
  erase: procedures.history.erase.handler(async ({ context: { gateway } }) => {
    // The bodies go first, because after a crash only the erasure of the history continues at the next start. Then those of
    // exchanges that ended meanwhile.
    await gateway.bodies.erase();
    const exchanges = await gateway.history.erase();
    await gateway.bodies.erase();
    return exchanges;
  }),
  bodies: procedures.history.bodies.handler(({ context, input }) =>
    context.gateway.readBodies(input.id, input.isRebuilt),
  ),
  runs: procedures.history.runs.handler(
    async ({ context: { gateway }, input }) =>
      await gateway.history.costRuns(await gateway.bodies.listRuns(input)),
  ),
  run: procedures.history.run.handler(async ({ context: { gateway }, input }) => {
    return await gateway.history.costRun(await readRun(gateway, input.id));
  }),
  fixture: procedures.history.fixture.handler(async ({ context: { gateway, host }, input }) => {
    const run = await readRun(gateway, input.id);
    const note = { log: host.log, call: 'history.fixture' };
    return withRpcErrors(gateway.bodies.writeFixture(run), note);
  }),
  replay: procedures.history.replay.handler(({ context: { gateway, host }, input, signal }) => {
    const events = gateway.replay(input, signal ?? new AbortController().signal);
    return withRpcErrors(events, { log: host.log, call: 'history.replay' });
  }),
  estimateReplay: procedures.history.estimateReplay.handler(({ context, input }) =>
    context.gateway.estimateReplay(input),
  ),
  step: procedures.history.step.handler(async ({ context: { gateway }, input }) => {
    const place = await gateway.bodies.findPlace(input.id);
    return place === null ? null : await gateway.history.costPlace(place);
  }),
  searchBodies: procedures.history.searchBodies.handler(({ context, input, signal }) => {
    const { gateway, host } = context;
    const found = gateway.bodies.search(input.texts, signal ?? new AbortController().signal);
    return withRpcErrors(found, { log: host.log, call: 'history.searchBodies' });
  }),
  filters: {
    list: procedures.history.filters.list.handler(({ context }) =>
      context.gateway.savedFilters.list(),
    ),
    save: procedures.history.filters.save.handler(async ({ context, input }) => {
      await context.gateway.savedFilters.save(input);
    }),
    rename: procedures.history.filters.rename.handler(async ({ context, input: { name, to } }) => {
      await context.gateway.savedFilters.rename(name, to);
    }),
    remove: procedures.history.filters.remove.handler(async ({ context, input }) => {
      await context.gateway.savedFilters.remove(input.name);
    }),
  },
  bodiesSize: procedures.history.bodiesSize.handler(({ context }) => context.gateway.bodies.size()),
  eraseBodies: procedures.history.eraseBodies.handler(({ context }) =>
    context.gateway.bodies.erase(),
  ),
};

async function readRun({ bodies }: Gateway, id: RunId): Promise<RunDetail> {
  const run = await bodies.readRun(id);
  if (run === null) throw new NotFoundError('This run is not stored, or was deleted.');
  return run;
}

export const homeProcedures = {
  days: procedures.home.days.handler(async ({ context: { gateway } }) =>
    gateway.history.days(await findUsageScope(gateway)),
  ),
  attention: procedures.home.attention.handler(async ({ context: { gateway } }) => {
    const { history, upstreamTimes } = gateway;
    const status = await gateway.status();
    const service = toServiceId(status.upstream);
    const reachable = status.reach.state === 'reachable';
    const serviceName = status.upstream.name;
    const found = await history.attention({
      service,
      serviceName,
      reachable,
      ...upstreamTimes,
    });
    const { dropped } = history;
    const limits = findLimitAttention(
      await listLimits(gateway),
      gateway.settings().settings.currency,
    );
    const unpriced = toUnpricedAttention(
      gateway.limits.listUnpriced((pass) =>
        gateway.prices.hasPriceSince({ ...pass, at: pass.latestAt }),
      ),
    );
    const rest = [...limits, ...unpriced, ...composeAttention(status, found, dropped)];
    return [
      ...toRunawayAttention(gateway.runaways.list()),
      ...(await history.withoutDismissed(rest)),
    ];
  }),
  dismiss: procedures.home.dismiss.handler(async ({ context, input: { id, at } }) => {
    await context.gateway.history.dismiss(id, at);
  }),
};
