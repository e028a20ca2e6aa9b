/** Replaces a method; `run` calls the original. */
type Around = (args: readonly unknown[], run: () => unknown) => unknown;

/** Wraps a method of an object for all its users. */
export function wrap(target: object, name: string, around: Around): void {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== 'function') throw new Error(`There is no ${name} to wrap.`);
  Reflect.set(target, name, function (this: unknown, ...args: unknown[]) {
    return around(args, () => Reflect.apply(original, this, args));
  });
}
