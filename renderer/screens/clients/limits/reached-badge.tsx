import { Badge } from '@mantine/core';

/** Marks a client whose limit refuses requests. `ofRun`: only those of a run. */
export function ReachedBadge({ ofRun = false }: { readonly ofRun?: boolean }) {
  return (
    <Badge size="xs" variant="default" tt="none" fw={500} flex="none" c="var(--gate-bad)">
      {ofRun ? 'limit of a run reached' : 'limit reached'}
    </Badge>
  );
}
