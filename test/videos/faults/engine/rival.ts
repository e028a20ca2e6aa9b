import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { CAN_UNSHARE, UNSHARE } from '../../../kit/unshare.ts';
import { EngineMessage } from '../messages.ts';
import type { RunOptions } from './run-options.ts';

/** `runs`: it had the folder while the first one lived. `took over`: it had it after the first one was killed. */
export type RivalEnd = 'refused' | 'took over' | 'runs';

/** A second engine that was started on the folder of one that runs. */
export interface Rival {
  /** The first one lives still. */
  lives(): void;
  /** Lets it try, then ends it. */
  end(): Promise<RivalEnd>;
}

/** Starts one. When it gets the folder, the first engine is asked whether it lives; one that was killed has lost it rightly. */
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
