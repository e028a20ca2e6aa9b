import type { TextProtocol } from '../chat/chat.ts';
import type { ModelList } from '../model.ts';
import type { ClientTool } from './client-tool.ts';

/** Protocols that a tool may use, the likeliest first. */
const PROTOCOLS: Readonly<Record<ClientTool['style'], readonly TextProtocol[]>> = {
  chat: ['chat'],
  messages: ['messages'],
  both: ['chat', 'messages', 'responses'],
};

/**
 * Chooses the model for a tool's settings: the latest that answered one of its protocols whole, when the service still lists it.
 * `null` otherwise: a guess may be a model that makes videos, or one that only speaks another protocol.
 */
export function preselectModel(
  { style, protocol }: Pick<ClientTool, 'style' | 'protocol'>,
  list: Pick<ModelList, 'models' | 'answered'> | undefined,
): string | null {
  if (list === undefined) return null;
  const listed = new Set(list.models.map(({ model }) => model.id));
  const protocols = protocol === undefined ? PROTOCOLS[style] : [protocol];
  const answered = protocols.map((one) => list.answered[one]);
  return answered.find((id) => id !== null && listed.has(id)) ?? null;
}
