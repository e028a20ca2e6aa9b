import { ByteChunks } from '../../lib/byte-chunks.ts';
import { createRepair } from '../repair/create-repair.ts';
import { removeStreamOptions } from '../repair/body/body.ts';
import type { ExchangeContext } from '../context.ts';
import type { OptionalMember } from './optional-member.ts';

/**
 * Returns `stream_options` of a request, which some models reject (spec section 4.2). `isClients`: whether its client sent them, and not
 * only Gatehouse. The model is remembered if the refusal named them, or if only Gatehouse had added them.
 */
export function createStreamOptions(
  body: Buffer | ByteChunks,
  isClients: boolean,
  { proxy, inFlight, memory }: Pick<ExchangeContext, 'proxy' | 'inFlight' | 'memory'>,
): OptionalMember {
  const isOurs = inFlight.isUsageAsked && !isClients;
  return {
    isOurs,
    mayBeRefusedBy: (status) =>
      status === 400 && !inFlight.repairs.some(({ code }) => code === 'stream-options-removed'),
    leaveOut: () => {
      // Both bodies are in memory, and the first one twice when it is in pieces.
      const isInPieces = body instanceof ByteChunks;
      if (!memory.tryGrow(isInPieces ? 2 * body.length : body.length)) return null;
      return removeStreamOptions(isInPieces ? Buffer.concat(body.chunks) : body);
    },
    isNamedBy: isNamed,
    onLeftOut: () => {
      inFlight.isUsageAsked = false;
    },
    onAnswered: (error, isHelped) => {
      if (!isHelped) return;
      if (!isOurs)
        inFlight.addRepairs([createRepair('stream-options-removed', 'stream_options', 'left out')]);
      if (inFlight.modelSent === null) return;
      // Success alone does not show that the client's field was the reason. Ours must not cost a second request each time.
      if (isOurs || isNamed(error)) proxy.refused.add(inFlight.modelSent, 'stream_options');
    },
  };
}

function isNamed(error: string): boolean {
  return /stream.?options|include.?usage/iu.test(error);
}
