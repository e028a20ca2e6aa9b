import { randomBytes, randomInt } from 'node:crypto';
import { type Answer, jsonText, HTML_PAGE, type CompleteAnswer } from '../http/answer.ts';
import type { Call } from '../call.ts';
import type { TaskEffect } from '../scenarios/effect.ts';
import { errorBody, invalid, RefusalError } from '../http/errors.ts';
import type { FieldNames } from '../fields.ts';
import { type JsonObject, requireObjects, requireText } from '../json.ts';
import { serverFailure, tooManyRequests } from '../scenarios/refusals.ts';
import type { VideoTask, VideoTasks } from './tasks.ts';

const USUAL_RENDER_MS = 3000;
const MAX_RENDER_MS = 600_000;
const MAX_SECONDS = 60;
const HUGE_BYTES = 4 * 2 ** 20;

/** Answers POST /v1/videos (spec section 4.6). Every call creates a new task. */
export function submitVideo(call: Call): Answer {
  const { body, account, fields, scenario } = call;
  const effect = scenario.task ?? {};
  const model = account.models.require(requireText(body, 'model'), 'video').id;
  const task = account.videos.add({
    id: newId(effect),
    ...(effect.ids === 'several' && { alias: `run-${randomBytes(12).toString('hex')}` }),
    model,
    ...parseScene(body, (address) => account.files.use(address)),
    fails: /fail/i.test(requireText(body, 'prompt')) || effect.otherReason === true,
    orderedAt: Date.now(),
    renderMs: readRenderMs(call) ?? effect.renderMs ?? USUAL_RENDER_MS,
    mediaPath: `/videos/${randomBytes(16).toString('hex')}.mp4`,
    scenarios: scenario.requested,
  });
  const { waiting } = statusWords(task, fields);
  return toOrderAnswer(task, { ...toTaskObject(task, toIds(task, fields)), status: waiting });
}

/** Answers GET /v1/videos/{task_id} (spec section 4.7). */
export function showVideo({ parameter, account, fields }: Call): Answer {
  const task = requireTask(account.videos, parameter);
  task.polls += 1;
  if (task.isForgotten) throw unknownTask(parameter);
  if (task.age < (task.effect.busyMs ?? 0)) throw tooManyRequests();
  const { state } = task;
  const record = {
    ...toTaskObject(task, { [fields.taskId]: task.order.id }),
    status: state === 'completed' ? 'completed' : statusWords(task, fields)[state],
    ...(task.effect.progress && { [fields.progress]: toProgress(task) }),
    ...(task.effect.cost && { [fields.cost]: task.order.seconds / 10 }),
    ...(state === 'failed' && toReason(task, fields)),
  };
  const { firstPolls } = task.effect;
  const fault = task.polls <= (firstPolls?.times ?? 0) ? firstPolls?.kind : undefined;
  if (fault === 'error') throw serverFailure();
  return fault === 'page' ? HTML_PAGE : toJsonAnswer(task, record, fault);
}

/** Answers GET /v1/videos/{task_id}/content (spec section 4.8): 302 to another origin, 409 before completion. */
export function redirectToVideo({ parameter, account, scenario }: Call): Answer {
  const task = requireTask(account.videos, parameter);
  if (task.state !== 'completed') {
    const message =
      task.state === 'failed'
        ? 'The video failed; it has no content.'
        : 'The video is not completed yet.';
    throw new RefusalError({ status: 409, code: 'video_not_completed', message });
  }
  const location = scenario.redirectLoop
    ? `/v1/videos/${task.order.id}/content`
    : contentLink(task, account.videos.origin);
  return { kind: 'complete', status: 302, headers: { location }, body: '' };
}

function contentLink(task: VideoTask, origin: string): string {
  const { linkPort, linkMs, linkOnce } = task.effect;
  if (linkPort !== undefined) return `http://127.0.0.1:${linkPort}/video.mp4`;
  task.links += 1;
  const passing = linkMs !== undefined || linkOnce ? `?link=${task.links}-${Date.now()}` : '';
  return origin + task.order.mediaPath + passing;
}

