import { randomBytes } from 'node:crypto';
import { type Answer, jsonAnswer } from './answer.ts';
import type { Call } from './call.ts';
import { invalid, Refusal } from './errors.ts';
import { type JsonObject, requireObjects, requireText } from './json.ts';
import { requireModel } from './models.ts';

/** A video task: what was asked and when; its state follows from the clock. */
interface VideoTask {
  readonly id: string;
  readonly model: string;
  readonly seconds: number;
  readonly fails: boolean;
  /** Milliseconds on the monotonic clock. */
  readonly startedAt: number;
  readonly renderMs: number;
  /** Path of the finished video on the media origin. */
  readonly mediaPath: string;
}

type TaskState = 'waiting' | 'processing' | 'completed' | 'failed';

const TASKS = 10_000;
const USUAL_RENDER_MS = 3000;
const MOST_RENDER_MS = 600_000;
const MOST_SECONDS = 60;

/** The tasks of an account, the latest 10,000 of them. */
export class VideoTasks {
  readonly origin: string;
  readonly #byId = new Map<string, VideoTask>();
  readonly #byPath = new Map<string, VideoTask>();

  /** `origin` is the media origin, without a trailing slash. */
  constructor(origin: string) {
    this.origin = origin;
  }

  add(task: VideoTask): void {
    this.#byId.set(task.id, task);
    this.#byPath.set(task.mediaPath, task);
    const [oldest] = this.#byId.values();
    if (this.#byId.size <= TASKS || !oldest) return;
    this.#byId.delete(oldest.id);
    this.#byPath.delete(oldest.mediaPath);
  }

  find(id: string): VideoTask | undefined {
    return this.#byId.get(id);
  }

  /** Length in seconds of the finished video at this path of the media origin. */
  secondsAt(path: string): number | undefined {
    const task = this.#byPath.get(path);
    return task && stateOf(task) === 'completed' ? task.seconds : undefined;
  }
}

/** POST /v1/videos (spec section 4.6). Every call makes a new task. */
export function submitVideo(call: Call): Answer {
  const { body, account, fields } = call;
  const model = requireModel(requireText(body, 'model'), 'video').id;
  const task: VideoTask = {
    id: `task-${randomBytes(12).toString('hex')}`,
    model,
    ...readScene(body, (address) => account.files.issued(address)),
    startedAt: performance.now(),
    renderMs: readRenderMs(call),
    mediaPath: `/videos/${randomBytes(16).toString('hex')}.mp4`,
  };
  account.videos.add(task);
  return jsonAnswer({ ...taskObject(task, fields), status: fields.waiting });
}

/** GET /v1/videos/{task_id} (spec section 4.7). */
export function showVideo({ parameter, account, fields }: Call): Answer {
  const task = requireTask(account.videos, parameter);
  const state = stateOf(task);
  return jsonAnswer({
    ...taskObject(task, fields),
    status: state === 'completed' ? 'completed' : fields[state],
    ...(state === 'failed' && {
      [fields.failureReason]: 'The prompt asks for a failure, so the render failed.',
    }),
  });
}

/** GET /v1/videos/{task_id}/content (spec section 4.8): 302 to another origin, 409 before completion. */
export function redirectToVideo({ parameter, account, scenario }: Call): Answer {
  const task = requireTask(account.videos, parameter);
  const state = stateOf(task);
  if (state !== 'completed') {
    const message =
      state === 'failed'
        ? 'The video failed; it has no content.'
        : 'The video is not completed yet.';
    throw new Refusal({ status: 409, code: 'video_not_completed', message });
  }
  const location = scenario.redirectLoop
    ? `/v1/videos/${task.id}/content`
    : account.videos.origin + task.mediaPath;
  return { kind: 'whole', status: 302, headers: { location }, body: '' };
}

function readScene(body: JsonObject, issued: (address: string) => boolean) {
  if (requireText(body, 'task') !== 'ref2va') throw invalid('"task" must be "ref2va".');
  const prompt = requireText(body, 'prompt');
  const seconds = requireText(body, 'seconds');
  if (!/^[1-9]\d?$/.test(seconds) || Number(seconds) > MOST_SECONDS) {
    throw invalid(`"seconds" must be a string with a whole number from 1 to ${MOST_SECONDS}.`);
  }
  if (requireText(body, 'resolution') !== '480p') throw invalid('"resolution" must be "480p".');
  for (const condition of requireObjects(body, 'conditions')) {
    if (condition['type'] !== 'image') throw invalid('"conditions[].type" must be "image".');
    if (!issued(requireText(condition, 'url'))) {
      throw invalid('"conditions[].url" must be the address of a file that was uploaded here.');
    }
  }
  return { seconds: Number(seconds), fails: /fail/i.test(prompt) };
}

function readRenderMs({ headers }: Call): number {
  const value = headers['x-sandbox-render-ms'];
  if (value === undefined) return USUAL_RENDER_MS;
  const ms = typeof value === 'string' && /^\d{1,6}$/.test(value) ? Number(value) : Number.NaN;
  if (!(ms <= MOST_RENDER_MS)) {
    throw invalid(`x-sandbox-render-ms must be a whole number up to ${MOST_RENDER_MS}.`);
  }
  return ms;
}

function requireTask(tasks: VideoTasks, id: string): VideoTask {
  const task = tasks.find(id);
  if (task) return task;
  const message = `There is no video task "${id}".`;
  throw new Refusal({ status: 404, code: 'task_not_found', message });
}

/** The first third of the render time is spent waiting. */
function stateOf(task: VideoTask): TaskState {
  const elapsed = performance.now() - task.startedAt;
  if (elapsed >= task.renderMs) return task.fails ? 'failed' : 'completed';
  return elapsed * 3 < task.renderMs ? 'waiting' : 'processing';
}

function taskObject(task: VideoTask, fields: Call['fields']): object {
  return {
    object: 'video',
    [fields.taskId]: task.id,
    model: task.model,
    seconds: String(task.seconds),
    resolution: '480p',
  };
}
