import { answerMeter } from './answer-meter.ts';
import { encodedStreamMeter } from './encoded-stream-meter.ts';
import type { Meter, MeterOptions } from './meter.ts';
import { StreamMeter } from './stream-meter.ts';

export type { Ending, Measured, Meter, MeterOptions, Protocol } from './meter.ts';

/** The meter for one answer. */
export function openMeter(options: MeterOptions): Meter {
  if (!options.streamed) return answerMeter(options);
  const { protocol, encoding, memory } = options;
  return encoding === null ? new StreamMeter(protocol, memory) : encodedStreamMeter(options);
}
