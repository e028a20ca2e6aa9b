import type { VideoJob } from './video.ts';

type Request = VideoJob['request'];

/** The facts of an order that decide about its cost, as texts. `null`: it does not contain them. */
export interface OrderFacts {
  readonly model: string | null;
  readonly task: string | null;
  readonly seconds: string | null;
  readonly resolution: string | null;
  /** The additional fields as JSON; without those that replace a fact above. */
  readonly more: string | null;
}

/** Returns the facts of an order as it will be sent: additional fields replace the others, and `null` omits one. */
export function toOrderFacts({ more, ...fields }: Request): OrderFacts {
  const { model, task, seconds, resolution } = { ...fields, ...more };
  const others = Object.entries(more).filter(([name]) => !Object.hasOwn(fields, name));
  return {
    model: toText(model),
    task: toText(task),
    seconds: toText(seconds),
    resolution: toText(resolution),
    more: others.length === 0 ? null : JSON.stringify(Object.fromEntries(others)),
  };
}

function toText(value: Request['more'][string] | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
