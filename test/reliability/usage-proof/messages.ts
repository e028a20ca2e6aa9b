import type { UsageOverview } from '../../../shared/history/usage.ts';
import type { ClientId } from '../../../shared/client.ts';

/** Millionths of the currency, tokens, and whether the request counts: 1 or 0. */
export interface UsedAmounts {
  readonly requests: number;
  readonly money: number;
  readonly tokens: number;
}

/** The limit of a client in one run of the gateway. */
export interface LimitAmount {
  readonly clientId: string;
  readonly name: string;
  readonly measure: 'money' | 'tokens' | 'requests';
  readonly period: 'day' | 'run';
  readonly amount: number;
}

/** Totals that the gateway reports of the whole time. */
export interface GatewayReports {
  readonly totals: UsageOverview['totals'];
  /** By `day`, `hour`, `model`, `client` and `route`. */
  readonly groups: Readonly<Record<string, readonly ReportedGroup[]>>;
  /** Use of the limits by the id of their clients, in the unit of the limit. */
  readonly used: Readonly<Record<string, number>>;
}

export interface ReportedGroup {
  readonly key: string | null;
  readonly exchanges: number;
  readonly input: number | null;
  readonly output: number | null;
  readonly cost: number | null;
}

/** Messages of the process with the gateway. */
export type FromGateway =
  | {
      readonly kind: 'ready';
      readonly port: number;
      /** The clients that it has added, by name. */
      readonly added: Readonly<Record<string, { readonly id: ClientId; readonly key: string }>>;
      readonly amounts: readonly LimitAmount[];
    }
  | {
      readonly kind: 'admitted' | 'settled';
      readonly number: number;
      readonly clientId: string;
      /** The run that it belongs to; `null` for none. */
      readonly run: string | null;
      /** Unix time in milliseconds at which the request came. */
      readonly at: number;
      /** The estimate, or what was used in the end. */
      readonly use: UsedAmounts;
    }
  | { readonly kind: 'finished'; readonly reports: GatewayReports };
