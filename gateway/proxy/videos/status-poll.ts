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
  incoming: UpstreamResponse,
  target: string,
  work: ExchangeContext,
): Promise<UpstreamResponse> {
  const { parts, draft } = work;
  const taskId = isStatusPoll(draft.method, target) ? findTaskId(target) : null;
  if (taskId === null) return incoming;
  draft.headerSnapshots.answered = incoming.headers;
  const bytes = await bufferBody(incoming, work);
  if (bytes === null) return incoming;
  const kept = await toStoredResponse(incoming, bytes, work);
  parts.orders.recordPoll(toBaseUrl(parts.target), taskId, kept);
  return (await isFormTask(taskId, parts))
    ? addTaskId({ incoming, kept }, taskId, draft)
    : incoming;
}

/** Whether a task was ordered by a form, so that its client looks for `id`. Never in strict mode. */
export async function isFormTask(taskId: string, parts: ProxyContext): Promise<boolean> {
  if (parts.strict) return false;
  try {
    return await parts.orders.wasSubmittedAsForm(toBaseUrl(parts.target), taskId);
  } catch (error) {
    parts.log('warn', `The orders could not be looked up: ${String(error)}`);
    return false;
  }
}
