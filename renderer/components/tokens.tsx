import { Text, Tooltip, VisuallyHidden } from '@mantine/core';
import type { Usage, UsageSource } from '../../shared/exchange/usage.ts';
import { formatShortCount } from '../format/format.ts';
import { formatCount } from '../../shared/format.ts';

const SOURCES: Readonly<Record<UsageSource, string>> = {
  reported: 'Reported by the service.',
  estimated: 'Estimated by Gatehouse: the service reported nothing.',
  unknown: 'Unknown: the service reported nothing.',
};

/** Describes where token counts come from; `sent`: whether the request reached the service. */
export function describeUsageSource(source: UsageSource, sent = true): string {
  return sent || source !== 'unknown' ? SOURCES[source] : 'None: nothing was sent to the service.';
}

interface TokensProps {
  readonly usage: Usage;
  /** Whether the request reached the service. */
  readonly sent?: boolean;
}

/** Shows the tokens of one exchange, in and out, with their source in a tooltip; estimates are marked. */
export function Tokens({ usage, sent = true }: TokensProps) {
  const { input, output, source } = usage;
  const known = source !== 'unknown' && (input !== null || output !== null);
  const exact = `${amount(input, formatCount)} in, ${amount(output, formatCount)} out. `;
  return (
    <Tooltip label={(known ? exact : '') + describeUsageSource(source, sent)}>
      <span data-figures>
        {known ? (
          <>
            {amount(input, formatShortCount)} <Unit>in</Unit> {amount(output, formatShortCount)}{' '}
            <Unit>out</Unit>
            {source === 'estimated' && <Unit> est.</Unit>}
          </>
        ) : (
          <>
            <span aria-hidden>–</span>
            <VisuallyHidden>{sent ? 'tokens unknown' : 'no tokens'}</VisuallyHidden>
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
