import { decode } from './decode.ts';
import { parseFields } from './fields.ts';
import { Findings } from './findings.ts';
import { Held } from './held.ts';
import type { Measured, Meter, MeterOptions } from './meter.ts';

const UTF8 = new TextDecoder();

/** Measures an answer that comes in one piece: holds it, and reads it once at its end. */
export function answerMeter({ protocol, encoding, memory }: MeterOptions): Meter {
  const held = new Held(memory);
  const findings = new Findings(protocol);
  const finish = async (): Promise<Measured> => {
    const body = held.take();
    const plain = body === null ? null : await decode(body, encoding, memory);
    const fields = plain === null ? null : parseFields(UTF8.decode(plain));
    if (fields !== null) findings.read(fields);
    return findings.measured;
  };
  return {
    push: (chunk) => held.push(chunk),
    end: () => undefined,
    ending: 'unknown',
    finish,
  };
}
