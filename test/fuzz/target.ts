/** Code that reads input from outside, with what must hold for every input. */
export interface Target {
  readonly name: string;
  /** Well-formed inputs to begin with. */
  readonly seeds: readonly string[];
  /** Words that mean something here, such as header names; they are put into inputs. */
  readonly words: readonly string[];
  /** Throws when the code breaks what it promises. */
  run(input: Buffer): void | Promise<void>;
}
