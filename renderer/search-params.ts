/** Reads one value of the URL's search parameters; `undefined` when it is not valid. */
export type ReadParam<Value> = (value: unknown) => Value | undefined;

/** The values of search parameters whose readers are `Readers`. */
export type SearchOf<Readers extends Readonly<Record<string, ReadParam<unknown>>>> = {
  -readonly [Name in keyof Readers]?: ReturnType<Readers[Name]>;
};

/**
 * Creates a function that reads search parameters and drops invalid values. It needs no schemas: they would make up a tenth
 * of the code of the first screen.
 */
export function searchReader<Readers extends Readonly<Record<string, ReadParam<unknown>>>>(
  readers: Readers,
): (search: Readonly<Record<string, unknown>>) => SearchOf<Readers> {
  return (search) => {
    const read = Object.entries(readers).map(([name, readValue]) => [
      name,
      readValue(search[name]),
    ]);
    // Each value comes from the reader of the same name.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return Object.fromEntries(read) as SearchOf<Readers>;
  };
}

/** Reads a text of at most `max` characters. */
export function textUpTo(max: number): ReadParam<string> {
  return (value) => (typeof value === 'string' && value.length <= max ? value : undefined);
}

const MAX_ID_LENGTH = 64;

/** Reads an id of the kind that the caller names. The engine decides whether it exists. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- ids differ in their types only
export function readId<Id extends string>(value: unknown): Id | undefined {
  const isId = typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_LENGTH;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an id is any such text
  return isId ? (value as Id) : undefined;
}

/** Reads one of the options. */
export function oneOf<Option extends string>(options: readonly Option[]): ReadParam<Option> {
  return (value) => options.find((option) => option === value);
}

/** Reads `true` or `false`. */
export function readFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
