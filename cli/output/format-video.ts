import { isFree } from '../../shared/money/charge.ts';
import { describeCharge, isUnpriced } from '../../shared/video/describe-charge.ts';
import { toOrderFacts } from '../../shared/video/order-facts.ts';
import { RUNNING_VIDEO_STATES } from '../../shared/video/video-states.ts';
import type { VideoJob, VideoState } from '../../shared/video/video.ts';
import { formatPriceCommand, secondsOf } from './format-price.ts';
import { formatTimestamp, truncate, formatElapsed } from './format.ts';
import { pluralize, formatBytes } from '../../shared/format.ts';
import type { NewPrice } from '../../shared/money/price.ts';
import { quoteForShell } from '../../shared/shell-quote.ts';

/** The names of the states for people; the window uses the same, and tells apart what the service has queued. */
export const STATE_LABELS: Record<VideoState, string> = {
  draft: 'draft',
  waiting: 'waiting',
  uploading: 'uploading',
  submitting: 'ordering',
  unsure: 'unsure',
  identifying: 'ordered',
  'needs-answer': 'needs an answer',
  rendering: 'rendering',
  downloading: 'downloading',
  done: 'done',
  failed: 'failed',
  'timed-out': 'timed out',
  cancelled: 'cancelled',
};

/** Formats a state for the list and for typing: quoted where a shell needs it, with its name in JSON where that differs. */
export function formatState(state: VideoState): string {
  const word = STATE_LABELS[state];
  const typed = word.includes(' ') ? `"${word}"` : word;
  return word === state ? word : `${typed} (${state} in JSON)`;
}

/** Whether a job continues by itself. In every other state it has ended, or waits for a person. */
export function isActive({ state }: Pick<VideoJob, 'state'>): boolean {
  return RUNNING_VIDEO_STATES.includes(state);
}

/** The part of an id that people read and type. */
export function shortId({ id }: Pick<VideoJob, 'id'>): string {
  return id.slice(0, 8);
}

/** Says why nothing is ordered during a pause, and how to continue; `null` where there is none. */
export function describePause(paused: boolean, command: string): string | null {
  return paused ? `Gatehouse is paused; to continue: ${command} resume` : null;
}

/**
 * Describes the present activity of a job: `rendering 62 %, checked 12 s ago, next check in 6 s, running for 3 min`. `pause`: why
 * nothing is ordered now.
 */
export function formatLiveStatus(job: VideoJob, now: number, pause: string | null = null): string {
  const { progress, askedAt, nextAt, problem, state } = job;
  const percent = progress === null ? '' : ` ${Math.floor(progress * 100)} %`;
  const asking = state === 'rendering';
  return [
    formatActivity(job, pause) + percent,
    problem === null ? '' : singleLine(problem),
    asking && askedAt !== null ? `checked ${formatElapsed(now - askedAt)} ago` : '',
    nextAt === null || !(asking || problem !== null)
      ? ''
      : `next ${asking ? 'check' : 'try'} ${formatWait(nextAt - now)}`,
    state === 'waiting'
      ? ''
      : `running for ${formatElapsed(now - (job.submittedAt ?? job.stateSince))}`,
  ]
    .filter(Boolean)
    .join(', ');
}

function formatWait(ms: number): string {
  return ms < 1_000 ? 'now' : `in ${formatElapsed(ms)}`;
}

/** Describes the activity without the parts that change all the time, for a log that gets a line for every change. */
export function formatChange(job: VideoJob, pause: string | null = null): string {
  const { problem } = job;
  return [formatActivity(job, pause), problem === null ? '' : singleLine(problem)]
    .filter(Boolean)
    .join(', ');
}

/** Names the state, with the reason for waiting and the service's own word where they say more. */
function formatActivity(job: VideoJob, pause: string | null): string {
  const { state } = job;
  if (state === 'waiting' && pause !== null) return `${STATE_LABELS[state]}: ${pause}`;
  return STATE_LABELS[state] + formatNewWord(job);
}

