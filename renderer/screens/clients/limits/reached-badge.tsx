import { Badge } from '@mantine/core';

/** Marks a client whose limit refuses requests. */
export function ReachedBadge() {
  return (
    <Badge size="xs" variant="default" tt="none" fw={500} flex="none" c="var(--gate-bad)">
      limit reached
    </Badge>
  );
}
