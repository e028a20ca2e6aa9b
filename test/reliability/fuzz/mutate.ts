import type { Random } from '../../kit/random.ts';

/** Maximum length of an input, in bytes. */
const MAX_LENGTH = 4096;
const INTERESTING = [
  0, 9, 10, 13, 0x20, 0x22, 0x25, 0x2e, 0x2f, 0x3a, 0x5b, 0x5c, 0x7b, 0x7f, 0x80, 0xff,
];

export interface Mutation {
  /** The input to mutate. */
  readonly input: Buffer;
  /** Another input to copy a part from. */
  readonly other: Buffer;
  /** Words with a meaning for the target. */
  readonly words: readonly string[];
}

/** Mutates an input in one to four places: flips bits, replaces bytes, removes, duplicates or copies parts, or inserts words. */
export function mutate(mutation: Mutation, random: Random): Buffer {
  let { input } = mutation;
  const times = 1 + random.below(4);
  for (let time = 0; time < times; time += 1) {
    input = change({ ...mutation, input }, random).subarray(0, MAX_LENGTH);
  }
  return Buffer.from(input);
}

function change({ input, other, words }: Mutation, random: Random): Buffer {
  const at = random.below(input.length + 1);
  const to = Math.min(input.length, at + 1 + random.below(16));
  const put = (piece: Uint8Array, until = at) =>
    Buffer.concat([input.subarray(0, at), piece, input.subarray(until)]);
  switch (random.below(9)) {
    case 0:
      return put(Buffer.from([(input[at] ?? 0) ^ (1 << random.below(8))]), at + 1);
    case 1:
      return put(Buffer.from([random.below(256)]), at + 1);
    case 2:
      return put(Buffer.from([random.pick(INTERESTING)]));
    case 3:
      return put(Buffer.alloc(0), to);
    case 4:
      return put(input.subarray(at, to));
    case 5: {
      const from = random.below(other.length + 1);
      return put(other.subarray(from, from + 1 + random.below(64)), random.is(0.5) ? to : at);
    }
    case 6:
      // Repeats one byte, because quadratic time shows only with such runs.
      return put(Buffer.alloc(1 + random.below(512), input[at] ?? 0x2f));
    default:
      return words.length === 0
        ? put(Buffer.from([random.below(256)]))
        : put(Buffer.from(random.pick(words)), random.is(0.3) ? to : at);
  }
}
