/** A value in a configuration file: JSON's values. Dates of TOML and YAML are read as their text. */
export type ConfigValue =
  | string
  | number
  | boolean
  | null
  | readonly ConfigValue[]
  | { readonly [name: string]: ConfigValue };

/** A list item that is found by its content: its member `where` is `is`. */
export interface ItemStep {
  readonly where: string;
  readonly is: string;
}

/** One step of a path: the name of a member, or a list item that is found by its content. */
export type PathStep = string | ItemStep;

/** A value that a file shall have at a path. */
export interface ConfigField {
  readonly path: readonly PathStep[];
  readonly value: ConfigValue;
}

/** A path that a file shall no longer have. */
export interface RemovedField {
  readonly path: readonly PathStep[];
  /**
   * How many of the members around it are removed too, innermost first, as long as they are empty then. A list item is empty
   * when it has only the member by which it is found.
   */
  readonly emptyParents: number;
}

/**
 * A format of configuration files, whose texts are edited without disturbing the rest of them: comments, order, indentation,
 * line ends and a byte order mark stay. Every function throws a ConfigFormatError for a text that cannot be parsed, that is
 * larger than 10 MB or nested more than 256 levels deep.
 */
export interface ConfigFormat {
  /** Returns the value at a path; `undefined` when there is none. The empty path stands for the whole text. */
  read(text: string, path: readonly PathStep[]): ConfigValue | undefined;
  /**
   * Returns the text with the values of all fields. Parents that are missing are created, a list item that is not found is
   * appended, and an existing value is replaced in place; an object member by member, so that its comments stay.
   * @throws ConfigFormatError when that is impossible without changing anything else
   */
  set(text: string, fields: readonly ConfigField[]): string;
  /**
   * Returns the text without the fields; a field that is absent changes nothing. Comments stay, also those inside of a removed
   * value. It undoes `set` byte for byte when it gets the same fields in the same order, none of them was in the text before,
   * and each `emptyParents` was counted before by `countMissingParents`. In another order, or one by one, a blank line may be
   * left or lost.
   * @throws ConfigFormatError when that is impossible without changing anything else
   */
  remove(text: string, fields: readonly RemovedField[]): string;
}
