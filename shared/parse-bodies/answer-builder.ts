import type { Part } from './parts.ts';
import { toCall } from './parse-content.ts';

interface Draft {
  readonly kind: 'text' | 'reasoning' | 'call';
  text: string;
  id: unknown;
  name: unknown;
}

/** Collects the parts of an answer that arrives in pieces. Each part has a key; the parts keep the order of their first pieces. */
export class AnswerBuilder {
  readonly #drafts = new Map<string, Draft | Part>();

  get isEmpty(): boolean {
    return this.#drafts.size === 0;
  }

  /** Appends to a text. */
  append(kind: 'text' | 'reasoning', key: string, more: string): void {
    if (more !== '') this.#draft(kind, key).text += more;
  }

  /** Appends to the input of a tool call. Its id and its name come with one of its pieces. */
  appendCall(
    key: string,
    call: { readonly id?: unknown; readonly name?: unknown },
    input: string,
  ): void {
    const draft = this.#draft('call', key);
    draft.id ||= call.id;
    draft.name ||= call.name;
    draft.text += input;
  }

  /** Replaces the input of a tool call by the complete one. */
  completeCall(
    key: string,
    call: { readonly id?: unknown; readonly name?: unknown },
    input: string,
  ): void {
    this.appendCall(key, call, '');
    if (input !== '') this.#draft('call', key).text = input;
  }

  /** Adds a complete part, or replaces the one of that key. */
  set(key: string, part: Part): void {
    this.#drafts.set(key, part);
  }

  parts(): readonly Part[] {
    return [...this.#drafts.values()].map(toPart);
  }

  #draft(kind: Draft['kind'], key: string): Draft {
    const known = this.#drafts.get(`${kind} ${key}`);
    if (known !== undefined && isDraft(known)) return known;
    const draft: Draft = { kind, text: '', id: undefined, name: undefined };
    this.#drafts.set(`${kind} ${key}`, draft);
    return draft;
  }
}

function isDraft(part: Draft | Part): part is Draft {
  return 'text' in part && 'name' in part;
}

function toPart(part: Draft | Part): Part {
  if (!isDraft(part)) return part;
  const { kind, text, id, name } = part;
  return kind === 'call' ? toCall({ id, name, input: text }) : { kind, text };
}
