import { Problem } from '../../shared/problem.ts';
import { type Call, whenDelivered } from './call.ts';
import { exchange } from './exchange.ts';
import { ExchangeIds } from './exchange-ids.ts';
import { openListener } from './listener.ts';
import { answerLocally } from './local-answer.ts';
import type { ProxyParts } from './parts.ts';
import { noteMalformed } from './refuse.ts';

export { headOf, isOurHost } from './admit.ts';
export { openConnections } from './connections.ts';
export { PortTaken } from './listener.ts';
export { LIMITS, type Limits, type ProxyParts, type Target } from './parts.ts';
export { openRefusedParameters } from './refused-parameters.ts';

/** The running proxy. */
export interface Proxy {
  readonly port: number;
  /** Exchanges on their way at this moment. */
  readonly running: number;
  /** Takes no new requests, waits up to `drainMs` for running exchanges to finish, then ends what is left. */
  close(drainMs: number): Promise<void>;
}

export interface ProxyOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly parts: Omit<ProxyParts, 'ids' | 'turnedAway' | 'isCutting'>;
}

/** Opens the listener on the loopback addresses. Rejects with PortTaken. */
export async function openProxy({ port, parts }: ProxyOptions): Promise<Proxy> {
  const traffic = new Traffic(parts.limits.exchanges);
  const ids = new ExchangeIds(parts.randomBytes);
  const allParts: ProxyParts = {
    ...parts,
    ids,
    turnedAway: () => traffic.turnedAway(),
    isCutting: () => traffic.cutting,
  };
  const listener = await openListener({
    port,
    limits: parts.limits,
    onMalformed: (problem) => noteMalformed(problem, allParts),
    onCall: (call) => {
      if (answerLocally(call, parts.gate)) return;
      traffic.begin();
      void conduct(call, allParts, () => {
        traffic.finish();
        if (traffic.closing) listener.stop();
      });
    },
  });
  return {
    port: listener.port,
    get running() {
      return traffic.running;
    },
    close: async (drainMs) => {
      traffic.closing = true;
      listener.stop();
      await traffic.quiet(drainMs);
      traffic.cutting = true;
      await listener.close();
      await traffic.quiet(1000);
    },
  };
}

async function conduct(call: Call, parts: ProxyParts, finished: () => void): Promise<void> {
  try {
    await exchange(call, parts);
  } catch (error) {
    // `exchange` answers every failure itself; what is left is a bug in answering.
    parts.log('error', `An exchange could not be concluded: ${parts.redact(String(error))}`);
    call.reply.destroy();
  }
  // Until then the connection must not be ended.
  await whenDelivered(call.reply);
  finished();
}

/** Counts the exchanges on their way and tells when there are none or too many. */
class Traffic {
  readonly #most: number;
  #running = 0;
  #onQuiet: (() => void) | null = null;
  closing = false;
  cutting = false;

  constructor(most: number) {
    this.#most = most;
  }

  get running(): number {
    return this.#running;
  }

  begin(): void {
    this.#running += 1;
  }

  finish(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#onQuiet?.();
  }

  turnedAway(): Problem | null {
    if (this.closing) {
      return new Problem(
        'shutting_down',
        'Gatehouse is shutting down. Nothing was sent; try again when it runs.',
      );
    }
    if (this.#running > this.#most) {
      return new Problem(
        'too_many_exchanges',
        `More than ${this.#most} requests are running at once. Nothing was sent; wait for some to finish.`,
      );
    }
    return null;
  }

  /** Resolves when no exchange is running, or after `limitMs`. */
  quiet(limitMs: number): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onQuiet = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
