import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { CancelSignal } from '../../http/cancel-signal.ts';
import type { ByteChunks } from '../../lib/byte-chunks.ts';
import type { Reservation } from '../../lib/memory-budget.ts';
import type { ProxyContext } from '../context.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';
import type { ReadOrder } from '../order-identity/read-order.ts';
import type { BodyFacts } from '../repair/body/body.ts';
import type { VideoForm } from '../repair/body/video-form.ts';
import type { Route } from '../route.ts';

/** A request as it is sent to the service, without credentials. */
export interface Prepared {
  /** Has no hop-by-hop fields, credentials and framing. */
  readonly headers: string[];
  readonly body: Buffer | ByteChunks | Readable | null;
  /** Facts read from a buffered body; `null` for a streamed one and for none. */
  readonly facts: BodyFacts | null;
  /** The form of a video order that is sent as JSON, with an empty `body`; `null` for any other request. */
  readonly form: VideoForm | null;
  /** The order of a video as the client sent it; `null` for any other request. */
  readonly order: ReadOrder | null;
}

export interface Preparation {
  readonly request: IncomingMessage;
  /** Has no credentials any more. */
  readonly headers: string[];
  readonly route: Route;
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  readonly memory: Reservation;
  /** Is aborted when the client leaves. */
  readonly signal: CancelSignal;
}
