import { setTimeout as pause } from 'node:timers/promises';
import { InFlightCounter } from './in-flight-counter.ts';
import type { ClientRequest } from '../context.ts';
import { type ListenerOptions, openListener } from './listener.ts';

/** A port that exchanges come in by. */
export interface PortListener {
  readonly port: number;
  /**
   * Takes new connections for `graceMs` more, for those that were dialled a moment ago. Then the open ones end as soon as no exchange
   * runs on them; resolves when the last has.
   */
  drain(graceMs: number): Promise<void>;
  /** Lets the port go now. What runs goes on. */
  stopAccepting(): void;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

export interface PortListenerOptions extends Omit<ListenerOptions, 'onCall'> {
  /** Called for each request; `leave` is to be called when its last byte has left. */
  readonly onCall: (call: ClientRequest, leave: () => void) => void;
}

/** Opens a listener that can be given up while exchanges run. Rejects with PortTaken or PortForbidden. */
export async function openPortListener(options: PortListenerOptions): Promise<PortListener> {
  const inside = new InFlightCounter();
  let retired = false;
  const listener = await openListener({
    ...options,
    onCall: (call) => {
      inside.add();
      options.onCall(call, () => {
        inside.remove();
        if (retired) listener.stop();
      });
    },
  });
  const free = (): void => {
    retired = true;
    listener.stop();
  };
  return {
    port: listener.port,
    drain: async (graceMs) => {
      if (graceMs > 0) await pause(graceMs, undefined, { ref: false });
      free();
      await inside.whenIdle();
      await listener.close();
    },
    stopAccepting: free,
    close: () => listener.close(),
  };
}
