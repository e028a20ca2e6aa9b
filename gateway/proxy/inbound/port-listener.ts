import { setTimeout as pause } from 'node:timers/promises';
import { InFlightCounter } from './in-flight-counter.ts';
import type { ClientRequest } from '../context.ts';
import { type ListenerOptions, openListener } from './listener.ts';

/** A port that the proxy listens on. */
export interface PortListener {
  readonly port: number;
  /**
   * Accepts new connections for `graceMs` more, because clients may be connecting. Then closes every connection once no exchange
   * runs on it. Resolves when the last one is closed.
   */
  drain(graceMs: number): Promise<void>;
  /** Frees the port now. Exchanges in flight go on. */
  stopAccepting(): void;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

export interface PortListenerOptions extends Omit<ListenerOptions, 'onCall'> {
  /** Is called for each request, and calls `done` when the last byte of its response was sent. */
  readonly onCall: (call: ClientRequest, done: () => void) => void;
}

/** Opens a listener that can be retired while exchanges are in flight. @throws PortInUseError, PortAccessError */
export async function openPortListener(options: PortListenerOptions): Promise<PortListener> {
  const inFlight = new InFlightCounter();
  let retired = false;
  const listener = await openListener({
    ...options,
    onCall: (call) => {
      inFlight.add();
      options.onCall(call, () => {
        inFlight.remove();
        if (retired) listener.stop();
      });
    },
  });
  const stopAccepting = (): void => {
    retired = true;
    listener.stop();
  };
  return {
    port: listener.port,
    drain: async (graceMs) => {
      if (graceMs > 0) await pause(graceMs, undefined, { ref: false });
      stopAccepting();
      await inFlight.whenIdle();
      await listener.close();
    },
    stopAccepting,
    close: () => listener.close(),
  };
}
