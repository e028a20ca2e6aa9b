import { Button, Skeleton, Stack } from '@mantine/core';
import { IconMovie, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../../components/states/empty-state.tsx';

const CARDS = Array.from({ length: 6 }, (_, card) => card);

/** Placeholder rows while the first page loads. */
export function Loading() {
  return (
    <Stack gap={10} role="group" aria-busy aria-label="Loading the videos">
      {CARDS.map((card) => (
        <Skeleton key={card} h={92} />
      ))}
    </Stack>
  );
}

/** Shown when there are no videos yet. */
export function NothingYet() {
  return (
    <EmptyState icon={IconMovie} title="No videos yet">
      Add an image and describe what should happen in it: the service makes a short video, and
      Gatehouse tracks it until the file is downloaded. You can close this window meanwhile. Videos
      that your clients order appear here, too.
      <br />
      <Button
        mt="sm"
        size="compact-sm"
        leftSection={<IconPlus size={15} />}
        renderRoot={(props: object) => <Link to="/videos/new" {...props} />}
      >
        New video
      </Button>
    </EmptyState>
  );
}
