import type { ContractRouterClient } from '@orpc/contract';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import type { Contract } from '../../../shared/contract.ts';
import type { Model } from '../../../shared/model.ts';
import { UsageError } from '../../errors.ts';

/** The model to ask, and its protocol. */
export interface ChosenModel {
  readonly model: string;
  readonly protocol: TextProtocol;
}

export interface ModelFlags {
  readonly model?: string;
  readonly protocol?: TextProtocol;
}

type Calls = Pick<ContractRouterClient<Contract>, 'history' | 'models'>;

/** The clients with which a person asks here. */
const OWN_CLIENTS = ['Terminal', 'Chat'];

/**
 * Chooses the model: the named one, then that of the latest answer to this person's own questions, then the first one of
 * the list. Unless it is named, the protocol is that of the model's latest answer. @throws UsageError when there is none
 */
export async function chooseModel(
  calls: Calls,
  { model: named, protocol }: ModelFlags,
  command: string,
): Promise<ChosenModel> {
  const { models } = await calls.models.list();
  const known = new Map(models.map(({ model }) => [model.id, model]));
  const model = named ?? (await findLatestModel(calls, known)) ?? listTextModels(known)[0];
  if (model === undefined) throw noModelError(command);
  const found = known.get(model);
  if (found !== undefined && makesVideosOnly(found)) {
    throw new UsageError(`The model "${model}" makes videos. Order one: ${command} video new`);
  }
  return { model, protocol: protocol ?? (await findLatestProtocol(calls, model)) };
}

async function findLatestModel(
  { history }: Calls,
  known: ReadonlyMap<string, Model>,
): Promise<string | null> {
  const filter = { clients: OWN_CLIENTS, routes: TextProtocol.options, outcome: '2xx' } as const;
  const { exchanges } = await history.page({
    filter: { ...filter, clients: [...filter.clients], routes: [...filter.routes] },
    limit: 1,
  });
  const model = exchanges[0]?.modelSent ?? null;
  // The service may be another one now.
  return model !== null && known.has(model) ? model : null;
}

function listTextModels(known: ReadonlyMap<string, Model>): readonly string[] {
  return [...known.values()].filter((model) => !makesVideosOnly(model)).map(({ id }) => id);
}

function noModelError(command: string): UsageError {
  return new UsageError(
    `The model list of the service names no model for texts. Name one with --model ID. The list: ${command} models`,
  );
}

async function findLatestProtocol({ history }: Calls, model: string): Promise<TextProtocol> {
  const filter = { models: [model], routes: [...TextProtocol.options], outcome: '2xx' as const };
  const { exchanges } = await history.page({ filter, limit: 1 });
  return TextProtocol.safeParse(exchanges[0]?.route).data ?? 'chat';
}

/** Whether the list describes a model with videos and without texts, in whatever field the service uses. */
export function makesVideosOnly(model: Model): boolean {
  const words = Object.values(model).flatMap((value: unknown) =>
    Array.isArray(value) ? value.filter((word) => typeof word === 'string') : [],
  );
  return words.includes('video') && !words.includes('text');
}
