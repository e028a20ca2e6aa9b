import type { TextProtocol } from '../../../shared/chat/chat.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { type Problem, PROBLEMS } from '../../../shared/problem.ts';
import type { ExchangeContext } from '../context.ts';
import { withImages } from '../request-images.ts';

/** The bytes of a response between two looks at its limits. */
const STEP_BYTES = 4_096;

/**
 * Counts while a stream is passed on what it has used where that is more than was expected, and looks whether it exceeds a limit of its
 * client.
 */
export class StreamLimit {
  readonly #context: ExchangeContext;
  readonly #protocol: TextProtocol;
  #nextAt = STEP_BYTES;

  constructor(protocol: TextProtocol, context: ExchangeContext) {
    this.#protocol = protocol;
    this.#context = context;
  }

  /** Returns the problem when a response of so many bytes must end because it exceeds a limit; `null` otherwise. */
  check(bytesOut: number): Problem | null {
    if (bytesOut < this.#nextAt) return null;
    this.#nextAt = bytesOut + STEP_BYTES;
    const { proxy, inFlight } = this.#context;
    const { admission, client, modelSent, streamed, size } = inFlight;
    if (admission?.isLimited() !== true || modelSent === null || size === null) return null;
    const { estimates } = proxy.spendLimits;
    const of = { clientId: client?.id ?? null, model: modelSent, streamed, size, bytesOut };
    const { input } = estimates.estimate(of, 0);
    const output = estimates.estimateOutput(of);
    const media = withImages(null, inFlight.images);
    const usage = { ...UNKNOWN_USAGE, input, output, media, source: 'estimated' } as const;
    const money = proxy.prices.expectCost(inFlight, usage) ?? 0;
    const used = { money, tokens: input + output };
    admission.raise(used);
    return proxy.cutsStreams() ? admission.findExceeded(used) : null;
  }

  /** Returns the event that ends the stream, in its protocol. */
  formatEvent(problem: Problem): Buffer {
    const { message, code } = problem;
    const error = { message, type: PROBLEMS[code].type, code };
    switch (this.#protocol) {
      case 'chat':
        return Buffer.from(`data: ${JSON.stringify({ error })}\n\n`);
      case 'messages':
        return toEvent('error', { error });
      case 'responses':
        return toEvent('response.failed', {
          response: { object: 'response', status: 'failed', error: { code, message } },
        });
    }
  }
}

function toEvent(type: string, data: object): Buffer {
  return Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

/** Finds the end of the last whole event in a chunk of a stream; `-1` when there is none. */
export function findLastEventEnd(chunk: Buffer): number {
  const plain = chunk.lastIndexOf('\n\n');
  const windows = chunk.lastIndexOf('\r\n\r\n');
  return Math.max(plain === -1 ? -1 : plain + 2, windows === -1 ? -1 : windows + 4);
}
