import { createHash } from 'node:crypto';
import type { VideoOrder } from '../../proxy/proxy.ts';

/** Hashes the identity of an order: its client, service, content and `Idempotency-Key`. */
export function hashOrder(
  { client, identity, idempotencyKey }: Pick<VideoOrder, 'client' | 'identity' | 'idempotencyKey'>,
  service: string,
): string {
  const parts = [client.id, service, identity, idempotencyKey];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
