import { decode } from './decode.ts';
import { Held } from './held.ts';
import { StreamMeter } from './stream-meter.ts';
import type { Measured, Meter, MeterOptions } from './meter.ts';

/** Measures a compressed event stream: holds it, and looks into it at its end. One that broke off stays unknown. */
export function encodedStreamMeter({ protocol, encoding, memory }: MeterOptions): Meter {
  const held = new Held(memory);
  const meter = new StreamMeter(protocol, memory);
  const finish = async (): Promise<Measured> => {
    const body = held.take();
    const plain = body === null ? null : await decode(body, encoding, memory);
    if (plain !== null) meter.push(plain);
    return meter.finish();
  };
  return {
    push: (chunk) => held.push(chunk),
    end: () => undefined,
    ending: 'unknown',
    finish,
  };
}