function newId({ idDigits }: TaskEffect): string {
  if (idDigits === undefined) return `task-${randomBytes(12).toString('hex')}`;
  const digits = Array.from({ length: idDigits - 1 }, () => randomInt(10));
  return [randomInt(1, 10), ...digits].join('');
}

function parseScene(body: JsonObject, use: (address: string) => boolean) {
  if (requireText(body, 'task') !== 'ref2va') throw invalid('"task" must be "ref2va".');
  const prompt = requireText(body, 'prompt');
  const seconds = requireText(body, 'seconds');
  if (!/^[1-9]\d?$/.test(seconds) || Number(seconds) > MAX_SECONDS) {
    throw invalid(`"seconds" must be a string with a whole number from 1 to ${MAX_SECONDS}.`);
  }
  if (requireText(body, 'resolution') !== '480p') throw invalid('"resolution" must be "480p".');
  for (const condition of requireObjects(body, 'conditions')) {
    if (condition['type'] !== 'image') throw invalid('"conditions[].type" must be "image".');
    if (!use(requireText(condition, 'url'))) {
      throw invalid('"conditions[].url" must be the address of a file that was uploaded here.');
    }
  }
  return { prompt, seconds: Number(seconds) };
}

function readRenderMs({ headers }: Call): number | undefined {
  const value = headers['x-sandbox-render-ms'];
  if (value === undefined) return undefined;
  const ms = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (!(ms <= MAX_RENDER_MS)) {
    throw invalid(`x-sandbox-render-ms must be a whole number up to ${MAX_RENDER_MS}.`);
  }
  return ms;
}

function requireTask(tasks: VideoTasks, id: string): VideoTask {
  const task = tasks.find(id);
  if (task && !task.isForgotten) return task;
  throw unknownTask(id);
}

function unknownTask(id: string): RefusalError {
  const message = `There is no video task "${id}".`;
  return new RefusalError({ status: 404, code: 'task_not_found', message });
}

function toTaskObject({ order }: VideoTask, ids: object): object {
  return {
    object: 'video',
    ...ids,
    model: order.model,
    seconds: String(order.seconds),
    resolution: '480p',
  };
}

function toIds({ order, effect }: VideoTask, { taskId }: FieldNames): object {
  if (effect.ids === 'none') return {};
  if (effect.ids !== 'decoys') return { [taskId]: order.id, run: order.alias };
  const request = `req-${randomBytes(12).toString('hex')}`;
  return { request, [taskId]: order.id, owner: { id: 'account-0001' } };
}

function statusWords({ effect }: VideoTask, fields: FieldNames) {
  return effect.ownWords
    ? { waiting: 'brewing', processing: 'painting', failed: 'spoiled' }
    : fields;
}

function toProgress({ age, order, state }: VideoTask): number {
  if (state === 'completed' || state === 'failed') return 100;
  return Math.max(0, Math.min(99, Math.floor((age / order.renderMs) * 100)));
}

function toReason({ effect }: VideoTask, { failureReason }: FieldNames): object {
  return effect.otherReason
    ? { note: 'Nothing was made.', outcome: { lines: ['The image shows no one to animate.'] } }
    : { [failureReason]: 'The prompt asks for a failure, so the render failed.' };
}

function toOrderAnswer(task: VideoTask, record: object): CompleteAnswer {
  const { order } = task.effect;
  if (order !== 'error') return toJsonAnswer(task, record, order);
  return jsonText(JSON.stringify(errorBody(serverFailure(), 'plain')), 500);
}

function toJsonAnswer(task: VideoTask, record: object, fault?: 'broken' | 'huge'): CompleteAnswer {
  const padding = fault === 'huge' ? { padding: 'x'.repeat(HUGE_BYTES) } : {};
  const json = JSON.stringify({ ...record, ...padding });
  const { id } = task.order;
  // Edits the text, because a JavaScript number would lose the last digits.
  const text = task.effect.idDigits === undefined ? json : json.replace(`"${id}"`, id);
  return jsonText(fault === 'broken' ? text.slice(0, text.length / 2) : text);
}
