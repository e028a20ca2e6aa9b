import type { SampleConversation } from './sample-conversation.ts';

const DAY = 24 * 60;

const SQLITE_ANSWER = `Use a **partial index** on the rows that are still due. The planner takes it as soon as the \`where\` of your query implies that of the index:

\`\`\`sql
create index job_due on job (due_at)
  where state in ('waiting', 'polling');

select id from job
 where state in ('waiting', 'polling') and due_at <= ?1
 order by due_at
 limit 20;
\`\`\`

What changes for a table of ten million rows, of which a thousand are due:

| | full index | partial index |
|---|---:|---:|
| size on disk | 214 MB | 26 kB |
| insert of a finished job | 2 pages | 1 page |
| the query above | 0.4 ms | 0.1 ms |

Three things to watch:

1. The terms must match *literally*: \`state <> 'done'\` does not imply \`state in (…)\`.
2. \`analyze\` once, or the planner guesses.
3. A row that leaves the set costs a delete in the index, so do not flip states back and forth.
`;

const WORKER_ANSWER = `Claim and count in **one statement**, so that there is no moment between looking and taking:

\`\`\`typescript
/** Takes the next due job, or nothing. Two workers never get the same one. */
export async function claim(store: Store, now: number): Promise<Job | null> {
  const [row] = await store.all<JobRow>(
    \`update job set state = 'running', attempts = attempts + 1
      where id = (select id from job where state = 'waiting' and due_at <= ? limit 1)
      returning *\`,
    [now],
  );
  return row === undefined ? null : jobOf(row);
}
\`\`\`

\`returning\` gives you the row as it is *after* the update. With several processes, set \`busy_timeout\`; SQLite lets one writer in at a time, so the statement itself needs no lock.
`;

const MATH_REASONING = `The sum runs over k from 1 to n. The generating function approach works, but induction is shorter. For n = 1 both sides are 1. Suppose it holds for n; adding (n+1)^3 to (n(n+1)/2)^2 gives (n+1)^2 (n^2/4 + n + 1) = ((n+1)(n+2)/2)^2. Good. I should also give the picture with squares, since they asked why and not only that.`;

const MATH_ANSWER = `By induction. For $n = 1$ both sides are $1$. If the claim holds for $n$, then

$$
\\sum_{k=1}^{n+1} k^3 = \\left(\\frac{n(n+1)}{2}\\right)^2 + (n+1)^3
= (n+1)^2 \\left(\\frac{n^2}{4} + n + 1\\right)
= \\left(\\frac{(n+1)(n+2)}{2}\\right)^2 .
$$

**Why it is a square:** put $k$ squares of side $k$ around the corner of the square that you have. They fill exactly one more L-shaped border, since $k \\cdot k^2 = k^3$ and the border has width $k$.

> The same picture shows that $1 + 2 + \\dots + n$ is the side: $\\tfrac{n(n+1)}{2}$.
`;

const HAIKU = [
  `Rain on the tin roof  \nthe cat turns once, then settles  \ninto the warm sound\n`,
  `Grey light, soft drumming —  \nbetween two drops the window  \nlearns to hold its breath\n`,
  `**Rain**\n\nFirst one, then a crowd:  \nthe street puts on its mirror  \nand walks upside down\n`,
];

const REVIEW_PROMPT =
  'Review this function. What breaks when the list is empty, and what would you change?';

const REVIEW_FILE = `export function median(values: number[]) {
  values.sort();
  const middle = values.length / 2;
  return (values[middle - 1] + values[middle]) / 2;
}
`;

const REVIEW_ANSWER = `Four things, the worst first:

- **It sorts as text.** \`[10, 9, 1].sort()\` is \`[1, 10, 9]\`. Give it \`(a, b) => a - b\`.
- **It changes the caller's array.** Use \`toSorted\`.
- **An odd length reads \`values[1.5]\`,** which is \`undefined\`, so the result is \`NaN\`.
- **An empty list** is \`NaN\` too. Say what you promise: \`null\`, or throw.

\`\`\`typescript
/** The middle of the values; \`null\` when there are none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
\`\`\`
`;

const TRIP_ANSWER = `Here is a day that needs no car:

1. **08:40** tram 4 to the upper station, then the path along the old water channel (about 90 minutes, mostly in the shade).
2. **11:00** the botanical garden; the glasshouses open at eleven.
3. **13:00** lunch at the`;

