import { toStoredResponse, bufferBody, addTaskId } from './stored-response.ts';
import { toBaseUrl, type ProxyContext } from '../context.ts';
import { parseTarget } from '../repair/target.ts';
import { findTaskId } from '../route.ts';
import type { UpstreamResponse } from '../../http/send.ts';
import type { ExchangeContext } from '../exchange-context.ts';

/** Whether a request asks for a task's whole record: a query may ask for something else. */
export function isStatusPoll(method: string, target: string): boolean {
  return method === 'GET' && parseTarget(target).query === '';
}

/** Tells the queue what a client heard about a task. The answer stays as it came, but for the identifier that some clients look for. */
export async function recordStatusResponse(
  upstreamResponse: UpstreamResponse,
  target: string,
  context: ExchangeContext,
): Promise<UpstreamResponse> {
  const { proxy, inFlight } = context;
  const taskId = isStatusPoll(inFlight.method, target) ? findTaskId(target) : null;
  if (taskId === null) return upstreamResponse;
  inFlight.headerSnapshots.answered = upstreamResponse.headers;
  const bytes = await bufferBody(upstreamResponse, context);
  if (bytes === null) return upstreamResponse;
  const kept = await toStoredResponse(upstreamResponse, bytes, context);
  proxy.orders.recordPoll(toBaseUrl(proxy.target), taskId, kept);
  return (await isFormTask(taskId, proxy))
    ? addTaskId({ upstreamResponse, kept }, taskId, inFlight)
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
