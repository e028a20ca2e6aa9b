import { hash } from 'node:crypto';
import { RunId } from '../../../shared/exchange/exchange.ts';
import type { InFlightExchange } from '../in-flight-exchange.ts';

/** Sessions of agents that are remembered at most; beyond this number the older ones are forgotten, half of all at once. */
const MAX_NEWER = 5_000;
const ID_DIGITS = 16;

/**
 * Names the runs of sessions. A run is a session of a client and all sessions that its agents start, as far as the client names
 * their parents: the same client and session give the same id in every process.
 */
export class RunIds {
  /** For a session that an agent started the one in which all began, both with their client. */
  #older = new Map<string, string>();
  #newer = new Map<string, string>();

  /** Returns the id of the run of an exchange; `null` when its client names no session. */
  find({ client, conversation, parentSession }: InFlightExchange): RunId | null {
    if (client === null || conversation === null) return null;
    const session = `${client.id} ${conversation}`;
    if (parentSession !== null && parentSession !== conversation)
      return this.#name(this.#remember(session, `${client.id} ${parentSession}`));
    return this.#name(this.#findRoot(session) ?? session);
  }

  #remember(session: string, parent: string): string {
    const known = this.#findRoot(session);
    if (known !== undefined) return known;
    if (this.#newer.size >= MAX_NEWER) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    const root = this.#findRoot(parent) ?? parent;
    this.#newer.set(session, root);
    return root;
  }

  #findRoot(session: string): string | undefined {
    return this.#newer.get(session) ?? this.#older.get(session);
  }

  #name(root: string): RunId {
    return RunId.parse(`run-${hash('sha256', root, 'hex').slice(0, ID_DIGITS)}`);
  }
}
