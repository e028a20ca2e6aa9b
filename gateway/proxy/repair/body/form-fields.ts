/** What a form holds under a name, once names like `a[b]` and `a[]` are read as places. */
export type FormValue = string | FormValue[] | FormMembers;
export type FormMembers = Map<string, FormValue>;

/** `conditions[][url]`: a name and places in brackets, as the official SDKs write what is nested. */
const NESTED = /^([^[\]]+)((?:\[[^[\]]*\]){1,8})$/u;

/**
 * Fields of a form as members of an object, in their order. A field that comes again makes a list; `a[]` is one from the start, and
 * an object in a list ends where one of its members would come again. A name that contradicts an earlier one is taken literally.
 */
export function toFormMembers(
  fields: Iterable<readonly [name: string, value: string]>,
): FormMembers {
  const members: FormMembers = new Map();
  for (const [name, value] of fields) {
    const places = parseFieldPath(name);
    if (!put(members, places, value)) put(members, [name], value);
  }
  return members;
}

/** The same as plain JSON. */
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

/** False when something else lies there already. */
function put(
  members: FormMembers,
  [name = '', ...inner]: readonly string[],
  value: string,
): boolean {
  const present = members.get(name);
  if (inner.length === 0) return putText(members, name, value);
  if (inner[0] === '') {
    const list = present ?? [];
    if (!Array.isArray(list)) return false;
    members.set(name, list);
    return putInList(list, inner.slice(1), value);
  }
  const object = present ?? new Map<string, FormValue>();
  if (!(object instanceof Map)) return false;
  members.set(name, object);
  return put(object, inner, value);
}

function putText(members: FormMembers, name: string, value: string): boolean {
  const present = members.get(name);
  if (present instanceof Map) members.set(name, [present, value]);
  else if (Array.isArray(present)) present.push(value);
  else members.set(name, present === undefined ? value : [present, value]);
  return true;
}

function putInList(list: FormValue[], inner: readonly string[], value: string): boolean {
  if (inner.length === 0) return list.push(value) > 0;
  const last = list.at(-1);
  const goesOn = last instanceof Map && (inner.length > 1 || !last.has(inner[0] ?? ''));
  const object: FormMembers = goesOn ? last : new Map<string, FormValue>();
  if (!goesOn) list.push(object);
  return put(object, inner, value);
}
