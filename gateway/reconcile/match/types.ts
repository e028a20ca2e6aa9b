import type { ExchangeId } from '../../../shared/exchange/exchange.ts';

/** A row of an export. Tokens that it does not have are 0; costs are millionths of the currency. */
export interface ExportRow {
  /** Its line, or its number in a JSON file. */
  readonly place: number;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly model: string;
  readonly id: string | null;
  readonly requests: number;
  readonly input: number;
  readonly output: number;
  readonly cost: number;
}

/** An exchange as it is compared with an export. Unknown tokens are 0. */
export interface ComparedExchange {
  readonly id: ExchangeId;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The model by the name that the export has for it: the one that answered, or the one that was sent. */
  readonly model: string;
  readonly input: number;
  readonly output: number;
  /** `null` when it is not known here. */
  readonly cost: number | null;
  /** Whether its tokens are estimated or unknown. */
  readonly isInexact: boolean;
}

/** A row and the exchange that it is about. */
export interface Pair {
  readonly row: ExportRow;
  readonly exchange: ComparedExchange;
}

/** The pairs that were found, and what has no partner. */
export interface Matches {
  readonly pairs: readonly Pair[];
  readonly rows: readonly ExportRow[];
  readonly exchanges: readonly ComparedExchange[];
}
