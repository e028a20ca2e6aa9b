import { basename, join } from 'node:path';
import type {
  ConnectableProgram,
  ConnectValues,
  DecidingSetting,
  ProgramFile,
  StartPlace,
  SettingsLayer,
  UserPlace,
} from '../program.ts';
import { fieldsOf } from './fields.ts';
import { listFiles, projectFolders } from './user-folders.ts';

/** The output that it asks for unless it is told a limit. */
const DEFAULT_OUTPUT = 32_000;

/** Claude Code: https://code.claude.com/docs/en/settings and https://code.claude.com/docs/en/llm-gateway. Tried with 2.1.332. */
export const claudeCode: ConnectableProgram = {
  id: 'claude-code',
  name: 'Claude Code',
  checked: 'tried',
  protocol: 'messages',
  commands: ['claude'],
  traces: (place) => [folder(place)],
  files: (place, values) => [settings(join(folder(place), 'settings.json'), values)],
  projectFiles: (project, values) => [
    settings(join(project, '.claude', 'settings.local.json'), values),
  ],
  layers,
  start: (values) => ({
    environment: { ...variables(values), ANTHROPIC_AUTH_TOKEN: values.key },
    // The variables in a settings file win over those of the shell, and these win over both. The key is in no argument.
    args: ['--settings', JSON.stringify({ apiKeyHelper: '', env: variables(values) })],
  }),
  notes: () => [
    'Start Claude Code again; /status shows the address that it uses.',
    'A model or an address in the settings of a project, .claude/settings.json or .claude/settings.local.json, wins over these settings.',
  ],
};

function folder({ home, environment }: UserPlace): string {
  return environment['CLAUDE_CONFIG_DIR'] || join(home, '.claude');
}

/** A helper that is set already would send another key beside the local one, unless it is blank. */
function settings(path: string, values: ConnectValues): ProgramFile {
  const env = { ...variables(values), ANTHROPIC_AUTH_TOKEN: values.key };
  return {
    path,
    format: 'json',
    plainJsonFor: 'Claude Code',
    fields: [...fieldsOf(['env'], env), ...fieldsOf([], { apiKeyHelper: '' })],
  };
}

/**
 * Returns the variables without the key. An ANTHROPIC_API_KEY of the shell is sent beside the token unless it is blank here. For a
 * model that it does not know Claude Code assumes a context window of a million tokens. Which agent sends a request, and how long
 * its tools ran, it says to a gateway only when it is asked to.
 */
function variables({ root, model, smallModel }: ConnectValues): Record<string, string> {
  const { contextWindow, maxOutput } = model;
  return {
    ANTHROPIC_BASE_URL: root,
    ANTHROPIC_API_KEY: '',
    ANTHROPIC_MODEL: model.id,
    ANTHROPIC_DEFAULT_FABLE_MODEL: model.id,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model.id,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model.id,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: smallModel.id,
    CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
    ...(contextWindow === null ? {} : { CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(contextWindow) }),
    ...(maxOutput === null || maxOutput >= DEFAULT_OUTPUT
      ? {}
      : { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(maxOutput) }),
  };
}

/** The variables that decide where it goes. Those of the clouds lead past any address. */
const VARIABLES: readonly DecidingSetting[] = [
  { decides: 'address', path: ['ANTHROPIC_BASE_URL'] },
  { decides: 'key', path: ['ANTHROPIC_AUTH_TOKEN'] },
  { decides: 'further-key', path: ['ANTHROPIC_API_KEY'], group: 'ANTHROPIC_API_KEY' },
  ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'].map(
    (name) =>
      ({
        decides: 'provider',
        path: [name],
        group: name,
        ours: /^(?:|0|false|no|off)$/iu,
      }) as const,
  ),
];

/**
 * Tried with the program on Linux: files of the organisation win, then that of the project's root, then those of the folder, then those of
 * the user. The variables in any of them win over those of the shell.
 */
function layers(place: StartPlace): readonly SettingsLayer[] {
  const { home, environment, folder: started } = place;
  const inEnv = VARIABLES.map((one) => ({ ...one, path: ['env', ...one.path] }));
  const inSettings: readonly DecidingSetting[] = [
    ...inEnv,
    { decides: 'further-key', path: ['apiKeyHelper'], group: 'apiKeyHelper' },
  ];
  const [root = started] = projectFolders(place);
  const project =
    started === null || root === null
      ? []
      : [
          projectSettings(started, 'settings.json'),
          ...[...new Set([started, root])].map((at) => projectSettings(at, 'settings.local.json')),
        ];
  const files = [join(folder(place), 'settings.json'), ...project, ...managedSettings(place)];
  return [
    { file: null, settings: VARIABLES },
    toLayer(join(environment['CLAUDE_CONFIG_DIR'] || home, '.claude.json'), inEnv),
    ...files.map((path) => toLayer(path, inSettings)),
  ];
}

function toLayer(path: string, decisive: readonly DecidingSetting[]): SettingsLayer {
  return {
    file: { path, format: 'json', plainJsonFor: 'Claude Code' },
    settings: decisive,
  };
}

function projectSettings(at: string, name: string): string {
  return join(at, '.claude', name);
}

/** Returns the file of the organisation, and those of the folder beside it, weakest first. */
function managedSettings(place: UserPlace): readonly string[] {
  const path = join(managedFolder(place), 'managed-settings.json');
  const more = listFiles(join(managedFolder(place), 'managed-settings.d'), '.json');
  return [path, ...more.filter((file) => !basename(file).startsWith('.'))];
}

function managedFolder({ platform }: UserPlace): string {
  if (platform === 'win32') return String.raw`C:\Program Files\ClaudeCode`;
  return platform === 'darwin' ? '/Library/Application Support/ClaudeCode' : '/etc/claude-code';
}
