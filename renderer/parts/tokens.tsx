import { Text, Tooltip, VisuallyHidden } from '@mantine/core';
import type { Usage, UsageSource } from '../../shared/usage.ts';
import { countText, shortCount } from './figures.ts';

const SOURCES: Readonly<Record<UsageSource, string>> = {
  reported: 'Reported by the service.',
  estimated: 'Estimated by Gatehouse: the service reported nothing.',
  unknown: 'Unknown: the service reported nothing.',
};

/** Where token counts come from, in a sentence. */
export function usageSourceWords(source: UsageSource): string {
  return SOURCES[source];
}

/** The tokens of one exchange: in and out, with their source in a tooltip; estimates say so. */
export function Tokens({ usage }: { readonly usage: Usage }) {
  const { input, output, source } = usage;
  const known = source !== 'unknown' && (input !== null || output !== null);
  const exact = `${amount(input, countText)} in, ${amount(output, countText)} out. `;
  return (
    <Tooltip label={(known ? exact : '') + usageSourceWords(source)}>
      <span data-figures>
        {known ? (
          <>
            {amount(input, shortCount)} <Unit>in</Unit> {amount(output, shortCount)}{' '}
            <Unit>out</Unit>
            {source === 'estimated' && <Unit> est.</Unit>}
          </>
        ) : (
          <>
            <span aria-hidden>–</span>
            <VisuallyHidden>tokens unknown</VisuallyHidden>
          </>
        )}
      </span>
    </Tooltip>
  );
}

function Unit({ children }: { readonly children: string }) {
  return (
    <Text span size="xs" c="dimmed">
      {children}
    </Text>
  );
}

function amount(count: number | null, text: (count: number) => string): string {
  return count === null ? '–' : text(count);
}
