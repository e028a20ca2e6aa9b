import { hash } from 'node:crypto';
import type { InFlightExchange } from '../in-flight-exchange.ts';

/** Agents whose latest answers are remembered at most. */
const MAX_AGENTS = 5_000;
/** An id is sent again, so it must not be long or have anything unusual. */
const ID = /^[\w.:-]{1,200}$/u;

/** The latest answer that an agent got. `null` as its id: nothing is asked about the requests of the agent any more. */
interface LatestAnswer {
  readonly id: string | null;
  /** Monotonic milliseconds at which its request came. */
  readonly openedAt: number;
}

/** The ids of the latest answers, by which a service finds the request before. They are kept in memory only. */
export class LatestAnswers {
  readonly #answers = new Map<string, LatestAnswer>();

  /** Returns the id of the latest answer of an agent: `undefined` when none is known, `null` when nothing must be asked. */
  find(agent: string): string | null | undefined {
    return this.#answers.get(agent)?.id;
  }

  /** Remembers the answer to an exchange, if it came whole and its request may be compared with the next one. */
  add({
    cacheQuestion,
    answerId,
    status,
    endedBy,
    errorCode,
    openedAt,
  }: Pick<
    InFlightExchange,
    'cacheQuestion' | 'answerId' | 'status' | 'endedBy' | 'errorCode' | 'openedAt'
  >): void {
    if (cacheQuestion === null || answerId === null || !ID.test(answerId)) return;
    if (status !== 200 || endedBy !== 'service' || errorCode !== null) return;
    const { agent } = cacheQuestion;
    const known = this.#answers.get(agent);
    // Of two requests at once the one that came later is compared with the next.
    if (known !== undefined && (known.id === null || known.openedAt > openedAt)) return;
    this.#set(agent, { id: answerId, openedAt });
  }

  /** Asks nothing about the requests of an agent any more. */
  stopAsking(agent: string): void {
    this.#set(agent, { id: null, openedAt: 0 });
  }

  #set(agent: string, answer: LatestAnswer): void {
    this.#answers.delete(agent);
    this.#answers.set(agent, answer);
    if (this.#answers.size <= MAX_AGENTS) return;
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined) this.#answers.delete(oldest);
  }
}

/**
 * Returns a key for the agent of an exchange with its model at its service, and for what its requests are for; `null` when its client
 * names no session: then the request before cannot be known. Requests without tools, such as one for a title, are not those of the agent
 * itself, and models share no cache.
 */
export function toAgentKey(
  {
    service,
    route,
    client,
    conversation,
    sender,
    modelSent,
  }: Pick<
    InFlightExchange,
    'service' | 'route' | 'client' | 'conversation' | 'sender' | 'modelSent'
  >,
  hasTools: boolean,
): string | null {
  if (client === null || conversation === null) return null;
  const { agent, requestClass, requestKind } = sender ?? {};
  const facts = [
    service,
    route,
    client.id,
    conversation,
    modelSent,
    agent,
    requestClass,
    requestKind,
  ];
  return hash('sha256', JSON.stringify([...facts, hasTools]), 'base64');
}
