/** Reads a member of a value that may be anything, such as parsed JSON; `undefined` when there is none. */
export function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
