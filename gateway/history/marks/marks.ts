import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type {
  ExchangeMark,
  MarkChange,
  MarkSummary,
} from '../../../shared/exchange/exchange-mark.ts';
import type { Store } from '../../store/store.ts';
import { changeMark, pinExchanges } from './change-marks.ts';
import { listMarkSummaries, listPinned } from './read-marks.ts';

/** What people note about exchanges. */
export interface Marks {
  /**
   * Changes the mark of an exchange. Resolves with the mark after it; `null` when there is no such exchange. @throws UserError when a
   * tag has a secret, and when there would be too many
   */
  mark(id: ExchangeId, change: MarkChange): Promise<ExchangeMark | null>;
  /** Pins exchanges, or unpins them. Resolves with those of them that there are. */
  pin(ids: readonly ExchangeId[], pinned: boolean): Promise<ExchangeId[]>;
  /** Returns which of these exchanges there are, each with the short form of its mark. */
  marks(
    ids: readonly ExchangeId[],
  ): Promise<{ readonly id: ExchangeId; readonly mark: MarkSummary | null }[]>;
  /** Returns the ids of all pinned exchanges. */
  listPinned(): Promise<ExchangeId[]>;
}

export interface MarksOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

/** Opens the marks of a history. `flush` writes the exchanges that wait. */
export function openMarks({ store, now, redact }: MarksOptions, flush: () => Promise<void>): Marks {
  return {
    mark: async (id, change) => {
      await flush();
      return await changeMark(store, id, { change, now: now(), redact });
    },
    pin: async (ids, pinned) => {
      await flush();
      return await pinExchanges(store, ids, { pinned, now: now() });
    },
    marks: (ids) => listMarkSummaries(store, ids),
    listPinned: () => listPinned(store),
  };
}
