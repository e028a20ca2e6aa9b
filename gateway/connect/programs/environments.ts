import type { TextProtocol } from '../../../shared/chat/chat.ts';
import type { ProgramId } from '../../../shared/connect/connection.ts';
import { toCommandName } from '../find-program.ts';
import type { ConnectValues } from '../program.ts';
import { PROGRAMS } from './programs.ts';

type Variables = Readonly<Record<string, string>>;

/** A library or program that is connected by environment variables alone. */
export interface ConnectEnvironment {
  readonly name: string;
  /** The protocols that it speaks then, the usual one first. */
  readonly protocols: readonly [TextProtocol, ...TextProtocol[]];
  /** Whether the variables were tried with it, or taken from its documentation. */
  readonly checked: 'tried' | 'documented';
  readonly variables: (values: ConnectValues) => Variables;
  /** The command of a program whose settings files win over the variables; absent where the variables win. */
  readonly weakFor?: string;
  /** The command of a program that these variables connect, and no settings. */
  readonly command?: string;
}

/** The environments by their name on the command line. */
export const ENVIRONMENTS = {
  openai: {
    name: 'SDKs of OpenAI',
    protocols: ['chat', 'responses'],
    checked: 'tried',
    variables: openai,
  },
  anthropic: {
    name: 'SDKs of Anthropic',
    protocols: ['messages'],
    checked: 'tried',
    // Without /v1: the SDK adds it.
    variables: ({ root, key }) => ({ ANTHROPIC_BASE_URL: root, ANTHROPIC_API_KEY: key }),
  },
  ai: {
    name: 'Vercel AI SDK',
    protocols: ['responses', 'chat', 'messages'],
    checked: 'tried',
    // Its provider for Messages wants /v1, which the SDKs of Anthropic do not.
    variables: (values) => ({
      ...openai(values),
      ANTHROPIC_BASE_URL: values.v1,
      ANTHROPIC_API_KEY: values.key,
    }),
  },
  'claude-code': {
    name: 'Claude Code',
    protocols: ['messages'],
    checked: 'tried',
    variables: variablesOfStart('claude-code'),
    weakFor: 'claude',
  },
  'qwen-code': {
    name: 'Qwen Code',
    protocols: ['chat'],
    checked: 'tried',
    variables: (values) => ({ ...openai(values), OPENAI_MODEL: values.model.id }),
  },
  opencode: {
    name: 'opencode',
    protocols: ['chat'],
    checked: 'tried',
    variables: variablesOfStart('opencode'),
  },
  'copilot-cli': {
    name: 'Copilot CLI',
    command: 'copilot',
    protocols: ['chat'],
    checked: 'tried',
    variables: ({ v1, key, model }) => ({
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_BASE_URL: v1,
      COPILOT_PROVIDER_API_KEY: key,
      COPILOT_MODEL: model.id,
    }),
  },
  aider: {
    name: 'Aider',
    protocols: ['chat'],
    checked: 'documented',
    variables: variablesOfStart('aider'),
  },
  goose: {
    name: 'Goose',
    protocols: ['chat'],
    checked: 'documented',
    variables: variablesOfStart('goose'),
  },
  'open-webui': {
    name: 'Open WebUI',
    protocols: ['chat'],
    checked: 'documented',
    variables: ({ v1, key }) => ({ OPENAI_API_BASE_URLS: v1, OPENAI_API_KEYS: key }),
  },
} as const satisfies Readonly<Record<string, ConnectEnvironment>>;

/** Returns the environment that connects the program with this command; `null` when there is none. */
export function findEnvironmentByCommand(command: string): ConnectEnvironment | null {
  const all: readonly ConnectEnvironment[] = Object.values(ENVIRONMENTS);
  const name = toCommandName(command);
  return all.find((environment) => environment.command === name) ?? null;
}

function openai({ v1, key }: ConnectValues) {
  return { OPENAI_BASE_URL: v1, OPENAI_API_KEY: key };
}

/** Returns the variables with which one start of a program is connected. */
function variablesOfStart(id: ProgramId) {
  return (values: ConnectValues): Variables => PROGRAMS[id].start?.(values).environment ?? {};
}
