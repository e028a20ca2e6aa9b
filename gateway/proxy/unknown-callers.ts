import type { ExchangeId } from '../../shared/exchange.ts';
import type { Draft } from './draft.ts';

/** The exchange that equal ones are counted with. */
export interface FirstOfEqual {
  readonly id: ExchangeId;
  readonly startedAt: number;
}

/** Kinds that are told apart within an hour. */
const MOST_KINDS = 100;

/**
 * Counts refused requests together that came without a known local key and are equal: same user agent, path and answer, within the same
 * local hour. Only so many kinds are told apart; the rest of an hour is counted together for each answer, so that nobody fills the history
 * by calling itself something else each time.
 */
export class UnknownCallers {
  readonly #first = new Map<string, FirstOfEqual>();
  #hour = '';

  /** To be called once what becomes of the request is known. Does nothing for a known client. */
  count(draft: Draft): void {
    if (draft.client !== null || draft.counted) return;
    const hour = hourOf(draft.startedAt);
    if (hour !== this.#hour) this.#first.clear();
    this.#hour = hour;
    const answer = [draft.status, draft.errorCode, draft.endedBy];
    const asked = [draft.method, draft.clip(draft.pathReceived), draft.clip(draft.userAgent ?? '')];
    const repairs = draft.repairs.map(({ code }) => code);
    const kind = JSON.stringify([answer, asked, repairs, draft.errorMessage]);
    const listed = this.#first.has(kind) || this.#first.size < MOST_KINDS;
    draft.countWith(this.#firstOf(listed ? kind : JSON.stringify(answer), draft), listed);
  }

  #firstOf(kind: string, { id, startedAt }: Draft): FirstOfEqual {
    const first = this.#first.get(kind) ?? { id, startedAt };
    this.#first.set(kind, first);
    return first;
  }
}

function hourOf(time: number): string {
  const date = new Date(time);
  return `${date.toDateString()} ${date.getHours()}`;
}
