import { MAX_MODEL_NAME, type ModelAlias } from '../../../shared/model-alias.ts';
import type { EffortProtocol } from '../repair/body/body.ts';
import { createRepair } from '../repair/create-repair.ts';
import type { Route } from '../route.ts';
import type { Preparation } from './preparation.ts';

/** The model that is sent instead of the one that the client named. */
export interface ModelChange {
  readonly model: string;
  /** The reasoning effort that is sent with it; `null`: as the client sent it. */
  readonly effort: { readonly protocol: EffortProtocol; readonly value: string } | null;
}

/**
 * Finds and records the model that is sent for another name: that of an alias, also in strict mode, or the exact id of the only model
 * that can be meant. An alias is applied once, so the model of one is no name for another. `null` when the name is sent as it is.
 */
export function resolveModel(
  name: string | null,
  preparation: Preparation,
): Promise<ModelChange | null> | ModelChange | null {
  const { route, proxy, inFlight } = preparation;
  const isModel = route.protocol !== null || route.name === 'video-submit';
  // Longer names are compared with nothing.
  if (!isModel || name === null || name.length > MAX_MODEL_NAME) return null;
  const clientId = inFlight.client?.id ?? null;
  const alias = proxy.aliases.find(clientId, name);
  if (alias !== null) return useAlias(alias, name, preparation);
  if (proxy.models.has(name)) return null;
  const fallback = proxy.aliases.findDefault(clientId);
  if (fallback !== null) return useDefault(fallback, name, preparation);
  return proxy.strict ? null : findId(name, preparation);
}

/** Uses the default of a client, unless the list of the service has the model after all. */
async function useDefault(
  alias: ModelAlias,
  name: string,
  preparation: Preparation,
): Promise<ModelChange | null> {
  const { kind } = await preparation.proxy.models.match(name);
  return kind === 'exact' ? null : await useAlias(alias, name, preparation);
}

function useAlias(
  { model, effort: value }: ModelAlias,
  name: string,
  preparation: Preparation,
): Promise<ModelChange> | ModelChange | null {
  const { route, proxy, inFlight } = preparation;
  const protocol = toEffortProtocol(route);
  const effort = value === null || protocol === null ? null : { protocol, value };
  if (model === name && effort === null) return null;
  inFlight.modelSent = model;
  const after = effort === null ? model : `${model}, effort ${effort.value}`;
  inFlight.addRepairs([createRepair('model-alias', name, after)]);
  if (proxy.strict || proxy.models.has(model)) return { model, effort };
  return findId(model, preparation).then((found) => ({ model: found?.model ?? model, effort }));
}

function toEffortProtocol({ name }: Route): EffortProtocol | null {
  return name === 'chat' || name === 'responses' ? name : null;
}

/** Finds the exact id for another name of a model; `null` when there is not exactly one. No more promises than needed are made. */
function findId(name: string, { proxy, inFlight }: Preparation): Promise<ModelChange | null> {
  return proxy.models.match(name).then((match) => {
    if (match.kind !== 'one') return null;
    inFlight.modelSent = match.id;
    inFlight.addRepairs([createRepair('model-id', name, match.id)]);
    return { model: match.id, effort: null };
  });
}
