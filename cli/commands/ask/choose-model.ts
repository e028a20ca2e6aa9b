import type { ContractRouterClient } from '@orpc/contract';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import type { Contract } from '../../../shared/contract.ts';
import { ANSWERED, type HistoryFilter } from '../../../shared/history/history.ts';
import { makesVideos } from '../../../shared/model-metadata/model-statements.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { toServiceId } from '../../../shared/upstream.ts';
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

type Calls = Pick<ContractRouterClient<Contract>, 'history' | 'models' | 'status'>;

/** The clients with which a person asks here. */
const OWN_CLIENTS = ['Terminal', 'Chat'];

/**
 * Chooses the model: the named one, then that of the latest answer to this person's own questions, then the first one of
 * the list. Unless it is named, the protocol is that of the model's latest answer. Only whole answers of the service in use
 * count. @throws UsageError when there is no model
 */
export async function chooseModel(
  calls: Calls,
  { model: named, protocol }: ModelFlags,
  command: string,
): Promise<ChosenModel> {
  const { models } = await calls.models.list();
  const listed = models.map(({ model }) => model);
  const answered = await filterAnswers(calls);
  const model =
    named ??
    (await findLatestModel(calls, { answered, listed })) ??
    listed.find((one) => !makesVideos(one))?.id;
  if (model === undefined) throw noModelError(command);
  const found = listed.find(({ id }) => id === model);
  if (found !== undefined && makesVideos(found)) {
    throw new UsageError(`The model "${model}" makes videos. Order one: ${command} video new`);
  }
  return { model, protocol: protocol ?? (await findLatestProtocol(calls, { answered, model })) };
}

/** Returns the filter of whole answers in text of the service in use. */
async function filterAnswers({ status }: Calls): Promise<HistoryFilter> {
  const { upstream } = await status.get();
  return {
    ...ANSWERED,
    services: [toPattern(toServiceId(upstream))],
    routes: [...TextProtocol.options],
  };
}

async function findLatestModel(
  { history }: Calls,
  { answered, listed }: { readonly answered: HistoryFilter; readonly listed: readonly Model[] },
): Promise<string | null> {
  const filter: HistoryFilter = { ...answered, clients: OWN_CLIENTS.map(toPattern) };
  const { exchanges } = await history.page({ filter, limit: 1 });
  const model = exchanges[0]?.modelSent ?? null;
  // The service may no longer have it.
  return model !== null && listed.some(({ id }) => id === model) ? model : null;
}

function noModelError(command: string): UsageError {
  return new UsageError(
    `The model list of the service names no model for texts. Name one with --model ID. The list: ${command} models`,
  );
}

async function findLatestProtocol(
  { history }: Calls,
  { answered, model }: { readonly answered: HistoryFilter; readonly model: string },
): Promise<TextProtocol> {
  const filter: HistoryFilter = { ...answered, models: [toPattern(model)] };
  const { exchanges } = await history.page({ filter, limit: 1 });
  return TextProtocol.safeParse(exchanges[0]?.route).data ?? 'chat';
}
