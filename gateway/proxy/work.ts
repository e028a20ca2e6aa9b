import type { Call } from './call.ts';
import type { Draft } from './draft.ts';
import type { ProxyParts } from './parts.ts';

/** What every step of one exchange works with. */
export interface Work {
  readonly call: Call;
  readonly parts: ProxyParts;
  readonly draft: Draft;
}
