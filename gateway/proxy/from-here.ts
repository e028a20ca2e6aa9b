import { replay, withTaskId } from './kept-answer.ts';
import { baseUrlOf, type ProxyParts } from './parts.ts';
import { splitTarget } from './repair/target.ts';
import { type Route, taskIdIn } from './route.ts';
import type { Incoming } from './send.ts';
import { answerWithFile } from './video-file.ts';
import { isPlainPoll, isFormTask } from './video-status.ts';
import type { Work } from './work.ts';

/** Where a request goes: its repaired path and what that path stands for. */
export interface Located {
  readonly target: string;
  readonly route: Route;
}

/** The video itself, and not one of the pictures that the convention has beside it. */
const VIDEO_ITSELF: ReadonlySet<string> = new Set(['', '?', '?variant=video']);

/** What Gatehouse answers about a video without asking the service: what it heard a moment ago, and the file that it has. */
export async function answerFromHere(located: Located, work: Work): Promise<Incoming | null> {
  const { name } = located.route;
  if (name === 'video-status') return await latestStatus(located, work);
  return name === 'video-content' ? await localFile(located, work) : null;
}

/** Polls that come faster than the service wants them (spec section 8) get the latest answer again. */
async function latestStatus({ target }: Located, work: Work): Promise<Incoming | null> {
  const { parts, draft } = work;
  const taskId = isPlainPoll(draft.method, target) ? taskIdIn(target) : null;
  if (taskId === null) return null;
  const kept = parts.orders.recentAnswer(baseUrlOf(parts.target), taskId);
  if (kept === null) return null;
  const incoming = replay(kept, draft, parts.now());
  return (await isFormTask(taskId, parts))
    ? withTaskId({ incoming, kept }, taskId, draft)
    : incoming;
}

async function localFile({ target }: Located, { call, parts }: Work): Promise<Incoming | null> {
  const taskId = VIDEO_ITSELF.has(splitTarget(target).query) ? taskIdIn(target) : null;
  const video = taskId === null ? null : await findLocal(taskId, parts);
  return video === null ? null : await answerWithFile(call.request, video, parts.now());
}

async function findLocal(taskId: string, { orders, target, log }: ProxyParts) {
  try {
    return await orders.localVideo(baseUrlOf(target), taskId);
  } catch (error) {
    log('warn', `The files of finished videos could not be looked up: ${String(error)}`);
    return null;
  }
}
