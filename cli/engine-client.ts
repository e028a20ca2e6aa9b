import { createORPCClient, ORPCError } from '@orpc/client';
import { RPCLink } from '@orpc/client/fetch';
import type { ContractRouterClient } from '@orpc/contract';
import type { Contract } from '../shared/contract.ts';
import { prepareDataDir } from '../host/data-folder.ts';
import { type LockOwner, readLockOwner } from '../host/lock/instance-lock.ts';
import type { CommandContext } from './command-context.ts';
import { CommandError } from './errors.ts';

/** Thrown when the Gatehouse of a data folder does not answer: it starts or stops, or its port cannot be reached from here. */
export class BusyError extends CommandError {}

/** The Gatehouse that runs on a data folder, and its calls. */
export interface RunningEngine {
  readonly port: number;
  readonly calls: ContractRouterClient<Contract>;
}

/**
 * Calls the Gatehouse that runs on the data folder, with the calls of its window. @throws CommandError when none runs, when it refuses a
 * call, and when it ends meanwhile
 */
export async function withEngine<Value>(
  context: CommandContext,
  dataFlag: string | undefined,
  work: (engine: RunningEngine) => Promise<Value>,
): Promise<Value> {
  const dataDir = await prepareDataDir(dataFlag, context.environment);
  const owner = await readLockOwner(dataDir);
  if (owner === null) {
    throw new CommandError(
      `No Gatehouse is running on the data folder ${dataDir}. Start it: ${context.command} serve`,
    );
  }
  const engine = connect(owner);
  try {
    return await work(engine);
  } catch (error) {
    throw toCommandError(error, owner);
  }
}

function connect(owner: LockOwner): RunningEngine {
  const { port, controlKey } = owner;
  if (port === null || controlKey === null) throw busyError(owner);
  const link = new RPCLink({
    url: `http://127.0.0.1:${port}/control`,
    headers: { authorization: `Bearer ${controlKey}` },
  });
  return { port, calls: createORPCClient(link) };
}

function toCommandError(error: unknown, owner: LockOwner): unknown {
  if (error instanceof ORPCError) {
    // Another process has the port now, and does not know this key or this call.
    const isStranger = !error.defined && error.status === 404;
    return error.code === 'UNAUTHORIZED' || isStranger
      ? busyError(owner, { cause: error })
      : new CommandError(error.message, { cause: error });
  }
  // `fetch` reports every failed connection in this way.
  return error instanceof TypeError ? busyError(owner, { cause: error }) : error;
}

function busyError({ pid }: LockOwner, options?: ErrorOptions): BusyError {
  return new BusyError(
    `Gatehouse (pid ${pid}) does not answer commands: it may be starting or stopping. Try again in a moment.`,
    options,
  );
}
