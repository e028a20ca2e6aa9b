import { addTaskId, repeatResponse } from './stored-response.ts';
import { toBaseUrl, type ProxyContext, type ExchangeContext } from '../context.ts';
import type { ResolvedRoute } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import { respondWithVideoFile } from './video-file.ts';
import { findPolledTask, isFormTask } from './status-poll.ts';

/** Queries that ask for the video itself and not for one of its preview pictures. */
const VIDEO_QUERIES: ReadonlySet<string> = new Set(['', '?', '?variant=video']);

/** Responds about a video without a request to the service: with a recent status, or with the file; `null` when there is neither. */
export async function respondFromLocalVideo(
  resolved: ResolvedRoute,
  context: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const { name } = resolved.route;
  if (name === 'video-status') return await respondWithStatus(resolved, context);
  return name === 'video-content' ? await respondWithFile(resolved, context) : null;
}

/** Responds with the latest status to polls that come faster than the service wants them (spec section 8). */
async function respondWithStatus(
  resolved: ResolvedRoute,
  context: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const { proxy, inFlight } = context;
  const taskId = findPolledTask(inFlight.method, resolved);
  if (taskId === null) return null;
  const recent = proxy.orders.recentAnswer(toBaseUrl(proxy.target), taskId);
  if (recent === null) return null;
  const upstreamResponse = repeatResponse(recent, inFlight, proxy.now());
  return (await isFormTask(taskId, proxy))
    ? addTaskId({ upstreamResponse, storedResponse: recent }, taskId, inFlight)
    : upstreamResponse;
}

async function respondWithFile(
  { target, route }: ResolvedRoute,
  { call, proxy }: ExchangeContext,
): Promise<UpstreamResponse | null> {
  const taskId = VIDEO_QUERIES.has(target.query) ? route.taskId : null;
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
