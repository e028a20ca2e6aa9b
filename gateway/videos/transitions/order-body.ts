import type { Job } from './job.ts';

/** Builds the body of an order (spec section 4.6). Members that a person added replace ours; `null` removes one. */
export function composeBody({ more, ...request }: Job['request'], url: string | null): string {
  const conditions = url === null ? [] : [{ type: 'image', url }];
  const members = { ...request, conditions, ...more };
  const kept = Object.entries(members).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(kept));
}
