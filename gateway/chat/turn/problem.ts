import { isFree } from '../../../shared/money/charge.ts';
import type { ChatProblem } from '../../../shared/chat/chat.ts';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { toStatusKind } from '../../../shared/failure/find-failure.ts';
import { STATUS_FAILURES } from '../../../shared/failure/service-failures.ts';
import { isProblemCode, type ProblemCode, PROBLEMS } from '../../../shared/problem.ts';
import type { ReportedError } from '../protocol/parse-answer.ts';

/** Facts of an answer that is missing or incomplete. */
export interface Failure {
  /**
   * Kinds: `refused`: an error status. `reported`: the answer itself reports an error. `lost`: it broke off. `short`: it ended
   * without the usual end. `nothing`: it contained no text. `page`, `other`: it was not an answer. `too-long`: Gatehouse
   * stopped it. `ended`: Gatehouse stopped it while quitting. `unsent`: Gatehouse could not send the request.
   */
  readonly kind:
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
  readonly error: ReportedError | null;
  /** The recorded exchange; `null` when it is unknown. */
  readonly record: Pick<
    ExchangeRecord,
    'errorCode' | 'errorMessage' | 'endedBy' | 'service'
  > | null;
  /** Fields of the request that may be the cause, as in `TextRequest`. */
  readonly extras: readonly string[];
  /** Finish reason of the service. */
  readonly finish: string | null;
}

const MAX_MESSAGE_LENGTH = 300;
const TRUNCATED_FINISHES: ReadonlySet<string | null> = new Set([
  'length',
  'max_tokens',
  'max_output_tokens',
]);

const NETWORK_CODES: ReadonlySet<ProblemCode> = new Set([
  'upstream_unreachable',
  'upstream_timeout',
  'service_unavailable',
]);
const SERVICE_CODES: ReadonlySet<ProblemCode> = new Set([
  'upstream_invalid_answer',
  'redirect_refused',
  'redirect_unreachable',
  'service_limit_reached',
]);

/** Failures caused by Gatehouse. A connection that the service broke off is known from the record. */
const GATEHOUSE_KINDS: ReadonlySet<Failure['kind']> = new Set([
  'lost',
  'too-long',
  'ended',
  'unsent',
]);

const MESSAGES = {
  lost: 'The connection broke inside Gatehouse before the answer was complete. Retry if you need the rest.',
  short:
    'The service ended this answer without saying that it is complete, so something may be missing. Retry if you need the rest.',
  page: 'The service answered with a web page instead of a model’s answer. Check the base address in Settings; a login page or a proxy may be in between.',
  other: 'The service’s answer does not follow this protocol. Try another protocol.',
  'too-long':
    'This answer is longer than 8 million characters. Gatehouse stopped it there and saved the text received so far.',
  ended:
    'Gatehouse stopped during this answer. The text received so far is saved. Retry if you need the rest.',
  unsent: 'Gatehouse could not contact the service, and nothing was sent. Its log says why.',
} as const;

/** Finds who caused a failure, and describes it for people. Texts of the service must be redacted already. */
export function toChatProblem(failure: Failure): ChatProblem {
  const { kind, status, extras, error } = failure;
  const own = kind === 'too-long' || kind === 'ended' ? null : findGatehouseProblem(failure);
  if (own !== null) {
    const by = toFailedParty(own.code, kind);
    return { by, status, code: own.code, sentence: own.sentence, suspects: [] };
  }
  const suspects = kind === 'refused' && status === 400 ? findLikelyRejected(extras, error) : [];
  const isGatehouse = GATEHOUSE_KINDS.has(kind);
  const by = isGatehouse ? 'gatehouse' : 'service';
  const sentence = formatMessage(failure, suspects.length > 0);
  return { by, status, code: isGatehouse ? null : (error?.code ?? null), sentence, suspects };
}

/** Problem of an answer that an earlier run left unfinished; nobody knows any more which service made it. */
export const INTERRUPTED: ChatProblem = {
  by: 'gatehouse',
  status: null,
  code: null,
  sentence: `${MESSAGES.ended} A paid service may charge for the part received.`,
  suspects: [],
};

