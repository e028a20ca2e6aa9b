import type { VideoJob, VideoState } from '../shared/video.ts';
import { counted, moment, shorten, size, span } from './figures.ts';

/** A state as people call it; the window uses the same words. */
export const STATE_WORDS: Record<VideoState, string> = {
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
  'timed-out': 'asking stopped',
  cancelled: 'cancelled',
};

/** A state as the list shows it and as one types it: quoted where a shell needs that, with its name in JSON where that is another. */
export function stateName(state: VideoState): string {
  const word = STATE_WORDS[state];
  const typed = word.includes(' ') ? `"${word}"` : word;
  return word === state ? word : `${typed} (${state} in JSON)`;
}

const UNDER_WAY: ReadonlySet<VideoState> = new Set([
  'waiting',
  'uploading',
  'submitting',
  'identifying',
  'rendering',
  'downloading',
]);

/** Whether a job goes on by itself. In every other state it has ended, or waits for a person. */
export function isUnderWay({ state }: Pick<VideoJob, 'state'>): boolean {
  return UNDER_WAY.has(state);
}

/** As much of an id as people read and type. */
export function headOf({ id }: Pick<VideoJob, 'id'>): string {
  return id.slice(0, 8);
}

/** What a job does at the moment: `rendering 62 %, asked 12 s ago, next in 6 s, 3 min so far`. */
export function liveWords(job: VideoJob, now: number): string {
  const { progress, askedAt, nextAt, problem, state } = job;
  const percent = progress === null ? '' : ` ${Math.floor(progress * 100)} %`;
  const asking = state === 'rendering';
  return [
    STATE_WORDS[state] + newWord(job) + percent,
    problem === null ? '' : oneLine(problem),
    asking && askedAt !== null ? `asked ${span(now - askedAt)} ago` : '',
    nextAt === null || !(asking || problem !== null) ? '' : nextWords(nextAt - now),
    state === 'waiting' ? '' : `${span(now - (job.submittedAt ?? job.stateSince))} so far`,
  ]
    .filter(Boolean)
    .join(', ');
}

function nextWords(ms: number): string {
  return ms < 1_000 ? 'next now' : `next in ${span(ms)}`;
}

/** The same without what changes all the time, for a log that gets a line for every change. */
export function changeWords(job: VideoJob): string {
  const { problem, state } = job;
  return [STATE_WORDS[state] + newWord(job), problem === null ? '' : oneLine(problem)]
    .filter(Boolean)
    .join(', ');
}

/** As the service says it, while nobody has said what it means. */
function newWord({ state, word, wordIsNew }: VideoJob): string {
  return state === 'rendering' && wordIsNew && word !== null
    ? ` ("${shorten(oneLine(word), 40)}")`
    : '';
}

/** What a person can do about a status word that nobody has explained. */
export function wordHint(job: Pick<VideoJob, 'id' | 'word'>, command: string): string {
  const head = headOf(job);
  const say = (meaning: string) => `\n  ${command} video answer ${head} --word ${meaning}`;
  return `${head}: the service still says "${shorten(oneLine(job.word ?? ''), 40)}". Only "completed" is sure, so asking goes on. If you know that it means the end, or that it does not, say so once:${say('failed')}${say('working')}`;
}

/** Whether a job was paid for, as far as can be told. */
export function chargeWords({ charged, cost }: Pick<VideoJob, 'charged' | 'cost'>): string {
  const words = { no: 'not charged', maybe: 'may have been charged', yes: 'charged' }[charged];
  return cost === null ? words : `${words}: ${shorten(oneLine(cost), 60)}`;
}

/**
 * What became of a job that does not go on by itself: what happened, what it means, what to do. Lines to be pasted are indented.
 * `command`: how a person calls this program.
 */
export function endWords(job: VideoJob, command: string): string {
  const run = (rest: string) => `\n  ${command} video ${rest.replace('ID', headOf(job))}`;
  switch (job.state) {
    case 'done':
      return doneWords(job, run);
    case 'failed':
      return `The service could not make this video: ${reasonWords(job)} (${chargeWords(job)}) Change what it complains about and order another one.${misreadWords(job, run)}`;
    case 'timed-out':
      return timedOutWords(job) + run('resume ID');
    case 'cancelled':
      return cancelledWords(job, run);
    case 'unsure':
      return unsureWords(job, run);
    case 'needs-answer':
      return questionWords(job, run);
    case 'draft':
      return `This is a draft, and nothing was sent. To order it, one submission and one charge:${run('resume ID')}`;
    case 'waiting':
    case 'uploading':
    case 'submitting':
    case 'identifying':
    case 'rendering':
    case 'downloading':
      return `It is under way: ${changeWords(job)}.`;
  }
}

