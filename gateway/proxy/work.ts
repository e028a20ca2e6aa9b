import type { Reservation } from '../memory-budget.ts';
import type { Call } from './call.ts';
import type { Draft } from './draft.ts';
import type { ProxyParts } from './parts.ts';

/** What every step of one exchange works with. */
export interface Work {
  readonly call: Call;
  readonly parts: ProxyParts;
  readonly draft: Draft;
  /** Counts what is held of it in memory. */
  readonly memory: Reservation;
}