/** Quotes the service's status word while nobody has explained its meaning. */
function formatNewWord({ state, word, wordIsNew }: VideoJob): string {
  return state === 'rendering' && wordIsNew && word !== null
    ? ` ("${truncate(singleLine(word), 40)}")`
    : '';
}

/** Explains what a person can do about a status word that nobody has explained. */
export function describeNewWord(job: Pick<VideoJob, 'id' | 'word'>, command: string): string {
  const id = shortId(job);
  const say = (meaning: string) => `\n  ${command} video answer ${id} --word ${meaning}`;
  return `${id}: the service still says "${truncate(singleLine(job.word ?? ''), 40)}". Gatehouse does not know this word, so polling continues. If you know whether this word is final, enter it once:${say('failed')}${say('working')}`;
}

/** Describes for a place within parentheses whether a job was charged, and the amount. */
export function describeChargeBriefly(job: VideoJob, currency: string): string {
  return isFree(job.service.id) ? 'no charge' : describeCharge(job, currency);
}

/** What the words about a price that is missing depend on. */
interface PriceSource {
  /** The command with which a person starts this program. */
  readonly command: string;
  /** Finds the present price of a model at a service, by its stable id; `null` when there is none. */
  readonly findPrice: (service: string, model: string) => NewPrice | null;
}

/** Says how to set the prices of charged videos whose cost is not known; `null` where there is none. */
export function describeUnpriced(
  jobs: readonly VideoJob[],
  { command, findPrice }: PriceSource,
): string | null {
  const commands = jobs.filter(isUnpriced).flatMap(({ service, request }) => {
    const { model, resolution } = toOrderFacts(request);
    if (model === null) return [];
    const price = findPrice(service.address, model);
    const amounts = secondsOf(resolution);
    return [formatPriceCommand({ model, price, amounts }, command)];
  });
  if (commands.length === 0) return null;
  return `To set a price that is not known:\n  ${[...new Set(commands)].join('\n  ')}`;
}

/** What the words about a job depend on. */
export interface Wording {
  /** The command with which a person starts this program. */
  readonly command: string;
  readonly currency: string;
}

/**
 * Describes the outcome of a job that does not continue by itself: what happened, what it means, what to do. Commands to paste are
 * indented.
 */
export function describeOutcome(job: VideoJob, { command, currency }: Wording): string {
  const run = (rest: string) => `\n  ${command} video ${rest.replace('ID', shortId(job))}`;
  switch (job.state) {
    case 'done':
      return describeDone(job, run);
    case 'failed':
      return `The service could not make this video: ${describeReason(job)} (${describeChargeBriefly(job, currency)}) Change what it complains about and order another one.${describeMisread(job, run)}`;
    case 'timed-out':
      return describeTimeout(job) + run('resume ID');
    case 'cancelled':
      return describeCancelled(job, run, currency);
    case 'unsure':
      return describeUnsure(job, run);
    case 'needs-answer':
      return describeQuestion(job, run);
    case 'draft':
      return `This is a draft, and nothing was sent. To order it${isFree(job.service.id) ? '' : ', one order and one charge'}:${run('resume ID')}`;
    case 'waiting':
    case 'uploading':
    case 'submitting':
    case 'identifying':
    case 'rendering':
    case 'downloading':
      return `In progress: ${formatChange(job)}.`;
  }
}

type FormatCommand = (rest: string) => string;

/** Says that resuming costs nothing more; nothing about the sandbox, which never costs anything. */
function freeAgain({ service }: Pick<VideoJob, 'service'>): string {
  return isFree(service.id) ? '' : ', without a new charge';
}

function describeDone(job: VideoJob, run: FormatCommand): string {
  const { file } = job;
  if (file === null) {
    return `The video is finished. The client that ordered it downloads it; Gatehouse stores no copy. To download it anyway${freeAgain(job)}:${run('resume ID')}`;
  }
  return file.present
    ? `The video is finished (${formatBytes(file.bytes)}):\n  ${singleLine(file.path)}`
    : `The video was finished, but its file is missing: ${singleLine(file.path)}. To download it again${freeAgain(job)}:${run('resume ID')}`;
}

