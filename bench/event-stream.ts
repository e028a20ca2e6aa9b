import { crc32 } from 'node:zlib';

/** Returns microseconds of the monotonic clock that all processes of the machine share. */
export function sharedClock(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Creates the events of one chat stream (spec section 6.1): numbered, with a time stamp, and a checksum of all bytes in the last one. */
export class StreamWriter {
  #crc = 0;
  #number = 0;

  /** Creates the next event with the current time. */
  next(): string {
    const text = event({
      choices: [{ index: 0, delta: { content: `word ${this.#number} ` }, finish_reason: null }],
      number: this.#number,
      sent: sharedClock(),
    });
    this.#number += 1;
    this.#crc = crc32(text, this.#crc);
    return text;
  }

  last(): string {
    return endEvent(this.#number, this.#crc);
  }
}

/** Creates the last event, with the number of events and the checksum of their bytes, and the line that ends the stream. */
function endEvent(events: number, crc: number): string {
  const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }];
  return `${event({ choices, events, crc32: crc })}data: [DONE]\n\n`;
}

function event(fields: Record<string, unknown>): string {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', model: 'bench/model-one' };
  return `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
}

/** A chunk of a stream and the time of its arrival on the shared clock. */
export interface Arrival {
  readonly at: number;
  readonly bytes: Buffer;
}

/** Returns the milliseconds from the creation of each event to the arrival of its last byte. Throws unless the stream is complete, byte for byte. */
export function readStream(arrivals: readonly Arrival[], events: number): number[] {
  const text = Buffer.concat(arrivals.map(({ bytes }) => bytes)).toString('latin1');
  const delays: number[] = [];
  let start = 0;
  let index = 0;
  let arrived = arrivals[0]?.bytes.length ?? 0;
  while (delays.length < events) {
    const end = text.indexOf('\n\n', start) + 2;
    if (end < start + 2) throw new Error(`Only ${delays.length} of ${events} events arrived.`);
    while (arrived < end) arrived += arrivals[++index]?.bytes.length ?? Number.POSITIVE_INFINITY;
    const sent = Number(parseFields(text.slice(start, end))['sent']);
    delays.push(((arrivals[index]?.at ?? Number.NaN) - sent) / 1000);
    start = end;
  }
  if (text.slice(start) !== endEvent(events, crc32(text.slice(0, start)))) {
    throw new Error('The stream differs from what the service sent.');
  }
  return delays;
}

function parseFields(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text.slice('data: '.length));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