type Run = (rest: string) => string;

function doneWords({ file }: VideoJob, run: Run): string {
  if (file === null) {
    return `The video is finished. Whoever ordered it fetches it; Gatehouse keeps none. To fetch it all the same, without a new charge:${run('resume ID')}`;
  }
  return file.present
    ? `The video is there (${size(file.bytes)}):\n  ${oneLine(file.path)}`
    : `The video was finished, but its file is gone: ${oneLine(file.path)}. To fetch it again, without a new charge:${run('resume ID')}`;
}

function reasonWords({ reason, reasons, word }: VideoJob): string {
  const told = reason ?? reasons.map(({ value }) => value).join(' / ');
  const text = told === '' ? `it says "${word ?? 'failed'}" and gives no reason.` : told;
  return sentence(shorten(oneLine(text), 500));
}

/** How it is known that a word means a failure, where Gatehouse has judged by the word itself. */
function misreadWords({ word, wordIsNew }: VideoJob, run: Run): string {
  if (!wordIsNew || word === null) return '';
  return `\nThis is known by its status "${shorten(oneLine(word), 40)}" and the reason beside it. If the word means that the work goes on, say so:${run('answer ID --word working')}`;
}

function timedOutWords({ waitMinutes, problem }: VideoJob): string {
  return problem === null
    ? `There was no video within ${counted(waitMinutes, 'minute')}, so asking has stopped. The service may still be making it, and charges it when it does. To go on asking, without a new charge:`
    : `There is no video here: ${sentence(shorten(oneLine(problem), 500))} To go on, without a new charge:`;
}

function cancelledWords(job: VideoJob, run: Run): string {
  if (job.charged === 'no') {
    return 'It was cancelled before anything was ordered; nothing is charged.';
  }
  const stopped = `It was cancelled: nobody asks for it any more, but what was ordered stands (${chargeWords(job)}).`;
  return job.taskId === null
    ? stopped
    : `${stopped} To ask for it after all, without a new charge:${run('resume ID')}`;
}

function unsureWords({ submittedAt, origin }: VideoJob, run: Run): string {
  const again =
    origin === 'client'
      ? 'If it is certainly not there, only the client that ordered it can order it again.'
      : `If it is certainly not there, order again; if it is after all, you pay twice:${run('resume ID --submit-again')}`;
  return [
    `The order left at ${moment(submittedAt)}, but its answer was lost: nobody knows whether the service took it, and it may have been charged. Gatehouse never orders again by itself. Look into the console of the service.`,
    `If the video is listed there, give its id, and it is fetched without a new charge:${run('answer ID --id TASK')}`,
    again,
    `To leave it:${run('cancel ID')}`,
  ].join('\n');
}

const MOST_CANDIDATES = 12;

function questionWords({ question }: VideoJob, run: Run): string {
  const address = question?.about === 'file-url';
  const what = address ? 'the address of the uploaded image' : 'the id of the video';
  const candidates = question?.candidates ?? [];
  const lines = candidates
    .slice(0, MOST_CANDIDATES)
    .map(
      ({ pointer, value }) =>
        `${run(`answer ID --pointer ${quoted(pointer)}`)}\n    which is ${shorten(oneLine(value), 200)}`,
    );
  const head = `The service has answered, but where in its answer ${what} stands cannot be told. ${address ? 'Nothing is ordered yet.' : 'The video is ordered.'}`;
  const ask =
    lines.length === 0
      ? 'Nothing in it looks like one.'
      : 'Say which place it is; it is remembered for this service:';
  const other = `\nThe whole answer is in the window, and here:${run('list ID')}\nAnother value, for this video only:${run(address ? 'answer ID --value ADDRESS' : 'answer ID --id TASK')}`;
  return `${head} ${ask}${lines.join('')}${other}`;
}

/** For a POSIX shell. What a service calls its fields must not become a command when it is pasted. */
function quoted(text: string): string {
  return /^[\w./:@-]+$/u.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** What others wrote must not look like lines of ours. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/gu, ' ').trim();
}

function sentence(text: string): string {
  return /[.!?…]$/u.test(text) ? text : `${text}.`;
}
