import { parseTree } from 'jsonc-parser';
import { asObject, parseJsonObject } from '../lib/json-object.ts';

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const NOTHING = Buffer.alloc(0);
/** The extra chunk has a few hundred bytes; a longer event is another one. */
const MAX_HELD = 64 * 1024;

/**
 * Takes the usage out of a chat stream whose client did not ask for it (spec section 6.1 rule 6). Every other byte is
 * passed on as it came; the bytes of an event are held until it is complete, because a client can read it only then.
 */
export class UsageFilter {
  #held: Buffer = NOTHING;
  /** Whether the current event is too long to be the one that is taken out, so that its bytes are passed on. */
  #isPassing = false;

  /** Returns the bytes to pass on. */
  push(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    const passed: Buffer[] = [];
    let start = 0;
    // Only what came now can end an event, but for a line end that is divided.
    let from = Math.max(0, this.#held.length - 3);
    for (let end = findEventEnd(bytes, from); end !== -1; end = findEventEnd(bytes, from)) {
      const event = bytes.subarray(start, end);
      passed.push(this.#isPassing ? event : withoutUsage(event));
      this.#isPassing = false;
      start = end;
      from = end;
    }
    const rest = bytes.subarray(start);
    if (this.#isPassing || rest.length > MAX_HELD) {
      // The last bytes may begin the line end that ends the event.
      const kept = rest.length - 3;
      this.#isPassing = true;
      if (kept > 0) passed.push(rest.subarray(0, kept));
      this.#held = rest.subarray(Math.max(0, kept));
    } else this.#held = rest;
    return joined(passed);
  }

  /** Returns the bytes of an event that the stream did not complete, at its end. */
  end(): Buffer {
    const rest = this.#held;
    this.#held = NOTHING;
    return this.#isPassing ? rest : withoutUsage(rest);
  }
}

function joined(parts: readonly Buffer[]): Buffer {
  const [first = NOTHING] = parts;
  return parts.length < 2 ? first : Buffer.concat(parts);
}

/** Returns the offset after the first blank line that ends at or after `from`; -1 when there is none. Line ends are LF, CRLF or CR. */
function findEventEnd(bytes: Buffer, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const length = lineEndAt(bytes, at);
    if (length === 0) continue;
    const second = lineEndAt(bytes, at + length);
    if (second > 0) return at + length + second;
    at += length - 1;
  }
  return -1;
}

/** A CR at the end of the bytes is none yet: an LF may follow. */
function lineEndAt(bytes: Buffer, at: number): number {
  if (bytes[at] === LINE_FEED) return 1;
  if (bytes[at] !== CARRIAGE_RETURN || at + 1 === bytes.length) return 0;
  return bytes[at + 1] === LINE_FEED ? 2 : 1;
}

/**
 * Returns an event without its usage: nothing for the chunk that services add for `include_usage`, which has no choices; the other
 * bytes of a chunk with choices, where the usage may be instead (spec section 4.2), or `null` in every one.
 */
function withoutUsage(event: Buffer): Buffer {
  if (event.length > MAX_HELD || !event.includes('"usage"')) return event;
  const text = event.toString();
  const [line, other] = text.split(/\r\n|\n|\r/u).filter((one) => one.startsWith('data:'));
  if (line === undefined || other !== undefined) return event;
  const data = line.slice('data:'.length);
  const fields = parseJsonObject(data);
  if (fields === null || !('usage' in fields)) return event;
  const { usage, choices } = fields;
  if (!Array.isArray(choices) || (usage !== null && asObject(usage) === null)) return event;
  if (choices.length === 0) return usage === null ? event : NOTHING;
  const span = findMember(data, 'usage');
  const isText = Buffer.from(text).equals(event);
  if (span === null || !isText) return event;
  const at = text.indexOf(line) + 'data:'.length;
  return Buffer.from(text.slice(0, at + span.start) + text.slice(at + span.end));
}

/** Finds a member of a JSON object with the comma that belongs to it. */
function findMember(json: string, name: string): { start: number; end: number } | null {
  const members = parseTree(json)?.children ?? [];
  const index = members.findLastIndex(({ children }) => children?.[0]?.value === name);
  const member = members[index];
  if (member === undefined) return null;
  const before = members[index - 1];
  const end = member.offset + member.length;
  if (before !== undefined) return { start: before.offset + before.length, end };
  return { start: member.offset, end: members[index + 1]?.offset ?? end };
}
