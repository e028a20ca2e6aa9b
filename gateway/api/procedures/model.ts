import { ANSWERED } from '../../../shared/history/history.ts';
import type { ModelList } from '../../../shared/model.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import type { Gateway } from '../../gateway.ts';
import { toServiceId } from '../../../shared/upstream.ts';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { procedures } from './base.ts';
import { describeModelMatch } from './describe-model-match.ts';
import { testModel } from './test-model.ts';
import { findUsageScope } from './usage-scope.ts';

const UNUSED = { lastUsedAt: null, exchanges: 0, inputTokens: 0, outputTokens: 0 };

export const modelProcedures = {
  list: procedures.models.list.handler(({ context }) => listModels(context.gateway)),
  refresh: procedures.models.refresh.handler(async ({ context: { gateway } }) => {
    // The list itself contains the problem.
    await gateway.models.refresh().catch(() => undefined);
    return await listModels(gateway);
  }),
  explain: procedures.models.explain.handler(async ({ context: { gateway }, input: { name } }) => {
    const match = await gateway.models.match(name);
    const { repairs } = gateway.settings().settings;
    return describeModelMatch(name, match, { known: gateway.models.known().length > 0, repairs });
  }),
  try: procedures.models.try.handler(({ context: { gateway }, input, signal }) => {
    const { model, localKey = gateway.windowKey } = input;
    return testModel({ port: gateway.port, localKey, model, signal });
  }),
};

async function listModels(gateway: Gateway): Promise<ModelList> {
  const { models, history } = gateway;
  const [used, answered] = await Promise.all([
    history.perModel(await findUsageScope(gateway)),
    findAnswered(gateway),
  ]);
  // A window identifies models by their ids; a service may list one twice.
  const known = new Map(models.known().map((model) => [model.id, model]));
  return {
    models: [...known.values()].map((model) => ({ model, ...(used.get(model.id) ?? UNUSED) })),
    answered,
    fetchedAt: models.fetchedAt(),
    problem: models.problem(),
    omitted: models.omitted(),
  };
}

/** Finds the latest model that answered each protocol whole at the service in use. */
async function findAnswered(gateway: Gateway): Promise<ModelList['answered']> {
  const { history } = gateway;
  const services = [toPattern(toServiceId((await gateway.status()).upstream))];
  const find = async (protocol: TextProtocol): Promise<string | null> => {
    const filter = { services, routes: [protocol], ...ANSWERED };
    const [latest] = (await history.page({ filter, limit: 1 })).exchanges;
    return latest?.modelSent ?? null;
  };
  const [chat, responses, messages] = await Promise.all([
    find('chat'),
    find('responses'),
    find('messages'),
  ]);
  return { chat, responses, messages };
}
