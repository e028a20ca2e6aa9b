import type { VideoId } from '../../../shared/video/video.ts';
import type { JobRepository } from '../store/job-repository.ts';

/** A client waits no longer for its task. */
const TIMEOUT_MS = 5_000;

/** Resolves with the task of an order as soon as it is known; with `null` when it cannot be known, or after a timeout. */
export async function waitForTaskId(
  repository: JobRepository,
  id: VideoId,
): Promise<string | null> {
  const { promise: timedOut, resolve: stop } = Promise.withResolvers<null>();
  const timer = setTimeout(() => stop(null), TIMEOUT_MS).unref();
  const { promise: known, resolve } = Promise.withResolvers<string | null>();
  const check = async (): Promise<void> => {
    const now = await repository.find(id).catch(() => null);
    if (now?.state !== 'identifying') resolve(now?.taskId ?? null);
  };
  const stopListening = repository.on(() => void check());
  await check();
  const taskId = await Promise.race([known, timedOut]);
  clearTimeout(timer);
  stopListening();
  return taskId;
}
