import type { Bundle } from '../bundle.ts';
import type { Start, EngineMessage, EngineCommand } from '../messages.ts';
import type { Fault } from '../plan.ts';

/** What one run of the engine needs. */
export interface RunOptions {
  readonly bundle: Bundle;
  readonly start: Start;
  readonly faults: readonly Fault[];
  readonly downMs: number;
  /** Kills it so long after it is open. */
  readonly killAfterMs: number | null;
  /** Starts a second engine on the same folder when it is open. */
  readonly withRival: boolean;
  readonly hear: (told: EngineMessage, say: (order: EngineCommand) => void) => void;
}
