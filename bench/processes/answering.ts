import { z } from 'zod';

/** What the parent asks of this process; `id` ties question and answer together. */
export const Question = z.object({ id: z.number(), kind: z.string(), input: z.unknown() });
export type Question = z.infer<typeof Question>;

/** What this process says back; `error` instead of a value when it failed. */
export const Reply = z.object({
  id: z.number(),
  value: z.unknown().optional(),
  error: z.string().optional(),
});
export type Reply = z.infer<typeof Reply>;

type Answers = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

/** Answers the questions of the parent process, and `processor-time` in its own name; when the parent goes, runs `close` and ends. */
export function answerParent(answers: Answers, close: () => Promise<void>): void {
  const all = { ...answers, 'processor-time': processorTime };
  process.on('message', (message) => {
    void answer(all, Question.parse(message));
  });
  process.once('disconnect', () => {
    void close().finally(() => process.exit(0));
  });
  // Ctrl-C reaches the whole group; the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
}

/** Microseconds of processor time that all threads of this process have used. */
function processorTime(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return Promise.resolve(user + system);
}

async function answer(answers: Answers, { id, kind, input }: Question): Promise<void> {
  try {
    const give = answers[kind];
    if (give === undefined) throw new Error(`Nobody here answers "${kind}".`);
    process.send?.({ id, value: await give(input) } satisfies Reply);
  } catch (error) {
    process.send?.({ id, error: String(error) } satisfies Reply);
  }
}
