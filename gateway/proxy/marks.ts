import type { Draft } from './draft.ts';

/** The headers that Gatehouse puts on every answer: which exchange it was and what was repaired. */
export function marks({ id, repairs }: Draft): string[] {
  const headers = ['x-gatehouse-exchange', id];
  if (repairs.length > 0) {
    headers.push('x-gatehouse-repairs', repairs.map(({ code }) => code).join(', '));
  }
  return headers;
}
