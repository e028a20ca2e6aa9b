import type { ConfigField, ConfigValue, PathStep } from '../edit/config-format.ts';
import type {
  ConnectValues,
  DecidingSetting,
  KnownModel,
  ProgramFile,
  SettingsLayer,
} from '../program.ts';

/** Creates the fields of one object; members that are `undefined` are left out. */
export function fieldsOf(
  parent: readonly PathStep[],
  members: Readonly<Record<string, ConfigValue | undefined>>,
): readonly ConfigField[] {
  return Object.entries(members).flatMap(([name, value]) =>
    value === undefined ? [] : [{ path: [...parent, name], value }],
  );
}

/** Returns the models of a connection, each once. */
export function modelsOf({ model, smallModel }: ConnectValues): readonly KnownModel[] {
  return model.id === smallModel.id ? [model] : [model, smallModel];
}

/** Returns the context window of a model in tokens, for programs that need a number even when the service does not say it. */
export function assumedContextWindow({ contextWindow }: KnownModel): number {
  return contextWindow ?? 128_000;
}

/** Creates the layers of files that have the same settings. */
export function layersOf(
  format: ProgramFile['format'],
  settings: readonly DecidingSetting[],
  paths: readonly string[],
): readonly SettingsLayer[] {
  return paths.map((path) => ({ file: { path, format }, settings }));
}
