/** A prepared answer that shows a client's drawing of Markdown, code, formulas or reasoning. */
export interface Showpiece {
  /** Matches the questions that get it. */
  readonly asked: RegExp;
  /** Reasoning before the text; empty for none. */
  readonly thoughts: string;
  readonly text: string;
}

/** Longer questions are those of agents and of tests, whose words say nothing about the expected form. */
const MAX_QUESTION = 300;

const TABLE = `When one side has no more to send, it closes its half of the connection:

| Step | Who | Segment | State afterwards |
|---:|---|---|---|
| 1 | client | \`FIN\` | client: **FIN-WAIT-1** |
| 2 | server | \`ACK\` | client: **FIN-WAIT-2**, server: **CLOSE-WAIT** |
| 3 | server | \`FIN\` | server: **LAST-ACK** |
| 4 | client | \`ACK\` | client: **TIME-WAIT**, server: **CLOSED** |

The client stays in *TIME-WAIT* for twice the lifetime of a segment, so that late segments of this connection do not reach the next one.`;

const CODE = `A function that groups a list by a key:

\`\`\`ts
export function groupBy<Item, Key>(
  items: readonly Item[],
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}
\`\`\`

And a test for it:

\`\`\`ts
test('items with the same key are in one group, in their order', () => {
  const groups = groupBy(['ant', 'bee', 'asp'], (word) => word[0]);
  expect(groups.get('a')).toEqual(['ant', 'asp']);
  expect(groups.get('b')).toEqual(['bee']);
});
\`\`\`

It takes time $O(n)$, because each item is looked at once.`;

const FORMULA = `For $ax^2 + bx + c = 0$ with $a \\neq 0$, divide by $a$ and complete the square:

$$
\\left(x + \\frac{b}{2a}\\right)^2 = \\frac{b^2 - 4ac}{4a^2}
$$

Taking the root of both sides gives the formula:

$$
x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}
$$

The discriminant $\\Delta = b^2 - 4ac$ says how many real solutions there are: two for $\\Delta > 0$, one for $\\Delta = 0$, none for $\\Delta < 0$.`;

const PUZZLE_THOUGHTS = `Let the ball cost x. The bat costs x + 1. Together they are 2x + 1 = 1.10, so x = 0.05. The quick answer, 0.10, is wrong: then the bat would cost 1.10 and both together 1.20.`;

const PUZZLE = `The ball costs **0.05**, and the bat costs 1.05.

1. Call the price of the ball $x$. The bat costs $x + 1$.
2. Together: $x + (x + 1) = 1.10$, so $2x = 0.10$.
3. Therefore $x = 0.05$. Check: $0.05 + 1.05 = 1.10$.`;

/** All showpieces; the first that matches is the answer. */
const SHOWPIECES: readonly Showpiece[] = [
  { asked: /\btables?\b/iu, thoughts: '', text: TABLE },
  { asked: /\breason(?:s|ing)?\b/iu, thoughts: PUZZLE_THOUGHTS, text: PUZZLE },
  { asked: /\b(?:formula|formulas|equations?)\b/iu, thoughts: '', text: FORMULA },
  { asked: /\b(?:code|function)\b/iu, thoughts: '', text: CODE },
];

/** Finds the showpiece that a question asks for. */
export function findShowpiece(question: string): Showpiece | undefined {
  if (question.length > MAX_QUESTION) return undefined;
  return SHOWPIECES.find(({ asked }) => asked.test(question));
}