/** Finds the problem of an answer that Gatehouse gave itself, as the history has it. */
function findGatehouseProblem({
  kind,
  status,
  error,
  record,
}: Failure): { code: ProblemCode; sentence: string } | null {
  const reportedCode = error?.code ?? null;
  if (
    reportedCode !== null &&
    isProblemCode(reportedCode) &&
    (reportedCode.startsWith('upstream_') || PROBLEMS[reportedCode].status === status)
  ) {
    return toMessage(reportedCode, error?.message ?? null);
  }
  const recordedCode = record?.errorCode ?? null;
  if (
    recordedCode !== null &&
    isProblemCode(recordedCode) &&
    (recordedCode.startsWith('upstream_') || record?.endedBy === 'gateway')
  ) {
    // A cut answer is recorded with the code of a rejected one.
    const ended = recordedCode === 'shutting_down' && kind !== 'refused';
    const endedText = `${MESSAGES.ended}${formatCharge(record)}`;
    return toMessage(recordedCode, ended ? endedText : (record?.errorMessage ?? null));
  }
  return null;
}

function toMessage(code: ProblemCode, message: string | null) {
  return message === null ? null : { code, sentence: message };
}

function toFailedParty(code: ProblemCode, kind: Failure['kind']): ChatProblem['by'] {
  if (NETWORK_CODES.has(code)) return 'network';
  // Before anything arrived it is unknown on which side the connection broke.
  if (code === 'upstream_connection_lost') return kind === 'refused' ? 'network' : 'service';
  return SERVICE_CODES.has(code) ? 'service' : 'gatehouse';
}

function formatMessage(
  { kind, status, error, finish, record }: Failure,
  suspected: boolean,
): string {
  switch (kind) {
    case 'refused':
      return formatRefusal(status, error, suspected);
    case 'reported':
      return `The service reported an error while it answered.${formatQuote(error)} Retry if you need the rest.`;
    case 'nothing':
      return TRUNCATED_FINISHES.has(finish)
        ? 'The token limit was reached before any text arrived. Raise the limit, or clear it, and retry.'
        : 'The service answered without any text. Retry, or try another model.';
    case 'unsent':
      return error?.message ? `${error.message} Nothing was sent.` : MESSAGES.unsent;
    case 'lost':
    case 'ended':
      return `${MESSAGES[kind]}${formatCharge(record)}`;
    case 'short':
    case 'page':
    case 'other':
    case 'too-long':
      return MESSAGES[kind];
  }
}

/** Warns of a charge for an incomplete answer; the sandbox never charges. */
function formatCharge(record: Failure['record']): string {
  return isFree(record?.service ?? null) ? '' : ' The part received may be charged.';
}

function formatQuote(error: ReportedError | null): string {
  const message = error?.message?.trim() ?? '';
  if (message === '') return '';
  const clipped =
    message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
  return ` It says: ${clipped}${/[.!?…]$/u.test(clipped) ? '' : '.'}`;
}

/** Describes an error status as the history does, with advice for the chat. */
function formatRefusal(
  status: number | null,
  error: ReportedError | null,
  suspected: boolean,
): string {
  const kind = error?.code === 'model_not_found' ? error.code : toStatusKind(status ?? 0);
  const { title, inChat } = STATUS_FAILURES[kind];
  const refusal = `${title}${status === null ? '' : ` (${status})`}.${formatQuote(error)}`;
  if (status !== 400) return `${refusal} ${inChat}`;
  if (suspected) {
    return `${refusal} Retry without extra settings: if that works, a setting was the reason.`;
  }
  return `${refusal} ${isAboutImages(error) ? 'Choose a model that accepts images, or send none.' : inChat}`;
}

/** Every client requests a stream, so this field is suspected only when it is named. */
const UNLIKELY = 'stream';

/**
 * Finds the optional fields of a request that may have caused a 400 (spec section 4.2): those that the service names first,
 * then the others in order; none when it blames images.
 */
export function findLikelyRejected(
  extras: readonly string[],
  error: ReportedError | null,
): string[] {
  const named = extras.filter((field) => isNamed(field, error));
  if (named.length === 0 && isAboutImages(error)) return [];
  return [...named, ...extras.filter((field) => !named.includes(field) && field !== UNLIKELY)];
}

/** Returns whether an error blames the images of a request: then no setting is the cause. */
function isAboutImages(error: ReportedError | null): boolean {
  return /\b(?:images?|image_url|vision)\b/iu.test(error?.message ?? '');
}

function isNamed(field: string, error: ReportedError | null): boolean {
  if (error === null) return false;
  if (error.param !== null && error.param.split('.')[0] === field) return true;
  // `stream` must not match `stream_options`; services also write names with spaces and hyphens.
  const name = field.replaceAll('_', '[_ -]?');
  return new RegExp(`(?<![\\w-])${name}(?![\\w-])`, 'iu').test(error.message ?? '');
}
