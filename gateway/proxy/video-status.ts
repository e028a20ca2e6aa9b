import { keepable, wholeBody, withTaskId } from './kept-answer.ts';
import { baseUrlOf, type ProxyParts } from './parts.ts';
import { splitTarget } from './repair/target.ts';
import { taskIdIn } from './route.ts';
import type { Incoming } from './send.ts';
import type { Work } from './work.ts';

/** Whether a request asks for a task's whole record: a query may ask for something else. */
export function isPlainPoll(method: string, target: string): boolean {
  return method === 'GET' && splitTarget(target).query === '';
}

/** Tells the queue what a client heard about a task. The answer stays as it came, but for the identifier that some clients look for. */
export async function hearStatus(
  incoming: Incoming,
  target: string,
  work: Work,
): Promise<Incoming> {
  const { parts, draft } = work;
  const taskId = isPlainPoll(draft.method, target) ? taskIdIn(target) : null;
  if (taskId === null) return incoming;
  draft.heads.answered = incoming.headers;
  const bytes = await wholeBody(incoming, work);
  if (bytes === null) return incoming;
  const kept = await keepable(incoming, bytes, work);
  parts.orders.polled(baseUrlOf(parts.target), taskId, kept);
  return (await isFormTask(taskId, parts))
    ? withTaskId({ incoming, kept }, taskId, draft)
    : incoming;
}

/** Whether a task was ordered by a form, so that its client looks for `id`. Never in strict mode. */
export async function isFormTask(taskId: string, parts: ProxyParts): Promise<boolean> {
  if (parts.strict) return false;
  try {
    return await parts.orders.cameAsForm(baseUrlOf(parts.target), taskId);
  } catch (error) {
    parts.log('warn', `The orders could not be looked up: ${String(error)}`);
    return false;
  }
}
