import { stat } from 'node:fs/promises';
import type { Cost } from '../../shared/money/cost.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
import { type Upstream, UpstreamId } from '../../shared/upstream.ts';
import { UNKNOWN_USAGE } from '../../shared/exchange/usage.ts';
import { toOrderFacts } from '../../shared/video/order-facts.ts';
import type { FieldMap, StatusMeaning, VideoFile, VideoJob } from '../../shared/video/video.ts';
import { type PriceBook, toVideoLength } from '../prices/prices.ts';
import { isUsualWorkingWord } from './service/status-words.ts';
import type { Job } from './transitions/job.ts';

/** Facts that the view of a job needs besides the stored job. */
export interface ViewContext {
  readonly upstreams: readonly Upstream[];
  readonly maps: ReadonlyMap<string, FieldMap>;
  readonly prices: Pick<PriceBook, 'costOf'>;
}

/** Converts a stored job to the view for windows. */
export async function toVideoJob(
  job: Job,
  { upstreams, maps, prices }: ViewContext,
): Promise<VideoJob> {
  const { state, word, question, ...rest } = job;
  const meaning = word === null ? undefined : maps.get(job.service)?.words[word];
  return {
    id: rest.id,
    state,
    origin: rest.origin,
    clientName: rest.clientName,
    service: findService(job.service, upstreams),
    request: rest.request,
    image: rest.image,
    createdAt: rest.createdAt,
    stateSince: rest.stateSince,
    submittedAt: rest.orderedAt,
    charged: rest.charged,
    taskId: rest.taskId,
    word,
    wordIsNew: isNewWord(word, meaning),
    progress: rest.progress,
    askedAt: rest.askedAt,
    nextAt: toPlannedTime(rest),
    asksUntil: rest.asksUntil,
    waitMinutes: rest.waitMinutes,
    problem: rest.problem,
    reason: rest.reason,
    reasons: [...rest.reasons],
    question: state === 'needs-answer' ? question : null,
    file: rest.file === null ? null : await inspectFile(rest.file),
    cost: rest.cost,
    computedCost: computeCost(job, prices),
  };
}

/** Computes the cost of an order as that of its exchange; `null` when it was not charged. */
function computeCost(
  { charged, orderedAt, createdAt, service, request }: Job,
  prices: ViewContext['prices'],
): Cost | null {
  if (charged === 'no') return null;
  const { model, seconds, resolution } = toOrderFacts(request);
  return prices.costOf({
    service,
    route: 'video-submit',
    status: charged === 'yes' ? 200 : null,
    errorCode: null,
    attempts: 1,
    startedAt: orderedAt ?? createdAt,
    modelSent: model,
    modelAsked: null,
    modelServed: null,
    usage: UNKNOWN_USAGE,
    video: toVideoLength(seconds, resolution),
  });
}

/** Returns whether nobody has explained a status word, and it is not a usual one. */
function isNewWord(word: string | null, meaning: StatusMeaning | undefined): boolean {
  if (word === null || word === 'completed' || meaning !== undefined) return false;
  return !isUsualWorkingWord(word);
}

/** Returns when the next action is planned; `null` when it is due at once. */
function toPlannedTime({ dueAt, plannedAt }: Pick<Job, 'dueAt' | 'plannedAt'>): number | null {
  return dueAt !== null && dueAt > (plannedAt ?? 0) ? dueAt : null;
}

async function inspectFile(file: NonNullable<Job['file']>): Promise<VideoFile> {
  const found = await stat(file.path).catch(() => null);
  return { ...file, present: found?.isFile() === true };
}

function findService(address: string, upstreams: readonly Upstream[]): VideoJob['service'] {
  if (address === SANDBOX_ID) {
    return { id: UpstreamId.parse(SANDBOX_ID), name: 'Sandbox', gone: false, address };
  }
  const known = upstreams.find(({ baseUrl }) => baseUrl === address);
  if (known !== undefined) return { id: known.id, name: known.name, gone: false, address };
  return { id: UpstreamId.parse('gone'), name: new URL(address).host, gone: true, address };
}
