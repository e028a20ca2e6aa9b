import { storeResponse, addTaskId } from './stored-response.ts';
import { toBaseUrl, type ProxyContext, type ExchangeContext } from '../context.ts';
import type { ResolvedRoute } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';

/** Returns the task whose whole record a request asks for; `null` when it asks for something else, as a query may. */
export function findPolledTask(method: string, { target, route }: ResolvedRoute): string | null {
  return method === 'GET' && target.query === '' ? route.taskId : null;
}

/** Records a status response in the video queue. The client gets it as it came, but for the `id` that some clients look for. */
export async function recordStatusResponse(
  upstreamResponse: UpstreamResponse,
  resolved: ResolvedRoute,
  context: ExchangeContext,
): Promise<UpstreamResponse> {
  const { proxy, inFlight } = context;
  const taskId = findPolledTask(inFlight.method, resolved);
  if (taskId === null) return upstreamResponse;
  inFlight.headerSnapshots.answered = upstreamResponse.headers;
  const stored = await storeResponse(upstreamResponse, context);
  if (stored === null) return upstreamResponse;
  const { storedResponse } = stored;
  proxy.orders.recordPoll(toBaseUrl(proxy.target), taskId, storedResponse);
  return (await isFormTask(taskId, proxy))
    ? addTaskId({ upstreamResponse, storedResponse }, taskId, inFlight)
    : upstreamResponse;
}

/** Whether a task was ordered by a form, so that its client looks for `id`. Never in strict mode. */
export async function isFormTask(taskId: string, proxy: ProxyContext): Promise<boolean> {
  if (proxy.strict) return false;
  try {
    return await proxy.orders.wasSubmittedAsForm(toBaseUrl(proxy.target), taskId);
  } catch (error) {
    proxy.log('warn', `The orders could not be looked up: ${String(error)}`);
    return false;
  }
}
