import { z } from 'zod';
import { callSaturated } from '../calls/saturated.ts';
import { callPaced } from '../calls/paced.ts';
import { callMixed } from '../calls/mixed.ts';
import { callInTurn } from '../calls/in-turn.ts';
import { callStreamed } from '../calls/streamed.ts';
import { TARGET_NAMES } from '../target.ts';
import { serveParent } from './serve-parent.ts';

// The process that sends requests, so that its work delays no other process.

const Target = z.object({
  name: z.enum(TARGET_NAMES),
  url: z.string(),
  key: z.string(),
  path: z.string().exactOptional(),
  headers: z.record(z.string(), z.string()).exactOptional(),
  answer: z.string().exactOptional(),
});
const Exchange = z.object({ body: z.string(), expected: z.string() });
const Paired = Exchange.extend({ targets: z.array(Target), times: z.number() });
const Saturated = Exchange.extend({ target: Target, connections: z.number(), seconds: z.number() });
const Paced = Exchange.extend({ target: Target, perSecond: z.number(), seconds: z.number() });
const Mixed = Saturated.extend({ events: z.number(), everyMs: z.number() });
const Streamed = z.object({
  target: Target,
  streams: z.number(),
  spreadMs: z.number(),
  events: z.number(),
  everyMs: z.number(),
});

serveParent(
  {
    paired: async (input) => await callInTurn(Paired.parse(input)),
    saturated: async (input) => await callSaturated(Saturated.parse(input)),
    mixed: async (input) => await callMixed(Mixed.parse(input)),
    paced: async (input) => await callPaced(Paced.parse(input)),
    streamed: async (input) => await callStreamed(Streamed.parse(input)),
  },
  () => Promise.resolve(),
);
