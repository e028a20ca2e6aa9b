import { z } from 'zod';
import { callHurried } from '../calls/hurried.ts';
import { callPaced } from '../calls/paced.ts';
import { callPaired } from '../calls/paired.ts';
import { callStreamed } from '../calls/streamed.ts';
import { DOOR_NAMES } from '../door.ts';
import { answerParent } from './answering.ts';

// Whoever asks: in a process of its own, so that its work is nobody else's delay.

const Door = z.object({ name: z.enum(DOOR_NAMES), url: z.string(), key: z.string() });
const Exchange = z.object({ body: z.string(), expected: z.string() });
const Paired = Exchange.extend({ doors: z.array(Door), times: z.number() });
const Hurried = Exchange.extend({ door: Door, connections: z.number(), seconds: z.number() });
const Paced = Exchange.extend({ door: Door, perSecond: z.number(), seconds: z.number() });
const Streamed = z.object({
  door: Door,
  streams: z.number(),
  spreadMs: z.number(),
  events: z.number(),
  everyMs: z.number(),
});

answerParent(
  {
    paired: async (input) => await callPaired(Paired.parse(input)),
    hurried: async (input) => await callHurried(Hurried.parse(input)),
    paced: async (input) => await callPaced(Paced.parse(input)),
    streamed: async (input) => await callStreamed(Streamed.parse(input)),
  },
  () => Promise.resolve(),
);
