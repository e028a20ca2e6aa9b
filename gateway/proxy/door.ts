import { setTimeout as pause } from 'node:timers/promises';
import { Attendance } from './attendance.ts';
import type { Call } from './call.ts';
import { type ListenerOptions, openListener } from './listener.ts';

/** A port that exchanges come in by. */
export interface Door {
  readonly port: number;
  /**
   * Takes new connections for `graceMs` more, for those that were dialled a moment ago. Then the open ones end as soon as no exchange
   * runs on them; resolves when the last has.
   */
  retire(graceMs: number): Promise<void>;
  /** Lets the port go now. What runs goes on. */
  free(): void;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

export interface DoorOptions extends Omit<ListenerOptions, 'onCall'> {
  /** Called for each request; `leave` is to be called when its last byte has left. */
  readonly onCall: (call: Call, leave: () => void) => void;
}

/** Opens a listener that can be given up while exchanges run. Rejects with PortTaken or PortForbidden. */
export async function openDoor(options: DoorOptions): Promise<Door> {
  const inside = new Attendance();
  let retired = false;
  const listener = await openListener({
    ...options,
    onCall: (call) => {
      inside.enter();
      options.onCall(call, () => {
        inside.leave();
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
    retire: async (graceMs) => {
      if (graceMs > 0) await pause(graceMs, undefined, { ref: false });
      free();
      await inside.empty();
      await listener.close();
    },
    free,
    close: () => listener.close(),
  };
}
