import { hash } from 'node:crypto';
import type { EarlierMessages, StoredBody } from '../../../shared/exchange/body.ts';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import {
  isObject,
  type JsonObject,
  toList,
  toName,
  toObject,
  tryParse,
} from '../../../shared/parse-bodies/json.ts';
import {
  parseChatMessage,
  parseContent,
  parseResponsesItem,
  toItemRole,
} from '../../../shared/parse-bodies/parse-content.ts';
import { CACHE_MARK } from '../../../shared/run/cache-miss.ts';
import type { Part } from '../../../shared/parse-bodies/parts.ts';
import { salvageRequest } from '../../../shared/parse-bodies/salvage.ts';

/** A message, an item, a system text or a tool of a request. */
export interface OutlineItem {
  /** Its role, or the name of a tool. */
  readonly name: string | null;
  /** Its JSON, without the marks for the cache, which move from request to request. */
  readonly json: string;
  readonly digest: string;
  /** Whether it has a mark for the cache. */
  readonly isMarked: boolean;
  /** Whether it is a member of the list of messages, and not of a field of its own. */
  readonly isListed: boolean;
  readonly parts: readonly Part[];
  /** The way to it in the request; empty where its place is not known. */
  readonly path: JsonPath;
}

/** The names and places that lead to a value in JSON. */
export type JsonPath = readonly (string | number)[];

/** A request in the parts by which requests of one run are compared. */
export interface RequestOutline {
  readonly system: readonly OutlineItem[];
  readonly tools: readonly OutlineItem[];
  /** The messages after the system's; those before a missing middle only. */
  readonly messages: readonly OutlineItem[];
  /** The messages after a missing middle. */
  readonly tail: readonly OutlineItem[];
  /** The other fields by which services cache, in JSON, without those that are missing. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Whether its middle is missing. */
  readonly isCut: boolean;
  /** What it continues; `null` when it has all messages of its conversation. */
  readonly continues: Continued | null;
  /** What was put before its own messages; `null` when nothing was. */
  readonly earlier: Earlier | null;
}

/** The response that a request continues: it sends only what is new, and the service has the rest. */
export interface Continued {
  /** Ids of which an earlier exchange has one. */
  readonly ids: readonly string[];
  /** Whether it is the thread of a Messages request, which leaves out its system prompt and its tools, too. */
  readonly isThread: boolean;
}

/** The messages before those of a request that sent only what is new. */
export interface Earlier {
  /** The exchange whose response it continues; `null` when that is not kept. */
  readonly previous: ExchangeId | null;
  readonly items: readonly OutlineItem[];
  /** The place in them before which some are missing, in the middle of a request; `null` for none. */
  readonly gap: number | null;
  readonly start: EarlierMessages['start'];
  /** Whether a response among them is not complete. */
  readonly isCutOff: boolean;
  /** Whether one of the responses shares its id with another one. */
  readonly isAmbiguous: boolean;
}

/** Length of a digest in bytes of its text. 64 bits: no two messages of a client have the same by chance. */
const DIGEST_LENGTH = 16;
/** The members of a message or a tool that may have marks for the cache. Elsewhere, as in the input of a tool, it is any field. */
const MARKED_MEMBERS: readonly string[] = ['content', 'function'];
/** Fields that become part of what a model reads, that choose its cache, or that some services cache by. */
const PARAMETERS: readonly string[] = [
  'thinking',
  'reasoning',
  'reasoning_effort',
  'output_config',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'text',
  'service_tier',
  'speed',
  'prompt_cache_key',
  'prompt_cache_retention',
  'context_management',
  'temperature',
  'top_p',
  'top_k',
];
/** Roles of messages that instruct the model. */
export const SYSTEM_ROLES: ReadonlySet<string | null> = new Set(['system', 'developer']);

/** Characters of an id by which a request names what it continues; longer ones are none. */
export const MAX_ID = 512;
/** Number of ids that are read of one thread. */
const MAX_IDS = 8;

/** The messages of a request as it was sent, and what it continues. */
type OutlinedMessages = Pick<RequestOutline, 'tail' | 'isCut' | 'continues'> & {
  /** Those before a missing middle, those of the system among them. */
  readonly items: readonly OutlineItem[];
};

/**
 * Outlines the messages of a request whose places in it do not matter; `null` when it is no request for an answer. Costs less than
 * `outlineRequest`. Never throws.
 */
