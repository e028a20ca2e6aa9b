import { CHAT_CLIENT_ID, REPLAY_CLIENT_ID } from '../../../shared/client.ts';
import { ByteChunks } from '../../lib/byte-chunks.ts';
import type { ExchangeContext } from '../context.ts';
import { createRepair } from '../repair/create-repair.ts';
import type { ModelPlaces } from '../repair/body/body.ts';
import {
  addMember,
  applyChanges,
  parseObjectAt,
  type TextChange,
} from '../repair/body/text-change.ts';
import { toAgentKey } from './latest-answers.ts';
import type { OptionalMember } from './optional-member.ts';
import type { Preparation } from './preparation.ts';
import { MAX_MODEL_LENGTH } from './rejected-parameters.ts';

/** The members with which the two protocols ask. */
const MEMBERS = {
  messages: { name: 'diagnostics', id: 'previous_message_id' },
  responses: { name: 'prompt_cache_options', id: 'comparison_response_id' },
} as const;
type AskingProtocol = keyof typeof MEMBERS;
/** Members that a model may be remembered to refuse. */
export const CACHE_QUESTIONS: readonly string[] = Object.values(MEMBERS).map(({ name }) => name);

const NAMES =
  /diagnostics|previous_message_id|prompt_cache_(?:options|diagnostics)|comparison_response_id/iu;
/** What services say of a field that they do not take. "Unknown" alone may be said of the id in it. */
const REFUSES =
  /un(?:known|supported|recogni[sz]ed|expected)(?: \w+)?[ _](?:param|arg|field|key|propert|prop|input|name|member|option|attribute)|not (?:supported|permitted|allowed|enabled)|extra[ _](?:input|field|forbidden)|additional ?propert/iu;

/** A body as it was read, with the changes that are made to it anyway. */
interface ReadBody {
  readonly places: ModelPlaces;
  readonly changes: readonly TextChange[];
  /** The body after these changes. */
  readonly plain: Buffer | ByteChunks;
}

/**
 * Makes a request ask its service why the prompt cache missed, unless its client asks itself or its model is known to refuse that.
 * Messages remembers a request for a later comparison only if it has the member, so a first one has it, too. Returns the body to send.
 */
export function askCacheReason(
  body: Buffer | ByteChunks,
  { places, changes, plain }: ReadBody,
  { route: { name }, proxy, inFlight }: Pick<Preparation, 'route' | 'proxy' | 'inFlight'>,
): Buffer | ByteChunks {
  if (name !== 'messages' && name !== 'responses') return plain;
  const { client, modelSent } = inFlight;
  // What people write here, and what they send again, is sent as it is.
  if (client?.id === CHAT_CLIENT_ID || client?.id === REPLAY_CLIENT_ID) return plain;
  if (modelSent === null || modelSent.length > MAX_MODEL_LENGTH) return plain;
  if (proxy.refused.has(modelSent, MEMBERS[name].name)) return plain;
  const agent = toAgentKey(inFlight, places.hasTools);
  const known = agent === null ? null : proxy.latestAnswers.find(agent);
  if (agent === null || known === null) return plain;
  if (known === undefined && name === 'responses') {
    inFlight.cacheQuestion = { agent, compared: null, unasked: null };
    return plain;
  }
  const compared = known ?? null;
  const change = createChange(body, places, { protocol: name, compared });
  if (change === null) {
    // Its client asks itself, and its answer is the latest one all the same.
    inFlight.cacheQuestion = { agent, compared: null, unasked: null };
    return plain;
  }
  inFlight.cacheQuestion = { agent, compared, unasked: plain };
  const added = change.text.replace(/^,/u, '');
  inFlight.addRepairs([createRepair('cache-reason-asked', `no ${MEMBERS[name].id}`, added)]);
  return applyChanges(body, [...changes, change]);
}

/** Creates the text that asks; `null` where the client asks itself, or sent something that cannot be added to. */
function createChange(
  body: Buffer | ByteChunks,
  { diagnostics, prompt_cache_options: options, end }: ModelPlaces,
  { protocol, compared }: { readonly protocol: AskingProtocol; readonly compared: string | null },
): TextChange | null {
  const { name, id } = MEMBERS[protocol];
  const question = { [id]: compared };
  if (protocol === 'messages') return diagnostics === null ? addMember(name, question, end) : null;
  if (options === null) return addMember(name, question, end);
  const chunks = body instanceof ByteChunks ? body : new ByteChunks([body]);
  const given = parseObjectAt(chunks, options);
  if (given === null || id in given) return null;
  const isEmpty = Object.keys(given).length === 0;
  const member = addMember(id, compared, options.end - 1);
  return isEmpty ? { ...member, text: member.text.slice(1) } : member;
}

/** Whether an error says that the model does not take the question. */
function isNamed(error: string): boolean {
  return NAMES.test(error) && REFUSES.test(error);
}

/** Returns the question of a request as a member that its model may refuse; `null` when it asks nothing. */
export function createCacheQuestion({
  proxy,
  inFlight,
}: Pick<ExchangeContext, 'proxy' | 'inFlight'>): OptionalMember | null {
  const { cacheQuestion: question, route, modelSent } = inFlight;
  const unasked = question?.unasked ?? null;
  if (question === null || unasked === null) return null;
  return {
    isOurs: true,
    mayBeRefusedBy: (status) => status === 400 || status === 422,
    leaveOut: () => unasked,
    isNamedBy: isNamed,
    onLeftOut: () => inFlight.withdrawCacheQuestion(),
    // A request that is refused without the question, too, says nothing of it: its error may repeat what was sent.
    onAnswered: (error, isHelped) => {
      const isText = route === 'messages' || route === 'responses';
      if (isText && modelSent !== null && isNamed(error))
        proxy.refused.add(modelSent, MEMBERS[route].name);
      // After a doubtful error only this agent is not asked again.
      else if (isHelped) proxy.latestAnswers.stopAsking(question.agent);
    },
  };
}
