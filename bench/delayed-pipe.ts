import type { Socket } from 'node:net';

/** Delays of one direction of a connection, in milliseconds. */
export interface PipeDelays {
  /** Time from the arrival of each byte to its departure. */
  readonly eachMs: number;
  /** Time from the start of the connection until the first byte counts as arrived. */
  readonly firstMs: number;
}

/** Timers count whole milliseconds and are late by a part of one, so that bytes may leave this much too early. */
const EARLY_MS = 0.5;

/** Passes all bytes and the end of one socket to another, in order, each after its delay and without a limit of bandwidth. */
export function pipeDelayed(from: Socket, to: Socket, { eachMs, firstMs }: PipeDelays): void {
  const openedAt = performance.now();
  const pending: { readonly at: number; readonly deliver: () => void }[] = [];
  let timer: NodeJS.Timeout | null = null;
  const deliverDue = (): void => {
    timer = null;
    while (pending[0] !== undefined && pending[0].at <= performance.now() + EARLY_MS) {
      pending.shift()?.deliver();
    }
    if (pending[0] !== undefined) wake(pending[0].at);
  };
  const wake = (at: number): void => {
    timer = setTimeout(deliverDue, Math.max(1, Math.round(at - performance.now() - EARLY_MS)));
  };
  const deliverLater = (deliver: () => void): void => {
    const at = Math.max(performance.now(), openedAt + firstMs) + eachMs;
    pending.push({ at, deliver });
    if (timer === null) wake(at);
  };
  from.on('data', (bytes) => deliverLater(() => to.write(bytes)));
  from.on('end', () => deliverLater(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', (failed) => {
    if (failed && timer !== null) clearTimeout(timer);
  });
}
