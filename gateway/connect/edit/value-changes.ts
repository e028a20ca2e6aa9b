import { ConfigFormatError, formatPath } from './config-format-error.ts';
import type { ConfigValue, ItemStep, PathStep } from './config-value.ts';

/** A step that is found: the name of a member, or the index of a list item. */
export type FoundStep = string | number;

type Path = readonly PathStep[];
type MaybeValue = ConfigValue | undefined;

/** The most levels of lists and objects in a file. */
export const MAX_DEPTH = 256;

/** Tells whether a value is an object with members, and not a list. */
export function isObject(value: MaybeValue): value is Readonly<Record<string, ConfigValue>> {
  return typeof value === 'object' && value !== null && !isList(value);
}

/** Tells whether a value is a list. */
export function isList(value: MaybeValue): value is readonly ConfigValue[] {
  return Array.isArray(value);
}

/**
 * Follows a path as far as the value has it: `found` are the steps that exist, `rest` those that do not, `value` the value at
 * the last step that exists.
 * @throws ConfigFormatError when two list items fit a step
 */
export function followPath(root: MaybeValue, path: Path) {
  const found: FoundStep[] = [];
  let value = root;
  for (const [index, step] of path.entries()) {
    const next = findStep(value, step, path.slice(0, index + 1));
    if (next === null) return { found, rest: path.slice(index), value };
    found.push(next);
    value = memberOf(value, next);
  }
  return { found, rest: [], value };
}

/** Returns the value at a path; `undefined` when there is none. @throws ConfigFormatError like `followPath` */
export function valueAt(root: MaybeValue, path: Path): MaybeValue {
  const { rest, value } = followPath(root, path);
  return rest.length === 0 ? value : undefined;
}

/** Returns the value with another one at a path; parents that are missing or null are created. @throws ConfigFormatError */
export function withValue(root: MaybeValue, path: Path, value: ConfigValue): ConfigValue {
  const { found, rest, value: parent } = followPath(root, path);
  const [step, ...inner] = rest;
  const changed =
    step === undefined ? value : addMember(parent, path, step, buildValue(inner, value));
  return replaceFound(root, found, changed);
}

/** Returns the value without the member or list item at a path that exists; `undefined` for the empty path. */
export function withoutValue(root: MaybeValue, path: Path): MaybeValue {
  const { found } = followPath(root, path);
  const last = found.at(-1);
  if (last === undefined) return undefined;
  const parents = found.slice(0, -1);
  const parent = parents.reduce(memberOf, root);
  if (isList(parent)) return replaceFound(root, parents, parent.toSpliced(Number(last), 1));
  if (!isObject(parent)) return undefined;
  const members = Object.entries(parent).filter(([name]) => name !== last);
  return replaceFound(root, parents, Object.fromEntries(members));
}

/** Returns the value to be written at the first of `steps` for the whole path to have `value`. @throws ConfigFormatError */
export function buildValue(steps: Path, value: ConfigValue): ConfigValue {
  const [step, ...inner] = steps;
  if (step === undefined) return value;
  const member = buildValue(inner, value);
  return typeof step === 'string'
    ? Object.fromEntries([[step, member]])
    : [buildItem(step, member)];
}

/** Returns a list item that the step finds. @throws ConfigFormatError when the item is said to be another */
export function buildItem({ where, is }: ItemStep, value: ConfigValue): ConfigValue {
  const item = isObject(value) ? { ...Object.fromEntries([[where, is]]), ...value } : value;
  if (memberOf(item, where) === is) return item;
  throw new ConfigFormatError(`An item whose ${where} is to be "${is}" is given another value.`);
}

/** Tells whether a container has no more than the member by which a path finds it. */
export function isEmptied(value: MaybeValue, step: PathStep | undefined): boolean {
  if (isList(value)) return value.length === 0;
  if (!isObject(value)) return false;
  return Object.keys(value).every((name) => typeof step === 'object' && step.where === name);
}

/** Compares two values, without regard to the order of members. */
export function isSameValue(left: MaybeValue, right: MaybeValue): boolean {
  if (left === right || Object.is(left, right)) return true;
  if (isList(left) && isList(right))
    return left.length === right.length && left.every((item, at) => isSameValue(item, right[at]));
  if (!isObject(left) || !isObject(right)) return false;
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && isSameValue(left[name], right[name]))
  );
}

/** Checks that a value is nested at most 256 levels deep. @throws ConfigFormatError */
export function checkDepth(root: MaybeValue): void {
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH + 1) throw tooDeep();
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values<ConfigValue>(value) : [],
    );
  }
}

/** Returns the error for a text that is nested too deeply. */
export function tooDeep(): ConfigFormatError {
  return new ConfigFormatError(`This file is nested more than ${MAX_DEPTH} levels deep.`);
}

/** Checks that a value can be written in every format. @throws ConfigFormatError */
export function checkWritable(value: ConfigValue): void {
  checkDepth(value);
  const values = [value];
  for (let next = values.pop(); next !== undefined; next = values.pop()) {
    if (typeof next === 'number' && !Number.isFinite(next))
      throw new ConfigFormatError(`The number ${next} cannot be written.`);
    if (typeof next === 'string' && !next.isWellFormed())
      throw new ConfigFormatError(
        'A text with half a character, a lone surrogate, cannot be written.',
      );
    if (isObject(next)) values.push(...Object.keys(next), ...Object.values(next));
    if (isList(next)) values.push(...next);
  }
}

function memberOf(value: MaybeValue, step: FoundStep): MaybeValue {
  if (isList(value)) return value[Number(step)];
  return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined;
}

function findStep(value: MaybeValue, step: PathStep, path: Path): FoundStep | null {
  if (typeof step === 'string') return isObject(value) && Object.hasOwn(value, step) ? step : null;
  if (!isList(value)) return null;
  const fits = (item: ConfigValue) => isObject(item) && memberOf(item, step.where) === step.is;
  const index = value.findIndex(fits);
  if (index !== value.findLastIndex(fits))
    throw new ConfigFormatError(`${formatPath(path)} is in this file twice. Remove one of them.`);
  return index === -1 ? null : index;
}

function replaceFound(
  root: MaybeValue,
  found: readonly FoundStep[],
  value: ConfigValue,
): ConfigValue {
  const [step, ...inner] = found;
  if (step === undefined) return value;
  const member = replaceFound(memberOf(root, step), inner, value);
  if (isList(root)) return root.with(Number(step), member);
  const members = Object.entries(isObject(root) ? root : {});
  return Object.fromEntries(members.map(([name, old]) => [name, name === step ? member : old]));
}

function addMember(parent: MaybeValue, path: Path, step: PathStep, value: ConfigValue) {
  const isMissing = parent === undefined || parent === null;
  if (typeof step === 'string' && (isMissing || isObject(parent)))
    return Object.fromEntries([...Object.entries(parent ?? {}), [step, value]]);
  if (typeof step === 'object' && (isMissing || isList(parent)))
    return [...(parent ?? []), buildItem(step, value)];
  const kind = typeof step === 'string' ? 'an object' : 'a list';
  throw new ConfigFormatError(
    `${formatPath(path)} cannot be set: the value around it is not ${kind}.`,
  );
}
