import { crc32 } from 'node:zlib';

/** Microseconds on the clock that all processes of one machine share. */
export function sharedClock(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** Writes the events of one chat stream (spec section 6.1): numbered, stamped, and with a checksum of all bytes in the last one. */
export class StreamWriter {
  #crc = 0;
  #number = 0;

  /** The next event, stamped with the time at which it is made. */
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
    const choices = [{ index: 0, delta: {}, finish_reason: 'stop' }];
    return `${event({ choices, events: this.#number, crc32: this.#crc })}${END}`;
  }
}

const END = 'data: [DONE]\n\n';

function event(fields: Record<string, unknown>): string {
  const head = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', model: 'bench/model-one' };
  return `data: ${JSON.stringify({ ...head, ...fields })}\n\n`;
}

/** A piece of a stream and when it came, on the shared clock. */
export interface Arrival {
  readonly at: number;
  readonly bytes: Buffer;
}

/** Milliseconds from the making of each event to the arrival of its last byte. Throws when the stream is not whole, byte for byte. */
export function readStream(arrivals: readonly Arrival[], events: number): number[] {
  const text = Buffer.concat(arrivals.map(({ bytes }) => bytes)).toString('latin1');
  const lastEvent = text.indexOf('data: ', text.lastIndexOf('\n\n', text.length - END.length - 3));
  checkEnd(text, lastEvent, events);
  const delays: number[] = [];
  let piece = 0;
  let arrived = arrivals[0]?.bytes.length ?? 0;
  for (let start = 0; start < lastEvent;) {
    const end = text.indexOf('\n\n', start) + 2;
    while (arrived < end) arrived += arrivals[++piece]?.bytes.length ?? Number.POSITIVE_INFINITY;
    const { number, sent } = fieldsOf(text.slice(start, end));
    if (number !== delays.length) throw new Error(`Event ${delays.length} is missing.`);
    delays.push(((arrivals[piece]?.at ?? Number.NaN) - Number(sent)) / 1000);
    start = end;
  }
  if (delays.length !== events) throw new Error(`${delays.length} of ${events} events came.`);
  return delays;
}

function checkEnd(text: string, lastEvent: number, events: number): void {
  if (!text.endsWith(END)) throw new Error('The stream has no end.');
  const last = fieldsOf(text.slice(lastEvent, text.length - END.length));
  const crc = crc32(text.slice(0, lastEvent));
  if (last['events'] !== events || last['crc32'] !== crc) {
    throw new Error('The stream is not byte for byte what the service sent.');
  }
}

function fieldsOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text.slice('data: '.length));
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
