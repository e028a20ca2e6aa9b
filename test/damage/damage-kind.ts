/**
 * How Gatehouse answers to damage. `serves`: as if nothing had happened. `index-anew`: an index is made anew and nothing is lost. `history-anew`: everything but the history is there, and the damaged file is kept.
 * `log-left-out`: serves what the file holds without its log. `log-kept`: serves what can be read of its log, says that the rest is lost, and keeps it. `refused`: it does not start, and names file, cause and the copy to
 * restore, which then works. `chat-refused`: only conversations are refused, in the same words. `newer`: it asks for a newer Gatehouse. `one-client`: only this
 * client is turned away.
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

/** One kind of damage to a data folder in which Gatehouse was killed or stopped. */
export interface DamageKind {
  /** In words for people; names the kind in the documentation, too. */
  readonly name: string;
  readonly database: 'gatehouse' | 'chat';
  readonly expected: Expected;
  /** Part of the cause that is told; absent where nothing is. */
  readonly cause?: string;
  /** How the process of before ended; a killed one leaves a log. */
  readonly before: 'stopped' | 'killed';
  readonly damage: (folder: string) => void | Promise<void>;
}
