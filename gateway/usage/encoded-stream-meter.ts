import { decodeAnswer } from './decode.ts';
import { BoundedBuffer } from './bounded-buffer.ts';
import { StreamMeter } from './stream-meter.ts';
import type { Measurement, Meter, MeterOptions } from './meter.ts';

/** Measures a compressed event stream: buffers it, and parses it at its end. A stream that broke off stays unknown. */
export function createEncodedStreamMeter({ protocol, encoding, memory }: MeterOptions): Meter {
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
