import type { AgentPackage, AgentProgram, TaskFiles, ToolCall } from '../program.ts';
import { MODEL } from '../script.ts';

const AI = { name: 'ai', version: '7.0.173', command: 'ai.mjs' };

/** The libraries, each with an agent of one prompt from `scripts/`. */
export const LIBRARIES: readonly AgentProgram[] = [
  {
    id: 'openai',
    title: 'OpenAI SDK',
    package: { name: 'openai', version: '7.59.0', command: 'openai.mjs' },
    protocol: 'chat',
    ...connectedBy('openai'),
  },
  {
    id: 'anthropic',
    title: 'Anthropic SDK',
    package: { name: '@anthropic-ai/sdk', version: '1.14.0', command: 'anthropic.mjs' },
    protocol: 'messages',
    ...connectedBy('anthropic'),
  },
  vercel('openai', 'responses', { '@ai-sdk/openai': '4.0.118' }),
  vercel('anthropic', 'messages', { '@ai-sdk/anthropic': '4.0.105' }),
  vercel('compatible', 'chat', { '@ai-sdk/openai-compatible': '3.0.92' }),
  {
    id: 'langchain',
    title: 'LangChain JS',
    package: {
      name: '@langchain/openai',
      version: '1.6.0',
      command: 'langchain.mjs',
      beside: { '@langchain/core': '1.4.0' },
    },
    protocol: 'chat',
    ...connectedBy('openai'),
  },
];

function vercel(
  provider: string,
  protocol: AgentProgram['protocol'],
  beside: NonNullable<AgentPackage['beside']>,
): AgentProgram {
  return {
    id: `ai-${provider}`,
    title: `Vercel AI SDK, ${Object.keys(beside).join(', ')}`,
    package: { ...AI, beside },
    protocol,
    ...connectedBy('ai', { TRIAL_PROVIDER: provider }),
  };
}

/** Returns all about a script but its package. `variables`: the name for `gatehouse env` */
function connectedBy(variables: string, environment: Readonly<Record<string, string>> = {}) {
  return {
    variables,
    environment: { TRIAL_MODEL: MODEL, ...environment },
    toArguments: (prompt: string) => [prompt],
    image: (prompt: string, file: string) => ['--image', file, prompt],
    callTools,
  };
}

function callTools({
  path,
  before,
  after,
  command,
}: TaskFiles): readonly [ToolCall, ToolCall, ToolCall] {
  return [
    { name: 'read', input: { path } },
    { name: 'edit', input: { path, before, after } },
    { name: 'run', input: { command } },
  ];
}
