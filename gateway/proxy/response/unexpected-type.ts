import type { InFlightExchange } from '../in-flight-exchange.ts';
import type { Route } from '../route.ts';

/** Types of the answers of these routes: JSON in all its forms, and event streams. */
const EXPECTED_TYPE =
  /^\s*(?:[\w.+-]+\/(?:[\w.+-]*\+)?(?:json|x-ndjson|ndjson|jsonl|json-seq)|text\/event-stream)\s*(?:;|$)/iu;
const MAX_TYPE_LENGTH = 100;

interface Answer {
  readonly status: number;
  /** Its `Content-Type`. */
  readonly type: string | undefined;
}

/**
 * Records a successful answer of the service as a failure when its type says that it is no JSON although its route answers JSON:
 * clients cannot use it. The answer itself stays as it is.
 */
export function recordUnexpectedType(
  { status, type }: Answer,
  route: Route,
  inFlight: InFlightExchange,
): void {
  if (inFlight.attempts === 0 || status >= 300 || status === 204 || !answersJson(route)) return;
  if (type === undefined || EXPECTED_TYPE.test(type)) return;
  const shown = type.replace(/;.*$/su, '').trim().slice(0, MAX_TYPE_LENGTH);
  inFlight.errorCode = 'unexpected_content_type';
  inFlight.errorMessage = `The service answered with ${shown} instead of JSON. Likely causes: a sign-in page of this network, a wrong base address of the service, or a maintenance page.`;
}

function answersJson({ name, protocol }: Route): boolean {
  return (
    protocol !== null || name === 'models' || name === 'video-submit' || name === 'video-status'
  );
}
