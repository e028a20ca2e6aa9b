import { type Sender, withoutCredentials } from '../../../shared/exchange/sender.ts';
import type { RawHeaders } from '../../http/headers.ts';
import {
  asObject,
  filterObjects,
  type JsonObject,
  nonEmptyString,
  parseJsonObject,
} from '../../lib/json-object.ts';
import { copyString } from '../in-flight-exchange.ts';

/** Whose request it is, as its client says. */
export interface SenderFacts {
  /** The id of the session; `null` when the client names none. */
  readonly session: string | null;
  /** The id of the session whose agent started this one; `null` for none. */
  readonly parentSession: string | null;
  /** `null` when the client says nothing of the agent. */
  readonly sender: Sender | null;
}

type Fact = 'session' | 'parentSession' | 'metadata' | Exclude<keyof Sender, 'turn' | 'project'>;

/**
 * What programs say of their agents in headers. Claude Code: `x-claude-code-…`; Codex: `session-id`, `thread-id`, `x-codex-…`,
 * `x-openai-subagent`; opencode: `x-session-id`, `x-session-affinity`, `x-parent-session-id`, and `x-opencode-session` to its own service; pi and Roo:
 * `session_id`; Kilo: `x-session-id`; Goose: `agent-session-id`; the last two are conventions of gateways. Of several that say the
 * same the first in this list counts.
 */
const HEADERS: readonly (readonly [header: string, fact: Fact])[] = [
  ['x-claude-code-session-id', 'session'],
  ['session-id', 'session'],
  ['session_id', 'session'],
  ['x-opencode-session', 'session'],
  ['x-session-id', 'session'],
  ['x-session-affinity', 'session'],
  ['agent-session-id', 'session'],
  ['x-litellm-session-id', 'session'],
  ['helicone-session-id', 'session'],
  ['x-parent-session-id', 'parentSession'],
  ['x-claude-code-agent-id', 'agent'],
  ['thread-id', 'agent'],
  ['thread_id', 'agent'],
  ['x-claude-code-parent-agent-id', 'parent'],
  ['x-codex-parent-thread-id', 'parent'],
  ['x-claude-code-agent-type', 'agentType'],
  ['x-openai-subagent', 'agentType'],
  ['x-claude-code-request-class', 'requestClass'],
  ['x-claude-code-compaction', 'requestKind'],
  ['x-claude-code-auxiliary-type', 'requestKind'],
  ['x-claude-code-prompt-id', 'prompt'],
  ['x-claude-code-prev-tool-durations', 'toolTimes'],
  ['x-codex-turn-metadata', 'metadata'],
];

const RANKS: ReadonlyMap<string, number> = new Map(
  HEADERS.map(([header], rank) => [header, rank] as const),
);

const MAX_ID = 200;
const MAX_TEXT = 1_000;
/** A longer one is no description of a turn. */
const MAX_METADATA = 8 * 1024;
const MAX_WORKSPACES = 20;

export const NOBODY: SenderFacts = { session: null, parentSession: null, sender: null };

/** Reads whose request it is from its headers. Never throws: what has another form than expected is left out. */
export function readSender(headers: RawHeaders): SenderFacts {
  const found = findFacts(headers);
  if (found === null) return NOBODY;
  const turn = readTurn(found.metadata);
  const agent = toId(found.agent);
  const parentSession = toId(found.parentSession);
  const sender: Sender = {
    agent,
    parent: toId(found.parent) ?? parentSession ?? toId(turn['parent_thread_id']),
    agentType: toId(found.agentType) ?? toId(turn['subagent_kind']),
    requestClass: toId(found.requestClass) ?? toId(turn['request_kind']),
    requestKind: toId(found.requestKind),
    prompt: toId(found.prompt),
    turn: toId(turn['turn_id']),
    project: findProject(turn['workspaces']),
    toolTimes: cut(found.toolTimes ?? null, MAX_TEXT),
  };
  const isSilent = Object.values(sender).every((value) => value === null);
  return {
    session: toId(found.session) ?? agent,
    parentSession,
    sender: isSilent ? null : sender,
  };
}

/**
 * Reads whose request it is from its body: `client_metadata`, in which Codex repeats its headers; `metadata.user_id`, where
 * Claude Code names its session; `session_id`, a convention of gateways; `conversation` of the Responses API. Never throws.
 */
export function readSenderInBody({ metadata, conversation, ...members }: JsonObject): SenderFacts {
  const named = Object.entries(asObject(members['client_metadata']) ?? {});
  const pairs = named.flatMap(([name, value]) => (typeof value === 'string' ? [name, value] : []));
  const { session, ...facts } = readSender(pairs);
  return {
    ...facts,
    session:
      session ??
      findSession(nonEmptyString(asObject(metadata)?.['user_id'])) ??
      toId(members['session_id']) ??
      toId(asObject(conversation)?.['id'] ?? conversation),
  };
}

/** Finds the session in Claude Code's name of a user: JSON with `session_id`, or `user_…_session_…` of its earlier versions. */
function findSession(user: string | null): string | null {
  if (user === null) return null;
  return toId(
    parseJsonObject(user)?.['session_id'] ??
      /_session_(?<id>[\da-f-]{36})$/iu.exec(user)?.groups?.['id'],
  );
}

type Found = { [fact in Fact]?: string };

function findFacts(headers: RawHeaders): Found | null {
  let found: Found | null = null;
  const ranks: { [fact in Fact]?: number } = {};
  for (let at = 0; at < headers.length; at += 2) {
    const rank = RANKS.get(headers[at]?.toLowerCase() ?? '');
    if (rank === undefined) continue;
    const fact = HEADERS[rank]?.[1];
    const value = headers[at + 1];
    if (fact === undefined || value === undefined || value === '') continue;
    if (rank >= (ranks[fact] ?? HEADERS.length)) continue;
    found ??= {};
    found[fact] = value;
    ranks[fact] = rank;
  }
  return found;
}

function readTurn(text: string | undefined): JsonObject {
  if (text === undefined || text.length > MAX_METADATA) return {};
  return parseJsonObject(text) ?? {};
}

/** Returns the address of the first repository in Codex's `workspaces`: `{ "/path": { "associated_remote_urls": { "origin": "…" } } }`. */
function findProject(workspaces: unknown): string | null {
  const listed = Object.values(asObject(workspaces) ?? {}).slice(0, MAX_WORKSPACES);
  for (const workspace of filterObjects(listed)) {
    const remotes = asObject(workspace['associated_remote_urls']) ?? {};
    const address = nonEmptyString(remotes['origin'] ?? Object.values(remotes)[0]);
    if (address !== null) return cut(withoutCredentials(address), MAX_TEXT);
  }
  return null;
}

function toId(value: unknown): string | null {
  return cut(nonEmptyString(value), MAX_ID);
}

function cut(text: string | null, length: number): string | null {
  return text === null || text.length <= length ? text : copyString(text.slice(0, length));
}
