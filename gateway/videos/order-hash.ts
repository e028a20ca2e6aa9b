import { createHash } from 'node:crypto';
import type { VideoOrder } from '../proxy/proxy.ts';
import { isDeep, readJson } from './studio/shapes.ts';

/** Equal for orders that are the same: of one client at one service, equal as JSON, with the same `Idempotency-Key`. */
export function orderHash(
  order: Pick<VideoOrder, 'client' | 'identity' | 'idempotencyKey'>,
  service: string,
): string {
  const text = order.identity.toString();
  const json = readJson(text);
  const readable = json !== undefined && !isDeep(json);
  const same = readable ? sorted(json) : order.identity.toString('base64');
  const parts = [order.client.id, service, same, order.idempotencyKey];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** With the members of every object in one order. */
function sorted(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(sorted);
  if (typeof json !== 'object' || json === null) return json;
  const members = Object.entries(json).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return members.map(([name, value]) => [name, sorted(value)]);
}
