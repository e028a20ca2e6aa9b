import { decode } from './decode.ts';
import { Held } from './held.ts';
import { StreamMeter } from './stream-meter.ts';
import type { Measured, Meter, Protocol } from './meter.ts';

/** Measures a compressed event stream: holds it, and looks into it at its end. One that broke off stays unknown. */
export function encodedStreamMeter(protocol: Protocol | null, encoding: string): Meter {
  const held = new Held();
  const meter = new StreamMeter(protocol);
  const finish = async (): Promise<Measured> => {
    const body = held.take();
    const plain = body === null ? null : await decode(body, encoding);
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
