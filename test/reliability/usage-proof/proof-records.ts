import type { BookEntry } from '../../../sandbox/server.ts';
import type { LimitFinding } from './check/limits.ts';
import type { SeenExchange } from './client.ts';
import type { GatewayReports } from './messages.ts';

/** All that was done and seen, apart from the databases of the gateway. */
export interface ProofRecords {
  /** The seed that they were planned from. */
  readonly seed: number;
  /** Number of exchanges that were planned. */
  readonly planned: number;
  readonly seen: ReadonlyMap<number, SeenExchange>;
  readonly books: readonly BookEntry[];
  readonly kills: number;
  readonly limits: readonly LimitFinding[];
  readonly reports: GatewayReports;
  /** Bytes of the file `open-exchanges` at the end; `null` when there is none. */
  readonly openAtEnd: number | null;
}
