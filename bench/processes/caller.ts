import { z } from 'zod';
import { callSaturated } from '../calls/saturated.ts';
import { callPaced } from '../calls/paced.ts';
import { callInTurn } from '../calls/in-turn.ts';
import { callStreamed } from '../calls/streamed.ts';
import { TARGET_NAMES } from '../target.ts';
import { serveParent } from './serve-parent.ts';

// Whoever asks: in a process of its own, so that its work is nobody else's delay.

const Door = z.object({ name: z.enum(TARGET_NAMES), url: z.string(), key: z.string() });
const Exchange = z.object({ body: z.string(), expected: z.string() });
const Paired = Exchange.extend({ targets: z.array(Door), times: z.number() });
const Hurried = Exchange.extend({ target: Door, connections: z.number(), seconds: z.number() });
const Paced = Exchange.extend({ target: Door, perSecond: z.number(), seconds: z.number() });
const Streamed = z.object({
  target: Door,
  streams: z.number(),
  spreadMs: z.number(),
  events: z.number(),
  everyMs: z.number(),
});

serveParent(
  {
    paired: async (input) => await callInTurn(Paired.parse(input)),
    hurried: async (input) => await callSaturated(Hurried.parse(input)),
    paced: async (input) => await callPaced(Paced.parse(input)),
    streamed: async (input) => await callStreamed(Streamed.parse(input)),
  },
  () => Promise.resolve(),
);
