import { z } from 'zod';

/** What the parent asks of this process; `id` ties question and answer together. */
export const CallMessage = z.object({ id: z.number(), kind: z.string(), input: z.unknown() });
export type CallMessage = z.infer<typeof CallMessage>;

/** What this process says back; `error` instead of a value when it failed. */
export const ReplyMessage = z.object({
  id: z.number(),
  value: z.unknown().optional(),
  error: z.string().optional(),
});
export type ReplyMessage = z.infer<typeof ReplyMessage>;

type Handlers = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

/** Answers the questions of the parent process, and `processor-time` in its own name; when the parent goes, runs `close` and ends. */
export function serveParent(answers: Handlers, close: () => Promise<void>): void {
  const all = { ...answers, 'processor-time': readProcessorTime };
  process.on('message', (message) => {
    void answer(all, CallMessage.parse(message));
  });
  process.once('disconnect', () => {
    void close().finally(() => process.exit(0));
  });
  // Ctrl-C reaches the whole group; the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
}

/** Microseconds of processor time that all threads of this process have used. */
function readProcessorTime(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return Promise.resolve(user + system);
}

async function answer(answers: Handlers, { id, kind, input }: CallMessage): Promise<void> {
  try {
    const give = answers[kind];
    if (give === undefined) throw new Error(`Nobody here answers "${kind}".`);
    process.send?.({ id, value: await give(input) } satisfies ReplyMessage);
  } catch (error) {
    process.send?.({ id, error: String(error) } satisfies ReplyMessage);
  }
}
