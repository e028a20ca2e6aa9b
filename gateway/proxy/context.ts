import type { Aliases } from '../aliases/aliases.ts';
import type { Bodies } from '../bodies/bodies.ts';
import type { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { Problem } from '../../shared/problem.ts';
import type { Clients } from '../clients/clients.ts';
import type { OpenExchanges, RawHeaderSnapshots } from '../history/history.ts';
import type { Log } from '../host.ts';
import type { Holds } from '../holds/holds.ts';
import type { KeyMask } from '../keys/key-mask.ts';
import type { Keys } from '../keys/keys.ts';
import type { Models } from '../models/models.ts';
import type { PriceBook } from '../prices/prices.ts';
import type { Runaways } from '../runaway/runaway.ts';
import type { SpendLimits } from '../spend-limits/spend-limits.ts';
import type { MemoryBudget, Reservation } from '../lib/memory-budget.ts';

import type { CancelSignal } from '../http/cancel-signal.ts';
import type { Connections } from '../http/connections.ts';
import type { InFlightExchange } from './in-flight-exchange.ts';
import type { InFlightExchanges } from './running-exchanges.ts';
import type { ExchangeIds } from '../history/exchange-ids.ts';
import type { VideoOrderRegistry } from './videos/video-orders.ts';
import type { LatestAnswers } from './outbound/latest-answers.ts';
import type { RejectedParameters } from './outbound/rejected-parameters.ts';
import type { ServiceLimit } from '../service-limit/service-limit.ts';
import type { RunIds } from './inbound/run-ids.ts';
import type { UnknownClients } from './inbound/unknown-clients.ts';
import type { WrongKeyThrottle } from './inbound/wrong-key-throttle.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** The address of an upstream, split for building requests. */
export interface UpstreamTarget {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The part of its paths before `/v1`, without a trailing slash; often empty. */
  readonly basePath: string;
  /** The `<vendor>` of its version header (spec section 9). */
  readonly vendor: string;
}

/** Joins the base address again, as it is stored. */
export function toBaseUrl({ origin, basePath }: UpstreamTarget): string {
  return origin + basePath;
}

/** Limits of the proxy. Times are in milliseconds; none of them ends a long generation. */
export interface Limits {
  /** Timeout for connecting to the service. */
  readonly connectMs: number;
  /** Timeout for the head of a request. */
  readonly headMs: number;
  /** Timeout between two chunks of a request body. */
  readonly bodyIdleMs: number;
  /** Idle time of an event stream after which a comment line is sent. */
  readonly heartbeatMs: number;
  /** Timeout in the queue of a service that takes a limited number of calls. */
  readonly queueMs: number;
  /** Delay of the refusal of a wrong local key, once there were many. */
  readonly wrongKeyMs: number;
  /** Maximum number of exchanges in flight. */
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

/** The parts of an upstream's session that the proxy uses. An exchange keeps the binding that it began with. */
export interface UpstreamBinding {
  /** Stable id of the service, as exchanges record it. */
  readonly service: string;
  readonly target: UpstreamTarget;
  readonly connections: Connections;
  /** Holds the session open for one exchange. Returns what releases it. */
  readonly lease: () => () => void;
  readonly key: Pick<Keys, 'current' | 'state'>;
  readonly models: Pick<Models, 'has' | 'match' | 'learn' | 'known' | 'fetchedAt'>;
  readonly refused: RejectedParameters;
  /** Whether requests ask the service why its prompt cache missed. */
  readonly asksCacheReason: boolean;
  /** The service's limit. Requests on `connections` already pass it. */
  readonly limit: Pick<ServiceLimit, 'allowsRetry'>;
  readonly record: (exchange: ExchangeRecord, heads: RawHeaderSnapshots) => void;
}

/** Dependencies of the proxy that stay the same when the upstream changes. */
export interface ProxyDeps {
  readonly accessPolicy: AccessPolicy;
  readonly limits: Limits;
  /** Budget for buffered requests and responses. */
  readonly memory: MemoryBudget;
  readonly clients: Pick<Clients, 'find' | 'findUncached' | 'findRetired' | 'hasExpired'>;
  /** Ports of this machine that we listen on. The proxy adds and removes its own. */
  readonly ownPorts: Set<number>;
  /** Registers every order of a video before it is sent. */
  readonly orders: VideoOrderRegistry;
  /** Keeps the requests and responses of exchanges. */
  readonly bodies: Pick<Bodies, 'capture' | 'keep' | 'readRunning' | 'findRun'>;
  /** Whether streams are asked for their usage when their clients do not ask. */
  readonly asksForUsage: () => boolean;
  /** Whether a stream that exceeds a limit of its client is ended. */
  readonly cutsStreams: () => boolean;
  /** The aliases of models. */
  readonly aliases: Pick<Aliases, 'find' | 'findDefault' | 'listWhole'>;
  /** The prices by which exchanges are charged. */
  readonly prices: Pick<PriceBook, 'costOf' | 'expectCost' | 'find'>;
  /** Writes exchanges down before they are sent. */
  readonly openExchanges: Pick<OpenExchanges, 'begin'>;
  /** The limits of what clients may use. */
  readonly spendLimits: Pick<SpendLimits, 'admit' | 'estimates'>;
  /** Refuses the requests of clients that were stopped. */
  readonly runaways: Pick<Runaways, 'admit'>;
  readonly report: SelfReport;
  /** Is called when a request arrives, before it is handled. */
  readonly onArrival: () => void;
  readonly control: ControlChannel;
  /** Lets requests wait for a person. */
  readonly holds: Pick<Holds, 'isAwaited' | 'hold' | 'refuseAll'>;
  /** A person's pause, and the refusal of requests meanwhile. */
  readonly pause: { readonly paused: boolean; readonly problem: () => Problem };
  /** The command of the command line for messages. */
  readonly command: string;
  readonly log: Log;
  readonly redact: (text: string) => string;
  /** Wall clock, Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** Everything outside the proxy, and shared by its exchanges, that the steps of an exchange use. */
export interface ProxyContext extends ProxyDeps, UpstreamBinding {
  /** Whether repairs are off. */
  readonly strict: boolean;
  readonly ids: ExchangeIds;
  /** Returns the mask for the service key that was sent. */
  readonly keyMaskFor: (key: string | null) => KeyMask;
  readonly unknownClients: UnknownClients;
  readonly runIds: RunIds;
  readonly latestAnswers: LatestAnswers;
  readonly wrongKeys: WrongKeyThrottle;
  readonly inFlightExchanges: InFlightExchanges;
  /** Is called when an exchange in flight has changed in a way that the window shows. */
  readonly onRunning: () => void;
  /** Whether new exchanges go to this service. */
  readonly isInUse: (service: string) => boolean;
  /** Returns why no new exchange can be accepted now; `null` when one can. */
  readonly rejectionReason: () => Problem | null;
  /** Is aborted when exchanges in flight are cut because the time to drain is over. */
  readonly abortSignal: AbortSignal;
}

/** The status and the metrics of Gatehouse, for other programs of this user. */
export interface SelfReport {
  /** The token for both reports, and for nothing else; only this user can read it. */
  readonly key: string;
  /** Returns the text format of Prometheus. A valid local key is accepted for it, too. */
  readonly metrics: () => string;
  /** Returns JSON. */
  readonly status: () => string;
}

/** The calls with which commands of this user control the engine. */
export interface ControlChannel {
  /** The token for these calls, and for nothing else; only this user can read it. */
  readonly key: string;
  /** Handles a call whose sender was checked; `null`: calls are refused. Never rejects. */
  readonly handler: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | null;
}

/** The values that all steps of one exchange share. */
export interface ExchangeContext {
  readonly call: ClientRequest;
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  /** Counts the memory that it uses. */
  readonly memory: Reservation;
}

/** A request of a client and its response. */
export interface ClientRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Is aborted with a ClientDisconnectedError when the client leaves before its response is complete. */
  readonly signal: CancelSignal;
  /** Sends `100 Continue` to a client that waits for it (RFC 9110 section 10.1.1). */
  readonly sendContinue: () => void;
  /** Whether the client still waits for `100 Continue`. */
  readonly isWaiting: () => boolean;
  /** Resolves when the last byte of the response was sent, or the client has left. */
  readonly closed: Promise<void>;
}

/** Which requests are let in before credentials are looked at. It protects against pages that a browser has open. */
export interface AccessPolicy {
  readonly allowedOrigins: readonly string[];
  /** Our name in `Via` (RFC 9110 section 7.6.3). */
  readonly via: string;
}
