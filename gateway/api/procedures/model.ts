import type { ModelList } from '../../../shared/model.ts';
import type { Gateway } from '../../gateway.ts';
import { procedures } from './base.ts';
import { describeModelMatch } from './describe-model-match.ts';
import { testModel } from './test-model.ts';

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
  try: procedures.models.try.handler(({ context: { gateway }, input: { model }, signal }) =>
    testModel({ port: gateway.port, localKey: gateway.windowKey, model, signal }),
  ),
};

async function listModels({ models, history }: Gateway): Promise<ModelList> {
  const used = await history.perModel();
  // A window identifies models by their ids; a service may list one twice.
  const known = new Map(models.known().map((model) => [model.id, model]));
  return {
    models: [...known.values()].map((model) => ({ model, ...(used.get(model.id) ?? UNUSED) })),
    fetchedAt: models.fetchedAt(),
    problem: models.problem(),
    omitted: models.omitted(),
  };
}
