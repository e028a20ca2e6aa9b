import { replay, addTaskId } from './stored-response.ts';
import { toBaseUrl, type ProxyContext } from '../context.ts';
import { parseTarget } from '../repair/target.ts';
import { type Route, findTaskId } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import { respondWithVideoFile } from './video-file.ts';
import { isStatusPoll, isFormTask } from './status-poll.ts';
import type { ExchangeContext } from '../exchange-context.ts';

/** Where a request goes: its repaired path and what that path stands for. */
export interface ResolvedRoute {
  readonly target: string;
  readonly route: Route;
}

/** The video itself, and not one of the pictures that the convention has beside it. */
const VIDEO_ITSELF: ReadonlySet<string> = new Set(['', '?', '?variant=video']);

/** What Gatehouse answers about a video without asking the service: what it heard a moment ago, and the file that it has. */
export async function respondFromLocalVideo(
  located: ResolvedRoute,
  work: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const { name } = located.route;
  if (name === 'video-status') return await latestStatus(located, work);
  return name === 'video-content' ? await localFile(located, work) : null;
}

/** Polls that come faster than the service wants them (spec section 8) get the latest answer again. */
async function latestStatus(
  { target }: ResolvedRoute,
  work: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const { parts, draft } = work;
  const taskId = isStatusPoll(draft.method, target) ? findTaskId(target) : null;
  if (taskId === null) return null;
  const kept = parts.orders.recentAnswer(toBaseUrl(parts.target), taskId);
  if (kept === null) return null;
  const incoming = replay(kept, draft, parts.now());
  return (await isFormTask(taskId, parts))
    ? addTaskId({ incoming, kept }, taskId, draft)
    : incoming;
}

async function localFile(
  { target }: ResolvedRoute,
  { call, parts }: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const taskId = VIDEO_ITSELF.has(parseTarget(target).query) ? findTaskId(target) : null;
  const video = taskId === null ? null : await findLocal(taskId, parts);
  return video === null ? null : await respondWithVideoFile(call.request, video, parts.now());
}

async function findLocal(taskId: string, { orders, target, log }: ProxyContext) {
  try {
    return await orders.localVideo(toBaseUrl(target), taskId);
  } catch (error) {
    log('warn', `The files of finished videos could not be looked up: ${String(error)}`);
    return null;
  }
}