export function outlineMessages(
  protocol: TextProtocol,
  { text, omitted }: Pick<StoredBody, 'text' | 'omitted'>,
): OutlinedMessages | null {
  const { fields, before, after } = readRequest(protocol, text, omitted);
  const continues = findContinued(protocol, fields);
  if (before.length + after.length === 0 && continues === null) return null;
  const toItems = (values: readonly unknown[]) =>
    values.map((value) => toItem(protocol, value, []));
  return { items: toItems(before), tail: toItems(after), isCut: omitted !== null, continues };
}

/** Outlines a request as it was sent; `null` when it is no request for an answer. Never throws. */
export function outlineRequest(
  protocol: TextProtocol,
  { text, omitted }: Pick<StoredBody, 'text' | 'omitted'>,
): RequestOutline | null {
  const { fields, before, after } = readRequest(protocol, text, omitted);
  const continues = findContinued(protocol, fields);
  if (before.length + after.length === 0 && continues === null) return null;
  const list = protocol === 'responses' ? 'input' : 'messages';
  const all = before.map((value, place) => toItem(protocol, value, [list, place]));
  const first = all.findIndex(({ name }) => !SYSTEM_ROLES.has(name));
  const system = first === -1 ? all : all.slice(0, first);
  const instructions = protocol === 'messages' ? 'system' : 'instructions';
  const ownSystem = protocol === 'chat' ? [] : toSystemItems(fields[instructions], instructions);
  const toolField = fields['tools'] === undefined ? 'functions' : 'tools';
  const tools = toList(fields[toolField]).map((value, at) => toToolItem(value, [toolField, at]));
  const tail = after.map((value) => toItem(protocol, value, []));
  const isMarked =
    isMark(fields[CACHE_MARK]) ||
    [ownSystem, all, tools, tail].some((items) => items.some((item) => item.isMarked));
  return {
    system: [...ownSystem, ...system],
    tools,
    messages: first === -1 ? [] : all.slice(first),
    tail,
    parameters: new Map([
      ...PARAMETERS.flatMap((name) =>
        fields[name] === undefined ? [] : [[name, stringify(fields[name]).json] as const],
      ),
      // The marks move from request to request, so only whether there are any is compared.
      ...(isMarked ? [[CACHE_MARK, 'true'] as const] : []),
    ]),
    isCut: omitted !== null,
    continues,
    earlier: null,
  };
}

/** Puts the messages of the requests and responses before a request in front of its own. */
export function prependEarlier(request: RequestOutline, earlier: Earlier): RequestOutline {
  const { items, gap } = earlier;
  const own = splitSystem(request);
  const all = [...items, ...own.items];
  const whole = gap === null ? all : all.slice(0, gap);
  const first = whole.findIndex(({ name }) => !SYSTEM_ROLES.has(name));
  return {
    ...request,
    system: [...own.system, ...(first === -1 ? whole : whole.slice(0, first))],
    messages: first === -1 ? [] : whole.slice(first),
    tail: [...(gap === null ? [] : all.slice(gap)), ...request.tail],
    isCut: request.isCut || gap !== null,
    earlier,
  };
}

/** Returns the system prompt of a request, and all items of its list before a missing middle, those of the system among them. */
export function splitSystem({ system, messages }: RequestOutline): {
  readonly system: readonly OutlineItem[];
  readonly items: readonly OutlineItem[];
} {
  return {
    system: system.filter(({ isListed }) => !isListed),
    items: [...system.filter(({ isListed }) => isListed), ...messages],
  };
}

function findContinued(protocol: TextProtocol, fields: JsonObject): Continued | null {
  if (protocol === 'responses') {
    const id = toName(fields['previous_response_id']);
    return id === null ? null : { ids: id.length > MAX_ID ? [] : [id], isThread: false };
  }
  const thread = toObject(fields['thread']);
  const isThread = protocol === 'messages' && thread['type'] === 'continue';
  const isBare = fields['system'] === undefined && toList(fields['tools']).length === 0;
  return isThread && isBare ? { ids: listThreadIds(thread), isThread } : null;
}

/** Lists the texts of a thread that may be ids. The names of its members are not known. */
export function listThreadIds(thread: unknown): readonly string[] {
  return Object.entries(toObject(thread))
    .flatMap(([name, value]) => (name === 'type' ? [] : (toName(value) ?? [])))
    .filter((id) => id.length <= MAX_ID)
    .slice(0, MAX_IDS);
}

/** Makes an item of a message that a model wrote, from its answer. */
export function outlineAnswer(protocol: TextProtocol, value: JsonObject): OutlineItem {
  return toItem(protocol, value, []);
}

