import type { RecordedRequest } from '../../../sandbox/http/request-recorder.ts';
import type { Harness } from './harness.ts';

/** Returns the requests that clients sent to the sandbox through the gateway, without those of the gateway itself. */
export function requestsAt({ sandbox }: Harness): RecordedRequest[] {
  return sandbox.requests.filter(({ rawHeaders }) => headerValues(rawHeaders, 'via').length > 0);
}

/** Returns the latest request that a client sent through the gateway. */
export function latestRequest(harness: Harness): RecordedRequest {
  const latest = requestsAt(harness).at(-1);
  if (latest === undefined) throw new Error('Nothing has come through the gateway yet.');
  return latest;
}

/** Returns all values of a header (lower case) in a list of names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}
