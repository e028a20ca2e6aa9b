/** Returns a name, or the first of `NAME 2`, `NAME 3` …, that is not among others, regardless of case. */
export function findFreeName(name: string, others: readonly string[]): string {
  const taken = new Set(others.map((other) => other.toLowerCase()));
  let free = name;
  for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${name} ${count}`;
  return free;
}
