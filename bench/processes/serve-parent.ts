import { z } from 'zod';

/** A call from the parent process; the result has the same `id`. */
export const CallMessage = z.object({ id: z.number(), kind: z.string(), input: z.unknown() });
export type CallMessage = z.infer<typeof CallMessage>;

/** The result of a call; `error` instead of a value when it failed. */
export const ReplyMessage = z.object({
  id: z.number(),
  value: z.unknown().optional(),
  error: z.string().optional(),
});
export type ReplyMessage = z.infer<typeof ReplyMessage>;

type Handlers = Readonly<Record<string, (input: unknown) => Promise<unknown>>>;

/** Serves the calls of the parent process, and `processor-time` for every process; when the parent disconnects, runs `close` and exits. */
export function serveParent(handlers: Handlers, close: () => Promise<void>): void {
  const all = { ...handlers, 'processor-time': readProcessorTime };
  process.on('message', (message) => {
    void answer(all, CallMessage.parse(message));
  });
  process.once('disconnect', () => {
    void close().finally(() => process.exit(0));
  });
  // Ctrl-C reaches the whole process group; the parent decides when this process ends.
  process.on('SIGINT', () => undefined);
}

/** Returns the CPU time of all threads of this process, in microseconds. */
function readProcessorTime(): Promise<number> {
  const { user, system } = process.cpuUsage();
  return Promise.resolve(user + system);
}

async function answer(handlers: Handlers, { id, kind, input }: CallMessage): Promise<void> {
  try {
    const handler = handlers[kind];
    if (handler === undefined) throw new Error(`This process has no handler for "${kind}".`);
    process.send?.({ id, value: await handler(input) } satisfies ReplyMessage);
  } catch (error) {
    process.send?.({ id, error: String(error) } satisfies ReplyMessage);
  }
}
