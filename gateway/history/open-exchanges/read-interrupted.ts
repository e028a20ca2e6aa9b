import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { ClientId } from '../../../shared/client.ts';
import {
  ExchangeId,
  type ExchangeRecord,
  RouteName,
  RunId,
  VideoLength,
} from '../../../shared/exchange/exchange.ts';
import { Sender } from '../../../shared/exchange/sender.ts';
import { NO_MEDIA, UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { isFree } from '../../../shared/money/charge.ts';
import type { ProblemCode } from '../../../shared/problem.ts';
import type { Log } from '../../host.ts';

/** The facts of an exchange that is about to be sent, and what it is expected to use. */
const OpenExchange = z.object({
  id: ExchangeId,
  startedAt: z.number().int(),
  service: z.string(),
  clientId: ClientId.nullable(),
  clientName: z.string().nullable(),
  /** As in `ExchangeRecord`. Versions before did not write them. */
  conversation: z.string().nullable().default(null),
  run: RunId.nullable().default(null),
  sender: Sender.nullable().default(null),
  route: RouteName,
  method: z.string(),
  path: z.string(),
  model: z.string().nullable(),
  streamed: z.boolean(),
  bytesIn: z.number().int(),
  input: z.number().int().nullable(),
  output: z.number().int().nullable(),
  /** Images in it; `null` when they were not counted. Versions before did not write them. */
  images: z.number().int().nullable().default(null),
  video: VideoLength.nullable(),
});
export type OpenExchange = z.infer<typeof OpenExchange>;

/** Reads the exchanges that an earlier process was sending when it ended, as records without their cost. `log` is told about an unreadable file. */
export function readInterrupted(file: string, log: Log): ExchangeRecord[] {
  return readOpen(file, log).map(toRecord);
}

/** Reads these exchanges as they were written down, each once: a start that was interrupted may have written one twice. */
export function readOpen(file: string, log: Log): OpenExchange[] {
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      log('warn', 'The requests of the run before could not be read.', { reason: String(error) });
  }
  const found = new Map<ExchangeId, OpenExchange>();
  for (const line of text.split('\n')) {
    const read = line.trim() === '' ? null : OpenExchange.safeParse(parse(line));
    if (read?.success === true) found.set(read.data.id, read.data);
  }
  return [...found.values()];
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // The process ended while it wrote this line, before it sent the request.
    return null;
  }
}

const INTERRUPTED: ProblemCode = 'gateway_stopped';

function toRecord(open: OpenExchange): ExchangeRecord {
  const { id, startedAt, service, clientId, clientName, route, method, path, model } = open;
  const { streamed, bytesIn, input, output, images, conversation, run, sender, video } = open;
  const media = images === null ? null : { ...NO_MEDIA, images };
  const source = input === null && output === null ? 'unknown' : 'estimated';
  return {
    id,
    startedAt,
    times: 1,
    lastAt: startedAt,
    service,
    clientId,
    clientName,
    conversation,
    sender,
    run,
    userAgent: null,
    route,
    method,
    pathReceived: path,
    pathSent: path,
    modelAsked: model,
    modelSent: model,
    modelServed: null,
    streamed,
    status: null,
    errorCode: INTERRUPTED,
    errorMessage: `Gatehouse ended before this request was recorded.${isFree(service) ? '' : ' It may be charged.'}`,
    endedBy: 'gateway',
    repairs: [],
    attempts: 1,
    bytesIn,
    bytesOut: 0,
    firstByteMs: null,
    durationMs: 0,
    overheadMs: null,
    usage: {
      ...UNKNOWN_USAGE,
      input,
      output,
      media,
      source,
      reportedPart: source === 'estimated' ? 'none' : null,
    },
    video,
    cost: null,
  };
}
