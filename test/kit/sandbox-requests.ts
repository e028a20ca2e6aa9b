import type { RecordedRequest } from '../../sandbox/http/request-recorder.ts';
import type { Harness } from './harness.ts';

/** The requests that came to the sandbox through the gateway: not those the gateway makes in its own name. */
export function requestsAt({ sandbox }: Harness): RecordedRequest[] {
  return sandbox.requests.filter(({ rawHeaders }) => headerValues(rawHeaders, 'via').length > 0);
}

/** The latest request that came through the gateway. */
export function latestRequest(harness: Harness): RecordedRequest {
  const latest = requestsAt(harness).at(-1);
  if (latest === undefined) throw new Error('Nothing has come through the gateway yet.');
  return latest;
}

/** All values of a header (small letters) in a list of names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
}
