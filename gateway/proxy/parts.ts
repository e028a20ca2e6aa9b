import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { Problem } from '../../shared/problem.ts';
import type { Clients } from '../clients/clients.ts';
import type { RawHeads } from '../history/history.ts';
import type { Log } from '../host.ts';
import type { Keys } from '../keys/keys.ts';
import type { Models } from '../models/models.ts';
import type { Gate } from './admit.ts';
import type { Connections } from './connections.ts';
import type { ExchangeIds } from './exchange-ids.ts';
import type { RefusedParameters } from './refused-parameters.ts';

/** The upstream that exchanges go to. */
export interface Target {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What stands before `/v1` in its paths, without a trailing slash; often empty. */
  readonly basePath: string;
  /** The `<vendor>` of its version header (spec section 9). */
  readonly vendor: string;
}

/** Time limits in milliseconds. None of them ends a long generation. */
export interface Limits {
  /** For a connection to the service to be accepted. */
  readonly connectMs: number;
  /** For a request's head to be complete. */
  readonly headMs: number;
  /** Between two pieces of a request's body. */
  readonly bodyIdleMs: number;
  /** Silence of an event stream after which a comment line is sent. */
  readonly heartbeatMs: number;
  /** Exchanges that may run at the same time. */
  readonly exchanges: number;
}

export const LIMITS: Limits = {
  connectMs: 10_000,
  headMs: 15_000,
  bodyIdleMs: 30_000,
  heartbeatMs: 15_000,
  exchanges: 4096,
};

/** Everything that the way of an exchange needs from the rest of the gateway. */
export interface ProxyParts {
  readonly gate: Gate;
  readonly target: Target;
  /** Turns every repair off. */
  readonly strict: boolean;
  readonly limits: Limits;
  readonly connections: Connections;
  readonly clients: Pick<Clients, 'find' | 'findFresh'>;
  readonly key: Pick<Keys, 'current' | 'state'>;
  readonly models: Pick<Models, 'has' | 'match' | 'learn'>;
  readonly refused: RefusedParameters;
  readonly log: Log;
  readonly ids: ExchangeIds;
  /** Why no new exchange can be taken right now, if so. */
  readonly turnedAway: () => Problem | null;
  /** Whether the gateway is ending what still runs, because the time to finish is over. */
  readonly isCutting: () => boolean;
  readonly redact: (text: string) => string;
  readonly record: (exchange: ExchangeRecord, heads: RawHeads) => void;
  /** Wall clock, Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}
