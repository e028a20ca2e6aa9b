import type { VideoId } from '../../../shared/video.ts';
import type { JobRepository } from '../store/job-repository.ts';

/** A client is not kept waiting longer until its task is known. */
const TIMEOUT_MS = 5_000;

/** The task that an order became, as soon as that is known; `null` when it cannot be told, or not soon. */
export async function waitForTaskId(
  repository: JobRepository,
  id: VideoId,
): Promise<string | null> {
  const { promise: late, resolve: stop } = Promise.withResolvers<null>();
  const timer = setTimeout(() => stop(null), TIMEOUT_MS).unref();
  const { promise: known, resolve } = Promise.withResolvers<string | null>();
  const check = async (): Promise<void> => {
    const now = await repository.find(id).catch(() => null);
    if (now?.state !== 'identifying') resolve(now?.taskId ?? null);
  };
  const stopListening = repository.on(() => void check());
  await check();
  const taskId = await Promise.race([known, late]);
  clearTimeout(timer);
  stopListening();
  return taskId;
}
