import { hash } from 'node:crypto';
import { RunId } from '../../../shared/exchange/exchange.ts';

/** Sessions of agents that are remembered at most; beyond this number the older ones are forgotten, half of all at once. */
const MAX_NEWER = 5_000;
const ID_DIGITS = 16;

/** The session of a client, as its request names it; `parentSession`: the session whose agent started it. */
interface SessionOfClient {
  readonly client: { readonly id: string } | null;
  readonly conversation: string | null;
  readonly parentSession: string | null;
}

/**
 * Names the runs of sessions. A run is a session of a client and all sessions that its agents start, as far as the client names
 * their parents: the same client and session give the same id in every process.
 */
export class RunIds {
  /** For a session that an agent started the one in which all began, both as digests of them and their client. */
  #older = new Map<string, string>();
  #newer = new Map<string, string>();

  /** Returns the id of the run of an exchange; `null` when its client names no session. */
  find({ client, conversation, parentSession }: SessionOfClient): RunId | null {
    if (client === null || conversation === null) return null;
    const session = toDigest(client.id, conversation);
    const isStarted = parentSession !== null && parentSession !== conversation;
    const root = isStarted
      ? this.#addStarted(session, toDigest(client.id, parentSession))
      : (this.#findRoot(session) ?? session);
    return RunId.parse(`run-${root}`);
  }

  /** Returns the root of a session that an agent of `parent` started. It stays, unless the parent's own parent was named later. */
  #addStarted(session: string, parent: string): string {
    const known = this.#findRoot(session);
    if (known !== undefined && known !== parent) return known;
    const root = this.#findRoot(parent) ?? parent;
    this.#set(session, root);
    return root;
  }

  #findRoot(session: string): string | undefined {
    const known = this.#newer.get(session);
    if (known !== undefined) return known;
    const root = this.#older.get(session);
    // One that is still in use is not forgotten.
    if (root !== undefined) this.#set(session, root);
    return root;
  }

  #set(session: string, root: string): void {
    if (this.#newer.size >= MAX_NEWER) {
      this.#older = this.#newer;
      this.#newer = new Map();
    }
    this.#newer.set(session, root);
  }
}

function toDigest(client: string, session: string): string {
  return hash('sha256', `${client} ${session}`, 'hex').slice(0, ID_DIGITS);
}