/** Conversations as a person has them after some weeks; the latest first. */
export const SAMPLE_CONVERSATIONS: readonly SampleConversation[] = [
  {
    key: 'main',
    models: ['anthropic/claude-sonnet-4.5'],
    minutesAgo: 3,
    system: 'Answer in short sentences. Code in TypeScript and SQL.',
    turns: [
      {
        message:
          'My job table has ten million rows, but only a thousand are ever due. The index on due_at is huge. What do I do?',
        replies: [{ text: SQLITE_ANSWER }],
      },
      {
        message: 'And how does a worker take one without two of them getting the same?',
        replies: [{ text: WORKER_ANSWER }],
      },
    ],
  },
  {
    key: 'compare',
    models: [
      'anthropic/claude-opus-4.5',
      'qwen/qwen3-coder-480b-a35b-instruct-fp8',
      'openai/gpt-5.1',
    ],
    minutesAgo: 48,
    turns: [
      {
        message: 'A haiku about rain, please. No explanation.',
        replies: HAIKU.map((text) => ({ text })),
      },
    ],
  },
  {
    key: 'broken',
    models: ['meta-llama/llama-4-maverick-17b-128e-instruct-fp8'],
    minutesAgo: 2 * 60,
    turns: [
      {
        message: 'Plan a day in the hills around Funchal for two people without a car.',
        replies: [
          {
            text: TRIP_ANSWER,
            fields: {
              state: 'broken',
              finish: null,
              problem: {
                by: 'service',
                status: 200,
                code: null,
                sentence: 'The service cut off its answer. The part received is saved. Try again.',
                suspects: [],
              },
            },
          },
        ],
      },
    ],
  },
  {
    key: 'refused',
    models: ['openai/gpt-5-mini'],
    minutesAgo: 5 * 60,
    temperature: 0.2,
    turns: [
      {
        message: 'Give me five names for a small bakery that opens at four in the morning.',
        replies: [
          {
            text: '',
            fields: {
              state: 'refused',
              finish: null,
              firstTokenMs: null,
              tokensPerSecond: null,
              usage: null,
              modelServed: null,
              problem: {
                by: 'service',
                status: 400,
                code: 'unsupported_parameter',
                sentence:
                  'The service refused the request: Unsupported value: "temperature" does not support 0.2 with this model.',
                suspects: ['temperature'],
              },
            },
          },
        ],
      },
    ],
  },
  {
    key: 'math',
    models: ['moonshotai/kimi-k2-thinking'],
    minutesAgo: DAY + 90,
    turns: [
      {
        message: 'Why is the sum of the first n cubes always a square?',
        replies: [{ text: MATH_ANSWER, reasoning: MATH_REASONING }],
      },
    ],
  },
  {
    key: 'branches',
    models: ['deepseek/deepseek-v3.2-exp'],
    minutesAgo: DAY + 5 * 60,
    turns: [
      {
        message: {
          text: REVIEW_PROMPT,
          files: [{ kind: 'text', name: 'median.ts', text: REVIEW_FILE }],
        },
        before: [{ text: 'An empty list gives `NaN`, since `values[-1]` is not there.\n' }],
        replies: [{ text: REVIEW_ANSWER }],
      },
    ],
  },
  {
    key: 'letter',
    models: ['mistralai/mistral-large-2411'],
    minutesAgo: 3 * DAY,
    turns: [
      {
        message: 'Make this friendlier, but keep it short: "Your invoice is overdue. Pay now."',
        replies: [
          {
            text: 'Hello! Just a small reminder that your invoice is still open. Could you look at it this week? Thank you.\n',
          },
        ],
      },
    ],
  },
  {
    key: 'sourdough',
    models: ['google/gemini-2.5-pro'],
    minutesAgo: 6 * DAY,
    turns: [
      {
        message: 'How do I halve a sourdough recipe that takes 850 g flour?',
        replies: [
          { text: '425 g flour, and half of all the rest. Bake it about 8 minutes less.\n' },
        ],
      },
    ],
  },
  {
    key: 'regex',
    models: ['qwen/qwen3-coder-480b-a35b-instruct-fp8'],
    minutesAgo: 12 * DAY,
    turns: [
      {
        message: 'Regular expression for ISO dates, without lookbehind',
        replies: [{ text: '```regex\n\\b\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])\\b\n```\n' }],
      },
    ],
  },
  {
    key: 'glossary',
    models: ['zai-org/glm-4.6', 'anthropic/claude-haiku-4.5'],
    minutesAgo: 31 * DAY,
    turns: [
      {
        message:
          'What is the difference between authentication and authorization, for a twelve-year-old?',
        replies: [
          { text: 'The first asks **who you are**, the second **what you may do**.\n' },
          {
            text: 'Authentication is your ticket with your name on it. Authorization is the door.\n',
          },
        ],
      },
    ],
  },
];
