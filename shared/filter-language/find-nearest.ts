/** Names that differ in more characters are not taken for a mistake. */
const MAX_DISTANCE = 2;
const MAX_LENGTH = 24;

/** Returns the name that was probably meant; `null` when none is near. */
export function findNearest(typed: string, names: readonly string[]): string | null {
  if (typed.length > MAX_LENGTH) return null;
  let nearest: string | null = null;
  let least = Math.min(MAX_DISTANCE, Math.floor(typed.length / 2)) + 1;
  for (const name of names) {
    const distance = countEdits(typed, name);
    if (distance >= least) continue;
    nearest = name;
    least = distance;
  }
  return nearest;
}

/** Counts the characters to insert, delete, replace or swap with the next one (optimal string alignment). */
function countEdits(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const changed = (rows[i - 1]?.[j - 1] ?? 0) + (isSame ? 0 : 1);
      const edits = Math.min((rows[i - 1]?.[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, changed);
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row.push(isSwap ? Math.min(edits, (rows[i - 2]?.[j - 2] ?? 0) + 1) : edits);
    }
    rows.push(row);
  }
  return rows[one.length]?.[other.length] ?? 0;
}
