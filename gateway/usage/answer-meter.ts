import { decodeAnswer } from './decode.ts';
import { parseJsonObject } from '../lib/json-object.ts';
import { AnswerFacts } from './answer-facts.ts';
import { BoundedBuffer } from './bounded-buffer.ts';
import type { Measurement, Meter, MeterOptions } from './meter.ts';

const UTF8 = new TextDecoder();

/** Measures an answer that is not streamed: buffers it, and parses it once at its end. */
export function createAnswerMeter({ protocol, encoding, memory }: MeterOptions): Meter {
  const buffer = new BoundedBuffer(memory);
  const facts = new AnswerFacts(protocol);
  const finish = async (): Promise<Measurement> => {
    const body = buffer.take();
    const plain = body === null ? null : await decodeAnswer(body, encoding, memory);
    const fields = plain === null ? null : parseJsonObject(UTF8.decode(plain));
    if (fields !== null) facts.read(fields);
    return facts.measurement;
  };
  return {
    push: (chunk) => buffer.push(chunk),
    end: () => undefined,
    ending: 'unknown',
    finish,
  };
}
