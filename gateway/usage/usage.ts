import { createAnswerMeter } from './answer-meter.ts';
import { createEncodedStreamMeter } from './encoded-stream-meter.ts';
import type { Meter, MeterOptions } from './meter.ts';
import { StreamMeter } from './stream-meter.ts';

export type { StreamEnd, Measurement, Meter, MeterOptions } from './meter.ts';

/** Creates the meter for one answer. */
export function createUsageMeter(options: MeterOptions): Meter {
  if (!options.streamed) return createAnswerMeter(options);
  const { protocol, encoding, memory } = options;
  return encoding === null ? new StreamMeter(protocol, memory) : createEncodedStreamMeter(options);
}
