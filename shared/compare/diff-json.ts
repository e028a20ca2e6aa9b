import { isObject } from '../parse-bodies/json.ts';

/** One difference between two JSON values. */
export interface Change {
  /** Where it is, such as `messages[3].role`; empty for the whole value. */
  readonly path: string;
  /** `undefined` when it was added. */
  readonly before: unknown;
  /** `undefined` when it was removed. */
  readonly after: unknown;
}

const MAX_CHANGES = 200;
const MAX_DEPTH = 100;

/** Lists the differences between two JSON values, at most 200. */
export function diffJson(before: unknown, after: unknown): readonly Change[] {
  const changes: Change[] = [];
  collect({ path: '', before, after }, 0, changes);
  return changes;
}

function collect(pair: Change, depth: number, changes: Change[]): void {
  const { path, before, after } = pair;
  if (changes.length >= MAX_CHANGES || Object.is(before, after)) return;
  if (
    depth > MAX_DEPTH ||
    !isNested(before) ||
    !isNested(after) ||
    isList(before) !== isList(after)
  ) {
    changes.push(pair);
    return;
  }
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const inner = {
      path: join(path, name, isList(before)),
      before: at(before, name),
      after: at(after, name),
    };
    collect(inner, depth + 1, changes);
  }
}

function isList(value: unknown): boolean {
  return Array.isArray(value);
}

function isNested(value: unknown): value is object {
  return isObject(value) || isList(value);
}

function at(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function join(path: string, name: string, inList: boolean): string {
  if (inList) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}
