const STEPS = [1, 2, 5, 10];
const MAX_TICKS = 4;

/** Returns at most five evenly spaced round integers from 0 up to at least `max`. */
export function ticksUpTo(max: number): readonly number[] {
  const minStep = Math.max(1, max) / MAX_TICKS;
  const power = 10 ** Math.max(0, Math.floor(Math.log10(minStep)));
  const step = (STEPS.find((factor) => factor * power >= minStep) ?? 10) * power;
  const count = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}
