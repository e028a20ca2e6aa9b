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
  /** Which of its class it is, such as `auto` for a compaction, or what a small task is for. */
  requestKind: Text.default(null),
  /** The id of the prompt of a person that it serves. */
  prompt: Text,
  /** The id of the turn that it is part of. */
  turn: Text,
  /** The address of the repository that the agent works on, without credentials, or its folder where it has none. */
  project: Text,
  /** How long tools ran since the request before, as sent: `Bash=742;Read=9`, in milliseconds, names in percent-encoding. */
  toolTimes: Text,
});
export type Sender = z.infer<typeof Sender>;

/** A client that says nothing of the agent. */
export const SILENT_SENDER: Sender = {
  agent: null,
  parent: null,
  agentType: null,
  requestClass: null,
  requestKind: null,
  prompt: null,
  turn: null,
  project: null,
  toolTimes: null,
};

/** Adds the project of an agent unless its client names one. */
export function withProject(sender: Sender | null, project: string | null): Sender | null {
  if (project === null || (sender !== null && sender.project !== null)) return sender;
  return { ...(sender ?? SILENT_SENDER), project };
}

/**
 * Returns the address of a repository without a user name and password that are part of it, and without its query, which may have a
 * token. The user of `git@host:path` is no secret.
 */
export function withoutCredentials(address: string): string {
  return address
    .trim()
    .replace(/^(?<start>(?:[a-z\d-]+::)*(?:[a-z][a-z\d+.-]*:)?\/\/)[^/]*@/iu, '$<start>')
    .replace(/^[^/\\@:]*:[^/\\]*@/u, '')
    .replace(/^(?<place>(?:[a-z\d-]+::)*(?:[a-z][a-z\d+.-]*:)?\/\/[^?#]*).*$/isu, '$<place>');
}

/** Describes for people what a client says of an agent, a name and a text for each thing. */
export function describeSender(sender: Sender): readonly (readonly [name: string, text: string])[] {
  const { agent, parent, agentType, requestClass, requestKind, prompt, turn } = sender;
  const { project, toolTimes } = sender;
  const texts = [
    ['Agent', [agentType, agent].filter((text) => text !== null).join(' ')],
    ['Started by', parent],
    ['Purpose', [requestClass, requestKind].filter((text) => text !== null).join(', ')],
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
