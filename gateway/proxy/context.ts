import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { Problem } from '../../shared/problem.ts';
import type { Clients } from '../clients/clients.ts';
import type { RawHeaderSnapshots } from '../history/history.ts';
import type { Log } from '../host.ts';
import type { Keys } from '../keys/keys.ts';
import type { Models } from '../models/models.ts';
import type { MemoryBudget, Reservation } from '../lib/memory-budget.ts';
import type { AccessPolicy } from './inbound/admit.ts';
import type { Connections } from '../http/connections.ts';
import type { InFlightExchange } from './in-flight-exchange.ts';
import type { ExchangeIds } from '../history/exchange-ids.ts';
import type { VideoOrderRegistry } from './videos/video-orders.ts';
import type { RejectedParameters } from './outbound/rejected-parameters.ts';

import type { ServiceLimit } from '../service-limit/service-limit.ts';
import type { UnknownClients } from './inbound/unknown-clients.ts';
import type { WrongKeyThrottle } from './inbound/wrong-key-throttle.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The upstream that exchanges go to. */
export interface UpstreamTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What stands before `/v1` in its paths, without a trailing slash; often empty. */
  readonly basePath: string;
  /** The `<vendor>` of its version header (spec section 9). */
  readonly vendor: string;
}

/** The base address of the upstream, as it is kept. */
export function toBaseUrl({ origin, basePath }: UpstreamTarget): string {
  return origin + basePath;
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
  /** For a place in the queue of a service that gets only so many calls at once. */
  readonly queueMs: number;
  /** For the answer to a wrong local key, when there were many. */
  readonly wrongKeyMs: number;
  /** Exchanges that may run at the same time. */
  readonly exchanges: number;
}

export const LIMITS: Limits = {
  connectMs: 10_000,
  headMs: 15_000,
  bodyIdleMs: 30_000,
  heartbeatMs: 15_000,
  wrongKeyMs: 1_000,
  queueMs: 30_000,
  exchanges: 4096,
};

/** Everything that belongs to one upstream. An exchange keeps to the link that it began with. */
export interface UpstreamBinding {
  readonly target: UpstreamTarget;
  readonly connections: Connections;
  /** Holds the session open for one exchange. Returns what releases it. */
  readonly lease: () => () => void;
  readonly key: Pick<Keys, 'current' | 'state'>;
  readonly models: Pick<Models, 'has' | 'match' | 'learn' | 'known' | 'fetchedAt'>;
  readonly refused: RejectedParameters;
  /** What the service gets to do; the connections go through it. */
  readonly limit: Pick<ServiceLimit, 'allowsRetry'>;
  readonly record: (exchange: ExchangeRecord, heads: RawHeaderSnapshots) => void;
}

/** Everything that stays the same whatever upstream is in use. */
export interface ProxyDeps {
  readonly accessPolicy: AccessPolicy;
  readonly limits: Limits;
  /** For what is held of requests and answers. */
  readonly memory: MemoryBudget;
  readonly clients: Pick<Clients, 'find' | 'findUncached'>;
  /** The ports of this machine that we listen on. The proxy keeps its own among them. */
  readonly ownPorts: Set<number>;
  /** The video queue: it hears of every order before it leaves. */
  readonly orders: VideoOrderRegistry;
  readonly report: SelfReport;
  /** Whether nothing new is sent to the service. */
  readonly paused: () => boolean;
  readonly log: Log;
  readonly redact: (text: string) => string;
  /** Wall clock, Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Everything that the way of an exchange needs from the rest of the gateway. */
export interface ProxyContext extends ProxyDeps, UpstreamBinding {
  /** Turns every repair off. */
  readonly strict: boolean;
  readonly ids: ExchangeIds;
  readonly unknownCallers: UnknownClients;
  readonly wrongKeys: WrongKeyThrottle;
  /** The exchanges on their way, oldest first. */
  readonly inFlightExchanges: Set<InFlightExchange>;
  /** To be told when something is known of one of them that a person may want to see. */
  readonly onRunning: () => void;
  /** Why no new exchange can be taken right now, if so. */
  readonly rejectionReason: () => Problem | null;
  /** Aborted when the gateway ends what still runs, because the time to finish is over. */
  readonly abortSignal: AbortSignal;
}

/** What Gatehouse tells of itself to programs of this user. */
export interface SelfReport {
  /** Opens both reports and nothing else; only this user can read it. */
  readonly key: string;
  /** In the text format of Prometheus. Every valid local key opens it, too. */
  readonly metrics: () => string;
  /** JSON. */
  readonly status: () => string;
}

/** What every step of one exchange works with. */
export interface ExchangeContext {
  readonly call: ClientRequest;
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  /** Counts what is held of it in memory. */
  readonly memory: Reservation;
}

/** One request on its way in, and where its answer goes. */
export interface ClientRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted with CallerGone when the caller goes away before its answer is complete. */
  readonly signal: AbortSignal;
  /** Tells a client that waits for it to send its body (`Expect: 100-continue`, RFC 9110 section 10.1.1). */
  readonly sendContinue: () => void;
  /** Whether the client still waits for that. */
  readonly isWaiting: () => boolean;
}
