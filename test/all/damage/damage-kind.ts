/**
 * Expected reaction to damage. `serves`: as if nothing had happened. `index-anew`: an index is rebuilt and nothing is lost.
 * `history-anew`: everything but the history is there, and the damaged file is kept. `log-left-out`: serves the content of the
 * file without its log. `log-kept`: serves the readable part of its log, reports the loss of the rest, and keeps it.
 * `refused`: does not start, and names file, cause and the copy to restore, which then works. `chat-refused`: refuses only
 * conversations, with the same message. `newer`: asks for a newer Gatehouse. `one-client`: rejects only this client.
 */
export type Expected =
  | 'serves'
  | 'index-anew'
  | 'history-anew'
  | 'log-left-out'
  | 'log-kept'
  | 'refused'
  | 'chat-refused'
  | 'newer'
  | 'one-client';

/** One kind of damage to a data folder after Gatehouse was killed or stopped. */
export interface DamageKind {
  /** Name for people; the documentation uses it, too. */
  readonly name: string;
  readonly database: 'gatehouse' | 'chat';
  readonly expected: Expected;
  /** Part of the reported cause; absent where nothing is reported. */
  readonly cause?: string;
  /** How the previous process ended; a killed one leaves a log. */
  readonly before: 'stopped' | 'killed';
  readonly damage: (folder: string) => void | Promise<void>;
}
