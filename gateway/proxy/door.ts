import { Attendance } from './attendance.ts';
import type { Call } from './call.ts';
import { type ListenerOptions, openListener } from './listener.ts';

/** A port that exchanges come in by. */
export interface Door {
  readonly port: number;
  /** Takes no new connections. Those that are open end as soon as no exchange runs on them; resolves when the last has. */
  retire(): Promise<void>;
  /** Ends every connection at once. */
  close(): Promise<void>;
}

export interface DoorOptions extends Omit<ListenerOptions, 'onCall'> {
  /** Called for each request; `leave` is to be called when its last byte has left. */
  readonly onCall: (call: Call, leave: () => void) => void;
}

/** Opens a listener that can be given up while exchanges run. Rejects with PortTaken. */
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
  return {
    port: listener.port,
    retire: async () => {
      retired = true;
      listener.stop();
      await inside.empty();
      await listener.close();
    },
    close: () => listener.close(),
  };
}
