/** One part of a message, the same for all protocols. */
export type Part =
  | { readonly kind: 'text' | 'reasoning'; readonly text: string }
  | ToolCall
  | ToolResult
  | ImagePart
  /** A part of a kind that is not known. */
  | { readonly kind: 'other'; readonly value: unknown };

/** A call of a tool by the model. */
export interface ToolCall {
  readonly kind: 'call';
  readonly id: string | null;
  readonly name: string;
  /** JSON as the model wrote it; possibly incomplete. */
  readonly input: string;
  /** The result that the client sent for it; `null` when there is none. */
  readonly result: ToolResult | null;
}

/** The result of a tool. */
export interface ToolResult {
  readonly kind: 'result';
  /** Id of the call. */
  readonly callId: string | null;
  readonly parts: readonly Part[];
  readonly isError: boolean;
  /** The call that it answers, where that is among the messages before those that the request sent; else absent. */
  readonly call?: AnsweredCall;
}

/** The call of a tool to which a result belongs. */
export type AnsweredCall = Pick<ToolCall, 'name' | 'input'>;

/** An image of a message. */
export interface ImagePart {
  readonly kind: 'image';
  /** A data URL, a remote address, or the id of a file. */
  readonly source: string;
}

/** One message of a conversation, or a mark between messages. */
export interface Message {
  /** As the protocol names it, such as `user`; a client may send any other. */
  readonly role: string;
  readonly parts: readonly Part[];
  /**
   * What a mark says. `omitted`: messages at its place are not stored. `earlier`: the request left those before it to the service and sent
   * those after it; its text is for people. Absent for a message.
   */
  readonly mark?: 'omitted' | 'earlier';
}

/** The mark for messages that are not stored. */
export const OMITTED: Message = { role: 'omitted', parts: [], mark: 'omitted' };

/** Moves each result of a tool under its call. Messages that had nothing else are left out. */
export function pairResults(messages: readonly Message[]): readonly Message[] {
  const results = Map.groupBy(
    messages.flatMap(({ parts }) => parts).filter((part) => part.kind === 'result'),
    ({ callId }) => callId,
  );
  const paired = new Set<Part>();
  const withResults = messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      const result = part.kind === 'call' && part.id !== null && results.get(part.id)?.shift();
      if (part.kind !== 'call' || !result) return part;
      paired.add(result);
      // Under its call it needs no name, and is the same whether it had one.
      const { call: _, ...plain } = result;
      return { ...part, result: plain };
    }),
  }));
  return withResults.flatMap((message) => {
    const { parts } = message;
    const remaining = parts.filter((part) => !paired.has(part));
    return remaining.length === 0 && parts.length > 0 ? [] : [{ ...message, parts: remaining }];
  });
}

/** Names the call of each result, as far as it is among the calls of the messages before. */
export function nameResults(
  messages: readonly Message[],
  before: readonly Message[],
): readonly Message[] {
  const parts = before.flatMap((message) => message.parts);
  const calls = new Map(parts.flatMap((part) => (part.kind === 'call' ? [[part.id, part]] : [])));
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => {
      const found = part.kind === 'result' && part.callId !== null && calls.get(part.callId);
      if (part.kind !== 'result' || !found) return part;
      return { ...part, call: { name: found.name, input: found.input } };
    }),
  }));
}

const MAX_INPUT = 80;

/** Describes a call in one line: `Read ({"file_path":".env"})`. */
export function describeCall({ name, input }: AnsweredCall): string {
  const shown = input.length > MAX_INPUT ? `${input.slice(0, MAX_INPUT - 1)}…` : input;
  return `${name} (${shown})`;
}
