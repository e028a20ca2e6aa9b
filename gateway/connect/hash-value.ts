import type { ConfigValue } from './edit/config-format.ts';
import { hashBytes } from './write-file.ts';

/** Returns a hash of a value that does not depend on the order of members. */
export function hashValue(value: ConfigValue): string {
  return hashBytes(Buffer.from(JSON.stringify(sortMembers(value))));
}

function sortMembers(value: ConfigValue): unknown {
  if (Array.isArray(value)) return value.map(sortMembers);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  // A list keeps names such as `__proto__`.
  return { members: members.map(([name, member]) => [name, sortMembers(member)]) };
}
