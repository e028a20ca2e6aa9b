import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { lacksLocalKey } from '../../../shared/exchange/outcome.ts';
import { createDayFormatter, QUARTER_MS } from '../days.ts';
import { countSpeeds, SPEED_COLUMNS } from './speed-buckets.ts';
import { addExchange, NUMBERS } from './sum-columns.ts';

/** Exchanges that are added to the same totals. */
export interface ExchangeGroup {
  /** What the totals distinguish is the same in all of them. */
  readonly first: ExchangeRecord;
  /** The local day on which they started. */
  readonly day: string;
  /** Their sums, in the order of `NUMBERS`. */
  readonly numbers: number[];
  /** How many are in each of `SPEED_COLUMNS`. */
  readonly speeds: number[];
  /** Unix time in milliseconds. */
  lastAt: number;
}

/** Groups the exchanges of a batch: hundreds are nearly always of a few groups, so their sums are made once for all totals. */
export function groupExchanges(exchanges: readonly ExchangeRecord[]): readonly ExchangeGroup[] {
  const toDay = createDayFormatter();
  const groups: ExchangeGroup[] = [];
  for (const exchange of exchanges) {
    let group = groups.findLast(({ first }) => isAlike(first, exchange));
    if (group === undefined) {
      group = {
        first: exchange,
        day: toDay(exchange.startedAt),
        numbers: NUMBERS.map(() => 0),
        speeds: SPEED_COLUMNS.map(() => 0),
        lastAt: exchange.lastAt,
      };
      groups.push(group);
    }
    group.lastAt = Math.max(group.lastAt, exchange.lastAt);
    addExchange(group.numbers, exchange);
    countSpeeds(group.speeds, exchange);
  }
  return groups;
}

function isAlike(one: ExchangeRecord, other: ExchangeRecord): boolean {
  return (
    Math.floor(one.startedAt / QUARTER_MS) === Math.floor(other.startedAt / QUARTER_MS) &&
    one.service === other.service &&
    one.clientId === other.clientId &&
    one.clientName === other.clientName &&
    nameModel(one) === nameModel(other) &&
    one.route === other.route &&
    (one.sender?.project ?? null) === (other.sender?.project ?? null) &&
    (one.cost?.priceId ?? null) === (other.cost?.priceId ?? null) &&
    lacksLocalKey(one) === lacksLocalKey(other)
  );
}

/** Returns the model under which an exchange is counted: the one it was sent to, or that was asked for when nothing was sent. */
export function nameModel({
  modelSent,
  modelAsked,
}: Pick<ExchangeRecord, 'modelSent' | 'modelAsked'>): string {
  return modelSent ?? modelAsked ?? '';
}
