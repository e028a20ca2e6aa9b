import { ByteChunks } from '../../lib/byte-chunks.ts';
import type { Reservation } from '../../lib/memory-budget.ts';
import {
  type BodyFacts,
  changeModel,
  promptToMessages,
  readBody,
  removeStreamOptions,
  secondsToString,
} from '../repair/body/body.ts';
import { withProject } from '../../../shared/exchange/sender.ts';
import { applyChanges, type TextChange } from '../repair/body/text-change.ts';
import { createRepair } from '../repair/create-repair.ts';
import { NOBODY, readSenderInBody, type SenderFacts } from '../inbound/read-sender.ts';
import { askCacheReason } from './cache-question.ts';
import type { Preparation, Prepared } from './preparation.ts';
import { MAX_MODEL_LENGTH } from './rejected-parameters.ts';
import { type ModelChange, resolveModel } from './resolve-model.ts';

/** Other keys stand for all requests of a program, or for those of several agents. */
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

/** Reads what is recorded from a body, and repairs its model and members. */
export function prepareJson(
  body: Buffer | ByteChunks,
  rest: Pick<Prepared, 'headers' | 'order'>,
  preparation: Preparation,
): Prepared | Promise<Prepared> {
  const read = readBody(body);
  const proceed = (facts: BodyFacts) => prepareRead(body, { ...rest, facts }, preparation);
  return read instanceof Promise ? read.then(proceed) : proceed(read);
}

function prepareRead(
  body: Buffer | ByteChunks,
  rest: Pick<Prepared, 'headers' | 'order'> & { readonly facts: BodyFacts },
  preparation: Preparation,
): Prepared | Promise<Prepared> {
  const { facts, order } = rest;
  const { proxy, memory } = preparation;
  recordFacts(facts, preparation);
  const finish = (change: ModelChange | null): Prepared => {
    const { places } = facts;
    const changes: TextChange[] = [];
    if (change !== null && places !== null) changes.push(...changeModel(body, places, change));
    const usage = proxy.strict ? null : askForUsage(facts, preparation);
    if (usage !== null) changes.push(usage);
    const plain = applyChanges(body, changes);
    const asking =
      places === null || proxy.strict || !proxy.asksCacheReason
        ? plain
        : askCacheReason(body, { places, changes, plain }, preparation);
    // An order is sent in one piece.
    const named = order === null ? asking : toBytes(asking, memory);
    const repaired = proxy.strict ? named : repairBody(named, facts, preparation);
    return { ...rest, body: repaired, form: null };
  };
  const resolving = resolveModel(facts.model, preparation);
  return resolving instanceof Promise ? resolving.then(finish) : finish(resolving);
}

function recordFacts(facts: BodyFacts, { proxy, inFlight }: Preparation): void {
  inFlight.modelAsked = inFlight.changedModel === null ? facts.model : inFlight.changedModel.asked;
  inFlight.modelSent = facts.model;
  inFlight.streamed = facts.stream;
  // What the headers say counts.
  if (inFlight.conversation !== null) return;
  const { senderMembers, promptCacheKey } = facts;
  const named = senderMembers === null ? NOBODY : readSenderInBody(senderMembers);
  const key = UUID.test(promptCacheKey ?? '') ? promptCacheKey : null;
  const session = named.session ?? key;
  if (session !== null) recordSender({ ...named, session }, { proxy, inFlight });
}

/** Records whose request it is. What the client says of its project counts before the one that its program was started for. */
export function recordSender(
  { session, parentSession, sender }: SenderFacts,
  { proxy, inFlight }: Pick<Preparation, 'proxy' | 'inFlight'>,
): void {
  inFlight.conversation = session;
  inFlight.parentSession = parentSession ?? inFlight.parentSession;
  inFlight.sender = withProject(sender ?? inFlight.sender, inFlight.project);
  inFlight.run = proxy.runIds.find(inFlight);
}

/** Asks a chat stream for its usage, where its client did not and its model is not known to refuse that (spec section 4.2). */
function askForUsage(
  { stream, usageRequest }: BodyFacts,
  { route, proxy, inFlight }: Preparation,
): TextChange | null {
  if (route.name !== 'chat' || !stream || usageRequest === null) return null;
  const model = inFlight.modelSent;
  if (model === null || model.length > MAX_MODEL_LENGTH) return null;
  if (proxy.refused.has(model, 'stream_options')) return null;
  if (!proxy.asksForUsage()) return null;
  inFlight.isUsageAsked = true;
  return usageRequest;
}

function toBytes(body: Buffer | ByteChunks, memory: Reservation): Buffer {
  return body instanceof ByteChunks ? body.join(memory) : body;
}

function repairBody(
  original: Buffer | ByteChunks,
  facts: BodyFacts,
  { route, proxy, inFlight, memory }: Preparation,
): Buffer | ByteChunks {
  let body = original;
  const addRepair: (...repair: Parameters<typeof createRepair>) => void = (...repair) =>
    inFlight.addRepairs([createRepair(...repair)]);
  if (route.name === 'chat' && facts.promptOnly) {
    body = promptToMessages(toBytes(body, memory));
    addRepair('prompt-to-messages', 'prompt', 'messages');
  }
  if (route.name === 'video-submit' && facts.secondsNumber !== null) {
    body = secondsToString(toBytes(body, memory));
    addRepair('seconds-to-string', String(facts.secondsNumber), `"${facts.secondsNumber}"`);
  }
  if (route.name === 'chat' && facts.hasStreamOptions && inFlight.modelSent !== null) {
    if (proxy.refused.has(inFlight.modelSent, 'stream_options')) {
      body = removeStreamOptions(toBytes(body, memory));
      addRepair('stream-options-removed', 'stream_options', 'left out');
    }
  }
  return body;
}
