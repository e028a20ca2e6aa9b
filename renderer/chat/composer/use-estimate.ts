import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ChatFile, ChatSettings, ConversationId } from '../../../shared/chat/chat.ts';
import { NOT_CHARGED } from '../../../shared/money/charge.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { useCalls } from '../../api/client.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import { useIsFree } from '../../hooks/use-is-free.ts';

/** A message that is being written. */
interface Drafted {
  /** `null` for a new conversation. */
  readonly id: ConversationId | null;
  readonly models: readonly string[];
  /** The settings of a new conversation. */
  readonly settings: Pick<ChatSettings, 'system' | 'maxTokens'>;
  readonly text: string;
  readonly files: readonly ChatFile[];
  readonly images: number;
}

/** Time without a key press after which the cost is asked for. */
const PAUSE_MS = 500;

/** Returns what the answers to a message would cost, such as `about $0.0012`; `null` while there is no message, and when it is not known. */
export function useEstimate({ id, models, settings, text, files, images }: Drafted): string | null {
  const { system, maxTokens } = settings;
  const isEmpty = text.trim() === '' && files.length === 0 && images === 0;
  // Only the text: an object that is new at each rendering would never rest.
  const [written] = useDebouncedValue(text, PAUSE_MS);
  const isFree = useIsFree();
  const currency = useCurrency();
  const textBytes = useMemo(
    () => countBytes(written) + (id === null ? countBytes(system) : 0),
    [written, id, system],
  );
  const bytes = files.reduce(
    (sum, file) => sum + (file.kind === 'text' ? countBytes(file.text) : 0),
    textBytes,
  );
  const isAsked = !isEmpty && (id !== null || models.length > 0) && !models.includes('');
  const { data } = useQuery(
    useCalls().chat.estimate.queryOptions({
      input: isAsked ? { id, models: [...models], bytes, images, maxTokens } : skipToken,
      placeholderData: keepPreviousData,
      // The estimate also changes with what is learned from other exchanges.
      staleTime: 0,
    }),
  );
  if (!isAsked || data == null || data.amount === null) return null;
  return `about ${formatMoney(data.amount, currency)}${isFree ? ` (${NOT_CHARGED})` : ''}`;
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}
