import { replay, addTaskId } from './stored-response.ts';
import { toBaseUrl, type ProxyContext, type ExchangeContext } from '../context.ts';
import type { ResolvedRoute } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import { respondWithVideoFile } from './video-file.ts';
import { findPolledTask, isFormTask } from './status-poll.ts';

/** The video itself, and not one of the pictures that the convention has beside it. */
const VIDEO_ITSELF: ReadonlySet<string> = new Set(['', '?', '?variant=video']);

/** What Gatehouse answers about a video without asking the service: what it heard a moment ago, and the file that it has. */
export async function respondFromLocalVideo(
  located: ResolvedRoute,
  context: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const { name } = located.route;
  if (name === 'video-status') return await latestStatus(located, context);
  return name === 'video-content' ? await localFile(located, context) : null;
}

/** Polls that come faster than the service wants them (spec section 8) get the latest answer again. */
async function latestStatus(
  located: ResolvedRoute,
  context: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const { proxy, inFlight } = context;
  const taskId = findPolledTask(inFlight.method, located);
  if (taskId === null) return null;
  const kept = proxy.orders.recentAnswer(toBaseUrl(proxy.target), taskId);
  if (kept === null) return null;
  const upstreamResponse = replay(kept, inFlight, proxy.now());
  return (await isFormTask(taskId, proxy))
    ? addTaskId({ upstreamResponse, kept }, taskId, inFlight)
    : upstreamResponse;
}

async function localFile(
  { target, route }: ResolvedRoute,
  { call, proxy }: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const taskId = VIDEO_ITSELF.has(target.query) ? route.taskId : null;
  const video = taskId === null ? null : await findLocal(taskId, proxy);
  return video === null ? null : await respondWithVideoFile(call.request, video, proxy.now());
}

async function findLocal(taskId: string, { orders, target, log }: ProxyContext) {
  try {
    return await orders.localVideo(toBaseUrl(target), taskId);
  } catch (error) {
    log('warn', `The files of finished videos could not be looked up: ${String(error)}`);
    return null;
  }
}
