import type { VideoId } from '../../shared/video.ts';
import type { Hearing } from './hearing.ts';

/** A client is not kept waiting longer until its task is known. */
const PATIENCE_MS = 5_000;

/** The task that an order became, as soon as that is known; `null` when it cannot be told, or not soon. */
export async function whenIdentified({ ledger }: Hearing, id: VideoId): Promise<string | null> {
  const { promise: late, resolve: stop } = Promise.withResolvers<null>();
  const timer = setTimeout(() => stop(null), PATIENCE_MS).unref();
  const { promise: known, resolve } = Promise.withResolvers<string | null>();
  const look = async (): Promise<void> => {
    const now = await ledger.find(id).catch(() => null);
    if (now?.state !== 'identifying') resolve(now?.taskId ?? null);
  };
  const stopListening = ledger.on(() => void look());
  await look();
  const taskId = await Promise.race([known, late]);
  clearTimeout(timer);
  stopListening();
  return taskId;
}
