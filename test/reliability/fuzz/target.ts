/** Code that parses input from outside, with its invariants. */
export interface Target {
  readonly name: string;
  /** Well-formed initial inputs. */
  readonly seeds: readonly string[];
  /** Words with a meaning here, such as header names; they are inserted into inputs. */
  readonly words: readonly string[];
  /** Throws when an invariant is violated. */
  run(input: Buffer): void | Promise<void>;
}
