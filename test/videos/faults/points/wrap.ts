/** Runs in place of a method; `run` is the method itself. */
type Around = (args: readonly unknown[], run: () => unknown) => unknown;

/** Puts something around a method, for everybody who has the object. */
export function wrap(target: object, name: string, around: Around): void {
  const original: unknown = Reflect.get(target, name);
  if (typeof original !== 'function') throw new Error(`There is no ${name} to wrap.`);
  Reflect.set(target, name, function (this: unknown, ...args: unknown[]) {
    return around(args, () => Reflect.apply(original, this, args));
  });
}
