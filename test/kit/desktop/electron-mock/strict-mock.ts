import { EventEmitter } from 'node:events';

/** The language itself looks for these members in any value, to see whether it can be awaited or printed. */
const LOOKED_FOR = new Set(['then', 'toJSON', 'inspect', 'constructor', '__esModule']);

/** Wraps an object so that a member without a mock throws an error that names it. */
export function strictly<T extends object>(name: string, thing: T): T {
  return new Proxy(thing, {
    get(target, member, receiver) {
      if (typeof member === 'string' && !(member in target) && !LOOKED_FOR.has(member)) {
        throw notMocked(`${name}.${member}`);
      }
      return Reflect.get(target, member, receiver);
    },
    set(...args) {
      const [target, member] = args;
      // An emitter keeps its listeners in members that begin like this.
      if (typeof member === 'string' && !member.startsWith('_') && !(member in target)) {
        throw notMocked(`${name}.${member}`);
      }
      return Reflect.set(...args);
    },
  });
}

/** An object of Electron's that emits events. Its members and events that are not mocked throw; `null` are events of any name. */
export abstract class StrictMock extends EventEmitter {
  constructor(name: string, events: readonly string[] | null) {
    super();
    this.on('newListener', (event) => {
      if (typeof event !== 'string' || event === 'newListener') return;
      if (events?.includes(event) === false) {
        throw notMocked(`the event '${event}' of ${name}`);
      }
    });
    // The classes that extend this one make their private fields on what is returned here.
    return strictly(name, this);
  }
}

function notMocked(what: string): Error {
  return new Error(`${what} is not mocked.`);
}
