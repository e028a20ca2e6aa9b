import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CAN_UNSHARE, UNSHARE } from '../../../kit/process/unshare.ts';
import { EngineMessage } from '../messages.ts';
import type { RunOptions } from './run-options.ts';

/** `runs`: it locked the folder while the first engine lived. `took over`: it locked it after the first engine was killed. */
export type RivalEnd = 'refused' | 'took over' | 'runs';

/** A second engine that was started on the folder of a running one. */
export interface Rival {
  /** Reports that the first engine is still alive. */
  lives(): void;
  /** Waits for its attempt, then ends it. */
  end(): Promise<RivalEnd>;
}

/** Starts a second engine. If it gets the folder, the first engine is asked whether it lives; one that was killed has lost it rightly. */
export function startRival({ bundle, start }: RunOptions, ask: () => void): Rival {
  const command = [process.execPath, bundle.engine];
  const child = startApart(command, { ...start, onlyLock: true });
  const closed = once(child, 'close');
  const tried = Promise.withResolvers<void>();
  let end: RivalEnd = 'refused';
  child.on('message', (message) => {
    if (EngineMessage.parse(message).kind === 'locked') {
      end = 'took over';
      ask();
    }
    tried.resolve();
  });
  return {
    lives: () => {
      if (end === 'took over') end = 'runs';
    },
    end: async () => {
      await Promise.race([tried.promise, closed]);
      child.kill('SIGKILL');
      await closed;
      return end;
    },
  };
}

function startApart(command: readonly string[], start: RunOptions['start']): ChildProcess {
  const [program = '', ...rest] = [...(CAN_UNSHARE ? UNSHARE : []), ...command];
  return spawn(program, [...rest, JSON.stringify(start)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