function describeReason({ reason, reasons, word }: VideoJob): string {
  const explanation = reason ?? reasons.map(({ value }) => value).join(' / ');
  const text =
    explanation === '' ? `it says "${word ?? 'failed'}" and gives no reason.` : explanation;
  return toSentence(truncate(singleLine(text), 500));
}

/** Explains why a word means a failure, where Gatehouse has decided by the word itself. */
function describeMisread({ word, wordIsNew }: VideoJob, run: FormatCommand): string {
  if (!wordIsNew || word === null) return '';
  return `\nGatehouse concluded this from its status "${truncate(singleLine(word), 40)}" and the reason beside it. If the word means that the work continues, correct it:${run('answer ID --word working')}`;
}

function describeTimeout(job: VideoJob): string {
  const { waitMinutes, problem, service } = job;
  const charges = isFree(service.id) ? '' : ', and charges for it then';
  return problem === null
    ? `There was no video within ${pluralize(waitMinutes, 'minute')}, so polling has stopped. The service may still be making it${charges}. To continue polling${freeAgain(job)}:`
    : `No video was downloaded: ${toSentence(truncate(singleLine(problem), 500))} To continue${freeAgain(job)}:`;
}

function describeCancelled(job: VideoJob, run: FormatCommand, currency: string): string {
  if (job.charged === 'no') {
    return 'It was cancelled before anything was ordered.';
  }
  const stopped = `It was cancelled: it is no longer polled, but the order stands (${describeChargeBriefly(job, currency)}).`;
  return job.taskId === null
    ? stopped
    : `${stopped} To poll it again${freeAgain(job)}:${run('resume ID')}`;
}

function describeUnsure(job: VideoJob, run: FormatCommand): string {
  const { submittedAt, origin, service } = job;
  const isSandbox = isFree(service.id);
  const retryHint =
    origin === 'client'
      ? 'If it is certainly not listed there, only the client that ordered it can order it again.'
      : `If it is certainly not listed there, order again${isSandbox ? '' : '; if it was accepted after all, you pay twice'}:${run('resume ID --submit-again')}`;
  return [
    `The order was sent at ${formatTimestamp(submittedAt)}, but the response was lost: it is unknown whether the service accepted it${isSandbox ? '' : ', and it may have been charged'}. Gatehouse never repeats an order. Check the console of the service.`,
    `If the video is listed there, enter its id, and it is downloaded${freeAgain(job)}:${run('answer ID --id TASK')}`,
    retryHint,
    `To cancel it:${run('cancel ID')}`,
  ].join('\n');
}

const MAX_CANDIDATES = 12;

function describeQuestion({ question }: VideoJob, run: FormatCommand): string {
  const address = question?.about === 'file-url';
  const what = address ? 'the address of the uploaded image' : 'the id of the video';
  const candidates = question?.candidates ?? [];
  const lines = candidates
    .slice(0, MAX_CANDIDATES)
    .map(
      ({ pointer, value }) =>
        `${run(`answer ID --pointer ${quoteForShell(pointer)}`)}\n    which is ${truncate(singleLine(value), 200)}`,
    );
  const head = `The service has answered, but Gatehouse cannot find ${what} in its answer. ${address ? 'Nothing is ordered yet.' : 'The video is ordered.'}`;
  const ask =
    lines.length === 0
      ? 'Nothing in the answer looks like one.'
      : 'Choose one; the choice is remembered for this service:';
  const other = `\nThe complete answer is in the window, and here:${run('list ID')}\nAnother value, for this video only:${run(address ? 'answer ID --value ADDRESS' : 'answer ID --id TASK')}`;
  return `${head} ${ask}${lines.join('')}${other}`;
}

/** Formats text of others so that it cannot look like lines of ours. */
export function singleLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

function toSentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}
