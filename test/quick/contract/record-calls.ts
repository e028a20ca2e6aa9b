import { traverseContractProcedures } from '@orpc/server';
import { contract } from '../../../shared/contract.ts';
import type { Client } from './transports.ts';

/** Wraps a client to record the name of every call, such as `status.get`. */
export function recordCalls(client: Client, recorded: Set<string>): Client {
  const names = new Set(listCallNames());
  const watch = <Group extends object>(group: Group, path: readonly string[]): Group =>
    spy(group, (key, value) => {
      if (typeof key !== 'string') return value;
      const name = [...path, key].join('.');
      if (names.has(name)) recorded.add(name);
      const holdsCalls = [...names].some((one) => one.startsWith(`${name}.`));
      return holdsCalls && isGroup(value) ? watch(value, [...path, key]) : value;
    });
  return watch(client, []);
}

/** Lists the names of all calls of the contract. */
export function listCallNames(): readonly string[] {
  const names: string[] = [];
  traverseContractProcedures({ router: contract, path: [] }, ({ path }) =>
    names.push(path.join('.')),
  );
  return names.toSorted();
}

/** Within one process a group of calls is an object; on other transports it consists of functions. */
function isGroup(value: unknown): value is object {
  return typeof value === 'function' || (typeof value === 'object' && value !== null);
}

function spy<Target extends object>(
  target: Target,
  see: (key: string | symbol, value: unknown) => unknown,
): Target {
  return new Proxy(target, { get: (_, key) => see(key, Reflect.get(target, key)) });
}
