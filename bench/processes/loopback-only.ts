import { type ListenOptions, Server } from 'node:net';

// This module is loaded before a program that has no option for its address: the program then listens on 127.0.0.1 only.

const { prototype } = Server;
const listen: unknown = Reflect.get(prototype, 'listen');
if (typeof listen !== 'function') throw new Error('Servers of this Node have no `listen`.');

prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]): Server {
  const callback = args.find((arg) => typeof arg === 'function');
  const [first] = args;
  const asked: ListenOptions = typeof first === 'object' ? { ...first } : { port: Number(first) };
  Reflect.apply(listen, this, [{ ...asked, host: '127.0.0.1' }]);
  if (callback !== undefined) this.once('listening', () => void Reflect.apply(callback, this, []));
  return this;
};
