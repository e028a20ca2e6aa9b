import type { ChatProblem } from '../../shared/chat.ts';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import { type ProblemCode, PROBLEMS } from '../../shared/problem.ts';
import type { SaidError } from './heard.ts';
import { isAboutImages, suspectsOf } from './suspects.ts';

/** Why an answer is missing or not whole. */
export interface Failure {
  /**
   * `refused`: the status is that of an error. `reported`: the answer itself tells of one. `lost`: it broke off. `short`: it ended, but
   * not as an answer ends. `nothing`: there was no text in it. `page`, `other`: it was none. `too-long`: Gatehouse stopped it. `ended`:
   * so it did, because it ends itself. `unsent`: Gatehouse could not ask.
   */
  readonly how:
    | 'refused'
    | 'reported'
    | 'lost'
    | 'short'
    | 'nothing'
    | 'page'
    | 'other'
    | 'too-long'
    | 'ended'
    | 'unsent';
  readonly status: number | null;
  readonly said: SaidError | null;
  /** What is kept of the exchange; `null` when that is not known. */
  readonly record: Pick<ExchangeRecord, 'errorCode' | 'errorMessage' | 'endedBy'> | null;
  /** What of the request may be to blame, as in `TextRequest`. */
  readonly extras: readonly string[];
  /** As the service gave it. */
  readonly finish: string | null;
}

const MOST_SAID = 300;
const CUT: ReadonlySet<string | null> = new Set(['length', 'max_tokens', 'max_output_tokens']);

const NETWORK: ReadonlySet<ProblemCode> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'service_unavailable',
]);
const SERVICE: ReadonlySet<ProblemCode> = new Set([
  'upstream_invalid_answer',
  'redirect_refused',
  'service_limit_reached',
]);

/** A service that breaks off is known by the record. */
const OURS: ReadonlySet<Failure['how']> = new Set(['lost', 'too-long', 'ended', 'unsent']);

const OWN_SENTENCES = {
  lost: 'The connection broke inside Gatehouse before the answer was complete. It may be charged. Retry if you need the rest.',
  short:
    'The service ended this answer without saying that it is complete, so something may be missing. Retry if you need the rest.',
  page: 'The service answered with a page for people instead of an answer of a model. Check the base address in Settings; a login page or a proxy may stand in between.',
  other:
    'The service answered with something that is no answer of this protocol. Try another protocol.',
  'too-long':
    'This answer is longer than 8 million characters. Gatehouse stopped it there and kept what had come.',
  ended:
    'Gatehouse ended while this answer was on its way. What had come is kept, and may be charged. Retry if you need the rest.',
  unsent: 'Gatehouse could not ask the service, and nothing was sent. Its log says why.',
} as const;

/** Whose fault a failure is, and what people are told about it. What services say must be clean of secrets already. */
export function problemOf(failure: Failure): ChatProblem {
  const { how, status, extras, said } = failure;
  const own = how === 'too-long' || how === 'ended' ? null : ownProblem(failure);
  if (own !== null) {
    const by = whoFailed(own.code, how);
    return { by, status, code: own.code, sentence: own.sentence, suspects: [] };
  }
  const suspects = how === 'refused' && status === 400 ? suspectsOf(extras, said) : [];
  const ours = OURS.has(how);
  const by = ours ? 'gatehouse' : 'service';
  const sentence = sentenceOf(failure, suspects.length > 0);
  return { by, status, code: ours ? null : (said?.code ?? null), sentence, suspects };
}

/** What an answer that an earlier run left is told to be. */
export const LEFT: ChatProblem = {
  by: 'gatehouse',
  status: null,
  code: null,
  sentence: OWN_SENTENCES.ended,
  suspects: [],
};

/** One that Gatehouse answered in its own name, as the history has it, too. */
function ownProblem({
  how,
  status,
  said,
  record,
}: Failure): { code: ProblemCode; sentence: string } | null {
  const told = said?.code ?? null;
  if (isOurs(told) && (told.startsWith('upstream_') || PROBLEMS[told].status === status)) {
    return sentenceFor(told, said?.message ?? null);
  }
  const kept = record?.errorCode ?? null;
  if (isOurs(kept) && (kept.startsWith('upstream_') || record?.endedBy === 'gateway')) {
    // The record of an answer that was cut has the words for one that was turned away.
    const ended = kept === 'shutting_down' && how !== 'refused';
    return sentenceFor(kept, ended ? OWN_SENTENCES.ended : (record?.errorMessage ?? null));
  }
  return null;
}

function sentenceFor(code: ProblemCode, message: string | null) {
  return message === null ? null : { code, sentence: message };
}

function isOurs(code: string | null): code is ProblemCode {
  return code !== null && Object.hasOwn(PROBLEMS, code);
}

function whoFailed(code: ProblemCode, how: Failure['how']): ChatProblem['by'] {
  if (NETWORK.has(code)) return 'network';
  // Before anything came nobody knows on which side of the wire it broke.
  if (code === 'upstream_connection_lost') return how === 'refused' ? 'network' : 'service';
  return SERVICE.has(code) ? 'service' : 'gatehouse';
}

function sentenceOf({ how, status, said, finish }: Failure, suspected: boolean): string {
  switch (how) {
    case 'refused':
      return `${refusal(status)}${quoted(said)} ${adviceFor(status, said, suspected)}`;
    case 'reported':
      return `The service reported an error while it answered.${quoted(said)} Retry if you need the rest.`;
    case 'nothing':
      return CUT.has(finish)
        ? 'The limit of tokens was used up before any text came. Raise the limit, or clear it, and retry.'
        : 'The service answered without any text. Retry, or try another model.';
    case 'unsent':
      return said?.message ? `${said.message} Nothing was sent.` : OWN_SENTENCES.unsent;
    case 'lost':
    case 'short':
    case 'page':
    case 'other':
    case 'too-long':
    case 'ended':
      return OWN_SENTENCES[how];
  }
}

function quoted(said: SaidError | null): string {
  const message = said?.message?.trim() ?? '';
  if (message === '') return '';
  const clipped = message.length > MOST_SAID ? `${message.slice(0, MOST_SAID)}…` : message;
  return ` It says: ${clipped}${/[.!?…]$/u.test(clipped) ? '' : '.'}`;
}

function refusal(status: number | null): string {
  if (status === 429) return 'The service has had too many requests of this key (429).';
  if (status !== null && status >= 500) return `The service failed (${status}).`;
  return `The service refused this request (${status}).`;
}

/** By the statuses of spec section 7. */
function adviceFor(status: number | null, said: SaidError | null, suspected: boolean): string {
  switch (status) {
    case 400:
      if (suspected) {
        return 'Retry with only the model and the messages: if that works, a setting was the reason.';
      }
      return isAboutImages(said)
        ? 'Choose a model that sees images, or ask without them.'
        : 'Try another protocol or another model.';
    case 401:
      return 'Test the service key in Settings. A key without permission for this model may be refused so, too.';
    case 403:
      return 'The service key has no permission for this model. Choose another model.';
    case 404:
      return said?.code === 'model_not_found'
        ? 'Choose the model from the list: its name must match exactly.'
        : 'This model may not speak this protocol: try another one. Otherwise check the base address in Settings.';
    case 413:
      return 'Send less: smaller files, or a new conversation.';
    case 429:
      return 'Wait a moment, then retry.';
    case null:
    default:
      return 'Retry in a moment.';
  }
}
