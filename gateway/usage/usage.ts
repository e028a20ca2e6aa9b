import type { Meter, MeterOptions, Measurement } from './meter.ts';
import { StreamMeter } from './stream-meter.ts';
import { BoundedBuffer } from './bounded-buffer.ts';
import { AnswerFacts } from './answer-facts.ts';
import { decodeAnswer } from './decode.ts';
import { parseJsonObject } from '../lib/json-object.ts';

export { UsageFilter } from './usage-filter.ts';
export type { StreamEnd, Measurement, Meter, MeterOptions } from './meter.ts';

/** Creates the meter for one answer. */
export function createUsageMeter(options: MeterOptions): Meter {
  if (!options.streamed) return createAnswerMeter(options);
  const { protocol, encoding, memory } = options;
  return encoding === null ? new StreamMeter(protocol, memory) : createEncodedStreamMeter(options);
}

const UTF8 = new TextDecoder();
/** No JSON begins like this. */
const PAGE = /^\s*</u;

/** Measures an answer that is not streamed: buffers it, and parses it once at its end. */
function createAnswerMeter({ protocol, encoding, memory }: MeterOptions): Meter {
  const buffer = new BoundedBuffer(memory);
  const facts = new AnswerFacts(protocol);
  const measure = (plain: Buffer | null): Measurement => {
    const text = plain === null ? '' : UTF8.decode(plain);
    const fields = parseJsonObject(text);
    if (fields !== null) facts.read(fields);
    const isPage = fields === null && PAGE.test(text);
    return isPage ? { ...facts.measurement, isPage } : facts.measurement;
  };
  const finish = (): Measurement | Promise<Measurement> => {
    const body = buffer.take();
    if (body === null || encoding === null) return measure(body);
    return decodeAnswer(body, encoding, memory).then(measure);
  };
  return {
    push: (chunk) => buffer.push(chunk),
    end: () => undefined,
    ending: 'unknown',
    finish,
  };
}

/** Measures a compressed event stream: buffers it, and parses it at its end. A stream that broke off stays unknown. */
function createEncodedStreamMeter({ protocol, encoding, memory }: MeterOptions): Meter {
  const buffer = new BoundedBuffer(memory);
  const meter = new StreamMeter(protocol, memory);
  const finish = async (): Promise<Measurement> => {
    const body = buffer.take();
    const plain = body === null ? null : await decodeAnswer(body, encoding, memory);
    if (plain !== null) meter.push(plain);
    return meter.finish();
  };
  return {
    push: (chunk) => buffer.push(chunk),
    end: () => undefined,
    ending: 'unknown',
    finish,
  };
}