function readRequest(protocol: TextProtocol, text: string, omitted: StoredBody['omitted']) {
  if (omitted !== null) return salvageRequest(text, omitted);
  const fields = toObject(tryParse(text));
  const list = fields[protocol === 'responses' ? 'input' : 'messages'];
  const before = typeof list === 'string' ? [{ role: 'user', content: list }] : toList(list);
  return { fields, before, after: [] };
}

function toSystemItems(value: unknown, field: string): OutlineItem[] {
  if (value === undefined || value === null || value === '') return [];
  if (!Array.isArray(value))
    return [
      new Item('system', value, () => parseContent(value), { path: [field], isListed: false }),
    ];
  const blocks = value as readonly unknown[];
  return blocks.map(
    (block, place) =>
      new Item('system', block, () => parseContent(block), {
        path: [field, place],
        isListed: false,
      }),
  );
}

function toToolItem(value: unknown, path: JsonPath): OutlineItem {
  const tool = toObject(value);
  const fields = isObject(tool['function']) ? tool['function'] : tool;
  return new Item(toName(fields['name']) ?? toName(tool['type']), value, () => [], {
    path,
    isListed: false,
  });
}

function toItem(protocol: TextProtocol, value: unknown, path: JsonPath): OutlineItem {
  const message = toObject(value);
  const role = toName(message['role']) ?? toItemRole(message['type']);
  return new Item(role, value, () => parseMessage(protocol, message), { path, isListed: true });
}

function parseMessage(protocol: TextProtocol, message: JsonObject): readonly Part[] {
  if (protocol === 'messages') return parseContent(message['content']);
  return protocol === 'chat' ? parseChatMessage(message) : parseResponsesItem(message);
}

/** An item whose digest and parts are made when they are first needed: who only shows it needs neither. */
class Item implements OutlineItem {
  readonly name: string | null;
  readonly json: string;
  readonly isMarked: boolean;
  readonly isListed: boolean;
  readonly path: JsonPath;
  readonly #value: unknown;
  readonly #parse: () => readonly Part[];
  #digest: string | null = null;
  #parts: readonly Part[] | null = null;

  constructor(
    name: string | null,
    value: unknown,
    parse: () => readonly Part[],
    { path, isListed }: Pick<OutlineItem, 'path' | 'isListed'>,
  ) {
    const { json, isMarked } = stringify(value);
    this.name = name;
    this.json = json;
    this.isMarked = isMarked;
    this.isListed = isListed;
    this.path = path;
    this.#value = value;
    this.#parse = parse;
  }

  get digest(): string {
    const plain = unwrapText(this.#value);
    return (this.#digest ??= toDigest(plain === this.#value ? this.json : stringify(plain).json));
  }

  get parts(): readonly Part[] {
    return (this.#parts ??= this.#parse());
  }
}

/** Returns a message with its text in place of a list that has nothing but it. Clients write such a list to put a mark for the cache on the text. */
function unwrapText(value: unknown): unknown {
  const content = isObject(value) ? value['content'] : null;
  if (!isObject(value) || !Array.isArray(content) || content.length !== 1) return value;
  const { type, text, [CACHE_MARK]: _, ...others } = toObject(content[0]);
  const isAlone = type === 'text' && typeof text === 'string' && Object.keys(others).length === 0;
  return isAlone ? { ...value, content: text } : value;
}

/** Returns the digest of a text. */
export function toDigest(text: string): string {
  return hash('sha256', text, 'hex').slice(0, DIGEST_LENGTH);
}

/** Returns the JSON of an item without its marks for the cache, and whether it has any. */
function stringify(value: unknown): { readonly json: string; readonly isMarked: boolean } {
  let isMarked = false;
  const places = new Set([value]);
  function dropMark(this: unknown, key: string, one: unknown): unknown {
    if (!places.has(this)) return one;
    if (Array.isArray(this) || MARKED_MEMBERS.includes(key)) places.add(one);
    if (key !== CACHE_MARK || !isMark(one)) return one;
    isMarked = true;
    return undefined;
  }
  try {
    const json = JSON.stringify(value) ?? '';
    if (!json.includes(CACHE_MARK)) return { json, isMarked };
    return { json: JSON.stringify(value, dropMark) ?? '', isMarked };
  } catch {
    return { json: '"(nested too deeply)"', isMarked };
  }
}

function isMark(value: unknown): boolean {
  return isObject(value) && typeof value['type'] === 'string';
}
