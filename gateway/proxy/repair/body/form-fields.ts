/** The value of a form field, once names such as `a[b]` and `a[]` are parsed as nested members and lists. */
export type FormValue = string | FormValue[] | FormMembers;
export type FormMembers = Map<string, FormValue>;

/** Matches a name with brackets, such as `conditions[][url]`, in which the official SDKs write nested values. */
const NESTED = /^([^[\]]+)((?:\[[^[\]]*\]){1,8})$/u;

/**
 * Converts form fields to the members of an object, in their order.
 * `a=1` → `{a: "1"}` · `a=1&a=2` → `{a: ["1", "2"]}` · `a[]=1` → `{a: ["1"]}` · `a[b]=1` → `{a: {b: "1"}}` ·
 * `a[][b]=1&a[][c]=2&a[][b]=3` → `{a: [{b: "1", c: "2"}, {b: "3"}]}`. A name that contradicts an earlier one (`a=1&a[b]=2`) is taken
 * literally.
 */
export function toFormMembers(
  fields: Iterable<readonly [name: string, value: string]>,
): FormMembers {
  const members: FormMembers = new Map();
  for (const [name, value] of fields) {
    const path = parseFieldPath(name);
    if (!setNested(members, path, value)) setNested(members, [name], value);
  }
  return members;
}

/** Converts a form value to plain JSON. */
export function toJson(value: FormValue): unknown {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(toJson);
  return Object.fromEntries([...value].map(([name, member]) => [name, toJson(member)]));
}

function parseFieldPath(name: string): string[] {
  const [, first, brackets = ''] = NESTED.exec(name) ?? [];
  if (first === undefined) return [name];
  return [first, ...brackets.slice(1, -1).split('][')];
}

/** Sets a nested value; returns false when the path contradicts a value that is there already. */
function setNested(
  members: FormMembers,
  [name = '', ...inner]: readonly string[],
  value: string,
): boolean {
  const present = members.get(name);
  if (inner.length === 0) return setText(members, name, value);
  if (inner[0] === '') {
    const list = present ?? [];
    if (!Array.isArray(list)) return false;
    members.set(name, list);
    return setInList(list, inner.slice(1), value);
  }
  const object = present ?? new Map<string, FormValue>();
  if (!(object instanceof Map)) return false;
  members.set(name, object);
  return setNested(object, inner, value);
}

function setText(members: FormMembers, name: string, value: string): boolean {
  const present = members.get(name);
  if (present instanceof Map) members.set(name, [present, value]);
  else if (Array.isArray(present)) present.push(value);
  else members.set(name, present === undefined ? value : [present, value]);
  return true;
}

function setInList(list: FormValue[], inner: readonly string[], value: string): boolean {
  if (inner.length === 0) return list.push(value) > 0;
  const last = list.at(-1);
  const continuesLast = last instanceof Map && (inner.length > 1 || !last.has(inner[0] ?? ''));
  const object: FormMembers = continuesLast ? last : new Map<string, FormValue>();
  if (!continuesLast) list.push(object);
  return setNested(object, inner, value);
}
