import type { Bundle } from '../bundle.ts';
import type { Start, EngineMessage, EngineCommand } from '../messages.ts';
import type { Fault } from '../plan.ts';

/** Options of one run of the engine. */
export interface RunOptions {
  readonly bundle: Bundle;
  readonly start: Start;
  readonly faults: readonly Fault[];
  readonly downMs: number;
  /** Milliseconds from its start to its kill. */
  readonly killAfterMs: number | null;
  /** Starts a second engine on the same folder when the first one is ready. */
  readonly withRival: boolean;
  readonly onMessage: (reported: EngineMessage, say: (order: EngineCommand) => void) => void;
}
