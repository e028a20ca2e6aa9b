import { isPaid } from '../prices/prices.ts';
import type { ProxyContext } from './context.ts';
import type { InFlightExchange } from './in-flight-exchange.ts';
import { withImages } from './request-images.ts';

/**
 * Settles an exchange that has ended: estimates the usage that its service did not report, computes its cost, and replaces its estimate
 * in the limits by what it used.
 */
export function settleSpend(inFlight: InFlightExchange, proxy: ProxyContext): void {
  const { admission } = inFlight;
  const { source, input, output } = inFlight.usage;
  if (isFree(inFlight)) {
    admission?.cancel();
    return;
  }
  if (source === 'reported' && input !== null && output !== null) learn(inFlight, proxy);
  else estimateUsage(inFlight, proxy);
  if (inFlight.images !== null) {
    const media = withImages(inFlight.usage.media, inFlight.images);
    inFlight.usage = { ...inFlight.usage, media };
  }
  inFlight.cost = proxy.prices.costOf(inFlight);
  if (admission === null) return;
  if (inFlight.cost === null) admission.cancel();
  else {
    const { usage, cost } = inFlight;
    const tokens = (usage.input ?? 0) + (usage.output ?? 0);
    admission.settle({ money: cost.amount ?? 0, tokens });
  }
}

/**
 * Whether the service did nothing for it: nothing was sent, what was sent was refused, a page came instead of a text, or the stored
 * answer of another order was given.
 */
function isFree({ repeatedMs, isPage, mayBeTaken }: InFlightExchange): boolean {
  return repeatedMs !== null || isPage || !mayBeTaken;
}

function learn(inFlight: InFlightExchange, { spendLimits }: ProxyContext): void {
  const { client, modelSent, run, streamed, size, bytesOut, usage, endedBy } = inFlight;
  const { input, output } = usage;
  if (size === null || modelSent === null || input === null || output === null) return;
  if (endedBy === 'client') return;
  spendLimits.estimates.learn({
    clientId: client?.id ?? null,
    model: modelSent,
    run,
    streamed,
    size,
    bytesOut,
    input,
    output,
  });
}

/**
 * A service charges for a response that was cut, and for one of which it reports nothing. A Messages stream reports its input at the
 * beginning and its output at the end, so that half of it may be known.
 */
function estimateUsage(inFlight: InFlightExchange, { spendLimits }: ProxyContext): void {
  const { client, modelSent, streamed, size, bytesOut, usage } = inFlight;
  if (size === null || modelSent === null || !isPaid(inFlight)) return;
  const of = { clientId: client?.id ?? null, model: modelSent, streamed, size, bytesOut };
  const { estimates } = spendLimits;
  const input = usage.input ?? estimates.estimate(of, 0).input;
  const output = usage.output ?? estimateOutput(inFlight, estimates.estimateOutput(of));
  const reportedPart = usage.input !== null ? 'input' : usage.output !== null ? 'output' : 'none';
  inFlight.usage = { ...usage, input, output, source: 'estimated', reportedPart };
}

/**
 * Estimates the output of a response. Where nothing came of it, and where it is no stream and was cut, the service has produced more than
 * the bytes say. A paid exchange with an error status was answered by Gatehouse.
 */
function estimateOutput(
  { streamed, status, bytesOut, expectedOutput, endedBy, errorCode }: InFlightExchange,
  received: number,
): number {
  const isCut = endedBy === 'client' || errorCode !== null;
  if (bytesOut === 0 || (status ?? 0) >= 400) return expectedOutput;
  return !streamed && isCut ? Math.max(received, expectedOutput) : received;
}
