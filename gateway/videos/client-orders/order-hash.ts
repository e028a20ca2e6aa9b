import { createHash } from 'node:crypto';
import type { VideoOrder } from '../../proxy/proxy.ts';

/** Equal for orders that are the same: of one client at one service, alike in what was sent, with the same `Idempotency-Key`. */
export function hashOrder(
  { client, identity, idempotencyKey }: Pick<VideoOrder, 'client' | 'identity' | 'idempotencyKey'>,
  service: string,
): string {
  const parts = [client.id, service, identity, idempotencyKey];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
