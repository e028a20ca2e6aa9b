import { z } from 'zod';
import { formatDuration } from '../format.ts';

const Text = z.string().nullable();

/**
 * What a client says of the agent that sent a request, in its own words: programs add names and values with each version. A field is
 * `null` when the client does not say it.
 */
export const Sender = z.object({
  /** The id of the agent or thread within its session; the first agent of a session often has none. */
  agent: Text,
  /** The id of the agent, thread or session that started it. */
  parent: Text,
  /** The kind of agent, such as `Explore` or `review`. */
  agentType: Text,
  /** What the request is for, such as `main`, `subagent`, `compaction`, `auxiliary` or `turn`. */
  requestClass: Text,
  /** The id of the prompt of a person that it serves. */
  prompt: Text,
  /** The id of the turn that it is part of. */
  turn: Text,
  /** The address of the repository that the agent works on, without credentials. */
  project: Text,
  /** How long tools ran since the request before, as sent: `Bash=742;Read=9`, in milliseconds, names in percent-encoding. */
  toolTimes: Text,
});
export type Sender = z.infer<typeof Sender>;

/** Describes for people what a client says of an agent, a name and a text for each thing. */
export function describeSender(sender: Sender): readonly (readonly [name: string, text: string])[] {
  const { agent, parent, agentType, requestClass, prompt, turn, project, toolTimes } = sender;
  const texts = [
    ['Agent', [agentType, agent].filter((text) => text !== null).join(' ')],
    ['Started by', parent],
    ['Purpose', requestClass],
    ['Prompt', prompt],
    ['Turn', turn],
    ['Project', project],
    ['Tools before', toolTimes === null ? null : formatToolTimes(toolTimes)],
  ] as const;
  return texts.flatMap(([name, text]) => (text === null || text === '' ? [] : [[name, text]]));
}

function formatToolTimes(text: string): string {
  return parseToolTimes(text)
    .map(({ name, ms }) => `${name} ${formatDuration(ms)}`)
    .join(', ');
}

/** How long a tool ran. */
interface ToolTime {
  readonly name: string;
  readonly ms: number;
}

const TOOL_TIME = /^(?<name>[^=]+)=(?<ms>\d{1,9})$/u;

/** Reads {@link Sender} `toolTimes`; entries of another form are left out. */
function parseToolTimes(text: string): readonly ToolTime[] {
  return text.split(';').flatMap((entry) => {
    const { name, ms } = TOOL_TIME.exec(entry.trim())?.groups ?? {};
    return name === undefined ? [] : [{ name: decodeName(name), ms: Number(ms) }];
  });
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
